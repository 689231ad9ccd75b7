"""Training records as dicts or JSON objects, one a line: transformers' Trainer and all that builds on it.

The Trainer prints no step; its progress bar does. A bar between the records gives its step, the total and the time
since the start to the record behind it, and is no record itself. A bar with metrics is that of another training.
"""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats import log_bars
from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_keys import SUMMARY, is_evaluation, key_of
from smianalyze.formats.log_label import full_time
from smianalyze.formats.log_said import TIME, Placed, amount, clock, integers, part, trimmed, values
from smianalyze.formats.log_steps import MAX_LINE, Metrics, Record, Records, key_digits, label_of, placed
from smianalyze.reader import LineReader, LineShape
from smianalyze.repair import Line

LENT = ("step", "total_steps", "elapsed_s")
_COUNTERS = {
    "epoch": "epoch",
    "iter": "step",
    "step": "step",
    "iteration": "step",
    "current_steps": "step",
    "total_steps": "total_steps",
    "max_steps": "total_steps",
    "global_step": "global_step",
    "num_updates": "global_step",
}
_TIMES = frozenset({"asctime", "date", "time", "timestamp", "ts"})
_STEP_OF_ALL = "global_step_max_steps"  # ms-swift: '78/176'
_FAMILIES = (
    ("fairseq", "num_updates"),
    ("llamafactory", "current_steps"),
    ("ms_swift", _STEP_OF_ALL),
    ("axolotl", "memory_max_mem_active"),
    ("axolotl", "memory_max_active"),
    ("trl", "rewards_chosen"),
    ("trl", "reward_std"),
    ("mmengine", "data_time"),
    ("hf_trainer", "learning_rate"),
    ("hf_trainer", "epoch"),
)


_SIZES_KNOWN = ("mmengine", "fairseq")  # print memory without a unit


def _recognises(text: str) -> bool:
    return "loss" in text and ("{'" in text or '{"' in text)


LINES = LineReader("log_dicts.lark", bool, max_line=MAX_LINE)


def _read(lines: Sequence[Line]) -> Reading:
    records = Records()
    bar: Row = {}
    record: Row = {}  # without a step, and nothing stands behind it yet
    bars: set[int] = set()
    for line in lines:
        if _recognises(line.text):
            record = _read_line(line, bar, records)
            bar = {} if record else bar
        elif (drawn := log_bars.draw_of(line.text)) and not drawn.shows_metric:
            bar = lent_by(drawn.row)
            record.update(bar)  # drawn anew behind a record, a bar shows the very step of the record
            record = {}
            bars.add(line.number)
        elif line.text.strip():
            record = {}
    if "steps" in records.reading.rows:
        records.reading.used |= bars
    return records.reading


def lent_by(bar: Row) -> Row:
    """What a bar gives to a record."""
    return values({name: bar[name] for name in LENT if name in bar})


def _read_line(line: Line, bar: Row, records: Records) -> Row:
    """Read a record; its row comes back if the step is to be had from a bar."""
    record = record_of(line.text)
    if record is None:
        return {}
    row = values(record.row)
    if "step" in row:
        records.add(line, record.text, values(record.label), row)
        return {}
    return records.add(line, record.text, values(record.label), bar | row)


def _parsed(line: str) -> tuple[Placed, LineShape]:
    start = max(line.find("{'"), line.find('{"'))
    text = part(line, start, max(start, len(line.rstrip())))
    return text, LINES.read(text)


def deciding_digits(line: str) -> list[int]:
    """Where the digits of its keys stand."""
    text, shape = _parsed(line)
    return key_digits(shape, text)


def record_of(line: str) -> Record | None:
    """The record that a line is; None for another."""
    text, shape = _parsed(line)
    label = label_of(line[: text.start]) if shape.kind else None
    if label is None:
        return None
    row, is_sure = training_columns(placed(shape.columns, text, text.start))
    return Record(text, label, row, is_sure) if row else None


def training_columns(cells: Sequence[tuple[str, str]]) -> tuple[Row, bool]:
    """The columns of a record as said, and whether all of its shape have them; none for evaluation."""
    names = dict.fromkeys(key_of(text).name for kind, text in cells if kind == "key")
    family = next((family for family, mark in _FAMILIES if mark in names), "generic")
    metrics = Metrics(sizes_known=family in _SIZES_KNOWN)
    key = ""
    for kind, text in cells:
        if kind == "key":
            key = text
        else:
            _take(key, trimmed(text, "'\""), metrics)
            if key_of(key).name == "mode" and is_evaluation(text.strip("'\"")):
                return {}, True
    row = metrics.finished()
    is_training = not names.keys() & set(SUMMARY) and not all(is_evaluation(n) or n in _COUNTERS for n in names)
    if not is_training or not any(name.endswith("loss") and not is_evaluation(name) for name in names):
        return {}, metrics.is_sure
    return {"format": family, **row}, metrics.is_sure


def _take(key: str, text: str, metrics: Metrics) -> None:
    name = key_of(key).name
    value, unit = amount(text)
    metrics.is_sure &= name not in _TIMES or TIME.search(text) is None
    if name in _TIMES and (time := full_time(text)):
        metrics.values["time"] = time
    elif name == _STEP_OF_ALL:
        metrics.values.update(zip(("step", "total_steps"), integers(text), strict=False))
    elif name in _COUNTERS:
        if not unit:
            metrics.values[_COUNTERS[name]] = value
    elif (span := clock(text)) is not None:
        metrics.add(key, span, "s")
    elif unit in {"", "%"}:
        metrics.add(key, value, unit)


FORMAT = Format(
    name="log_dicts",
    reach=1,  # what stands between a bar and a record
    title="training log: records as dicts or JSON lines",
    command="python train.py",
    sample="{'loss': 1.5068, 'grad_norm': 0.7123, 'learning_rate': 1.8926e-05, 'epoch': 1.42}\n",
    recognises=_recognises,
    read=_read,
)
