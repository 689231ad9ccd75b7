"""Lines of training metrics as keys with values, the counter first: most frameworks print these.

One grammar reads them all; ``log_families`` tells them apart for the column ``format``. A line of no known family
is ``generic``: it needs a counter (epoch, step) and a metric of training all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_families import ESPNET, SCHEDULE, family_of
from smianalyze.formats.log_keys import key_of
from smianalyze.formats.log_measures import measure
from smianalyze.formats.log_numbers import Scale
from smianalyze.formats.log_said import (
    Figure,
    Placed,
    amount,
    figure,
    integers,
    part,
    values,
)
from smianalyze.formats.log_steps import (
    MAX_LINE,
    Metrics,
    Record,
    Records,
    cut_off,
    is_record,
    key_digits,
    label_of,
    placed,
    told_of_end,
)
from smianalyze.reader import LineReader
from smianalyze.repair import Line

# where the metrics of a line begin: at its first counter, or at what some frameworks print before it
_BEGIN = re.compile(
    r"(?i:(?<![a-z0-9_./-])(?:global[_ -]?+|current[_ ])?+(?:epochs?+|iter(?:ation)?+s?+|steps?+"
    r"|batch(?:_id|_idx)?+|num_updates|train)(?:\(train\))?+ *+[:=]?+ *+\[?+ *+[0-9])"
    r"|(?<![A-Za-z0-9_./-])(?:eta: |(?:[a-z]{1,20}[_ ])?(?:loss|Loss) ?[:=] ?[-0-9\[n])"
    r"|(?<![0-9])[0-9]{1,12}epoch:train:|(?<![0-9/])[0-9]{1,12}/[0-9]{1,12}, RunningAvg"
    r"|Avg prompt throughput: |(?<=Decode batch[.,] )#running"
)
_WORDS = (
    *("epoch", "Epoch", "EPOCH", "iter", "Iter", "ITER", "step", "Step", "STEP", "batch", "Batch", "BATCH"),
    *("rain", "TRAIN", "num_updates", "loss", "Loss", "eta: ", "RunningAvg", "Avg prompt", "#running"),
)
_EPOCHS = frozenset({"epoch", "training_epoch", "train_epoch", "epoch_train", "train"})
_STEPS = frozenset(
    {"iter", "iteration", "step", "batch", "batch_id", "batch_idx", "iter_train", "iters", "steps", "current_step"}
)
_GLOBAL_STEPS = frozenset({"global_step", "num_updates"})
_COUNTERS = _EPOCHS | _STEPS | _GLOBAL_STEPS
_PLAIN = frozenset({"amount", "ratio", "bracket"})
_COUNT = re.compile(r"\[? {0,9}([0-9]++(?: {0,9}/ {0,9}[0-9]++)?)(?: {0,9}\([^()]{0,9}\))? {0,9}\]?")
_BRACKETED_COUNTER = re.compile(r"[^()]{1,80}\) {0,4}[A-Z]")
_SHARE = re.compile(r"\( {0,4}([0-9]{1,3}(?:\.[0-9]{1,4})?)% {0,4}\)")


class _Group(NamedTuple):
    """A key and the values behind it: kind and text of each."""

    key: str
    values: list[tuple[str, Placed]]


SECOND_ACCOUNT = "deepspeed"
_SERVERS = {"vllm", "sglang"}  # they count no steps
_GENERIC = "generic"
_ENDS_OF_A_SENTENCE = (".", "!", "?", ";")
_WORDS_BEFORE = re.compile(r"(?<![A-Za-z])[a-z]{1,20} [a-z]{1,20} $")


def _recognises(text: str) -> bool:
    return _begin(text) is not None


def _begin(text: str) -> re.Match[str] | None:
    """Where metrics begin; a search for words is ten times as fast as the pattern, and few lines hold one."""
    return _BEGIN.search(text) if any(map(text.__contains__, _WORDS)) else None


LINES = LineReader("log_pairs.lark", bool, max_line=MAX_LINE)


def _read(lines: Sequence[Line], *, open_end: bool = False) -> Reading:
    records = Records()
    for line in lines:
        may_break_off = open_end and line is lines[-1]
        record = record_of(line.text, may_break_off=may_break_off)
        # without its last keys a line may look like one of another framework
        if record and not (may_break_off and records.family not in {None, record.row["format"]}):
            records.add(line, record.text, values(record.label), values(record.row))
    return _without_second_account(records.reading)


def deciding_digits(line: str) -> list[int]:
    """Where the digits of its keys stand."""
    begin = _begin(line)
    text = part(line, begin.start() if begin else len(line), len(line))
    return key_digits(LINES.read(text), text)


def record_of(line: str, *, may_break_off: bool = False) -> Record | None:
    """The record that a line is; None for another."""
    begin = _begin(line)
    if begin is None:
        return None
    start = begin.start()
    text = part(line, start, len(line))
    shape = LINES.read(text)
    label = label_of(_before(line[:start], text)) if shape.kind else None
    if label is None:
        return None
    cells = cut_off(shape.columns, text) if may_break_off else shape.columns
    keys = [text[begin:end] for name, begin, end in shape.columns if name == "key"]
    row, is_sure = _row(shape.kind, _groups(placed(cells, text, start)), keys)
    if not row or (row["format"] == _GENERIC and _is_prose(line[:start], text, keys)):
        return None
    return Record(text, label, row, is_sure)


def _before(prefix: str, text: str) -> str:
    """What stands in front of a record, without the bracket that opens ``(step=100) loss: 0.5``."""
    return prefix.removesuffix("(") if _BRACKETED_COUNTER.match(text) else prefix


def _is_prose(prefix: str, text: str, keys: Sequence[str]) -> bool:
    """Whether a line of no known framework, without a colon or an equals sign, may be a sentence."""
    is_bare = not any(key.rstrip().endswith((":", "=")) for key in keys)
    return is_bare and (text.rstrip().endswith(_ENDS_OF_A_SENTENCE) or bool(_WORDS_BEFORE.search(prefix)))


def _groups(cells: Sequence[tuple[str, Placed]]) -> list[_Group]:
    """The values of each key; the first group has no key."""
    groups = [_Group("", [])]
    for name, text in cells:
        if name in {"key", "epoch", "step", "step_from"}:
            groups.append(_Group(text if name == "key" else name, []))
        if name in {"epoch", "step", "step_from"}:
            groups[-1].values.append(("amount", text))
        elif name != "key":
            groups[-1].values.append((name, text))
    return groups


def _row(kind: str, groups: Sequence[_Group], printed: Sequence[str]) -> tuple[Row, bool]:
    """The columns of a record as said, and whether all of its shape have them; empty where the line is none.

    Args:
        kind: Name of the grammar's rule.
        groups: Keys with the values that are certain.
        printed: All keys of the line.
    """
    keys = [key_of(group.key).name for group in groups]
    printed = [key_of(key).name for key in printed]
    family = ESPNET if kind == "espnet" else family_of(printed)
    renamed = dict(family.renamed)
    metrics = Metrics(sizes_known=family.name != _GENERIC)
    for name, group in zip(keys, groups, strict=True):
        if name in _COUNTERS or not name:
            _count(name, group.values, metrics)
        if name not in _COUNTERS:
            measure(renamed.get(name, group.key), group.values, metrics)
    row = {"format": family.name, **metrics.finished()}
    if "step" not in row and "step_time_s" in row:
        row["epoch_time_s"] = row.pop("step_time_s")
    mfu = row.get("mfu")
    if family.name == "nanochat" and isinstance(mfu, Figure):
        row["mfu"] = mfu.scaled(Scale(is_share=True))  # printed in percent without a sign
    if family.name == SCHEDULE or (family.name == "fairseq" and "total_steps" not in row):
        return {}, metrics.is_sure  # the second is the summary of an epoch
    is_one = "tokens_per_s" in row if family.name in _SERVERS else is_record(row, printed)
    return row if is_one else {}, metrics.is_sure


def _count(name: str, values: Sequence[tuple[str, Placed]], metrics: Metrics) -> None:
    """Counters: ``[0][ 10/5005]`` behind an epoch is the epoch and the step in it."""
    counts = [count for kind, text in values if kind in _PLAIN and (count := _counts(kind, text))]
    if not name:
        columns = ("epoch", "step") if values and values[0][0] == "ratio" else ()
        metrics.values.update(zip(columns, counts[0] if counts else (), strict=False))
        return
    places = [("epoch", "total_epochs"), ("step", "total_steps")]
    if name in _STEPS:
        places = places[1:]
    elif name in _GLOBAL_STEPS:
        places = [("global_step", "total_steps")]
    for columns, count in zip(places, counts, strict=False):
        metrics.values.update(zip(columns, count, strict=False))
    for text in (text for kind, text in values if kind != "amount"):
        for share in _SHARE.finditer(text):
            metrics.values["progress_pct"] = figure(part(text, *share.span(1)))


def _counts(kind: str, text: Placed) -> list[Figure]:
    """A counter and its total: of ``[ 50/4309]``, ``120/149``, ``7``; an epoch may be a fraction."""
    if kind == "amount":
        value, unit = amount(text)
        return [] if value is None or unit else [value]
    found = _COUNT.fullmatch(text)
    return list(integers(part(text, *found.span(1)))) if found else []


def _without_second_account(reading: Reading) -> Reading:
    """DeepSpeed's timer lines tell of steps that Megatron or the trainer prints too; those count then."""
    steps = reading.rows.get("steps", [])
    others = [row for row in steps if row["format"] != SECOND_ACCOUNT]
    if others and len(others) < len(steps):
        reading.rows["steps"] = others
    return reading


FORMAT = told_of_end(
    Format(
        name="log_pairs",
        reach=0,
        title="training log: metrics with their keys",
        command="python train.py",
        sample="2021-02-17 04:33:50,120 - mmdet - INFO - Epoch [1][50/7517] lr: 2.5e-3, time: 0.738, loss: 0.6\n",
        recognises=_recognises,
        read=_read,
    ),
    _read,
)
