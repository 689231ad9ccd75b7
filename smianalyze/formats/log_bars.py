"""Progress bars of a training: one record for each step that a bar shows, its last draw.

A bar counts when some draw of it shows a metric of training or its description names training. Downloads, maps of
data sets, loading of shards and validation do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_draw import Draw
from smianalyze.formats.log_keys import key_of
from smianalyze.formats.log_said import Figure, Placed, Quantity, amount, clock, figure, integers, si_count, values
from smianalyze.formats.log_steps import MAX_LINE, Metrics, Records, key_digits, label_of, placed, told_of_end
from smianalyze.formats.log_yolo import YoloTable
from smianalyze.reader import LineReader, LineShape
from smianalyze.repair import Line

_BEGIN = re.compile(
    r"[0-9]{1,3}% {0,2}(?:[|━─]|(?<= )[0-9]{1,9}/[0-9]{1,9} \[)|[━╸╺]"
    r"|(?<=: )\[[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?<[0-9?]"
    r"|(?<![0-9.])[0-9.]{1,20}[kM]?it(?: \[[0-9]|/[0-9.]{1,20}[a-z])"
)
_MARKS = ("%|", "% ", "%━", "━", "╸", "╺", "it [", "it/", ": [")
_TRAINING = re.compile(r"(?i)(?<![a-z])(?:epochs?|train(?:ing)?|steps?|iter(?:ation)?s?)(?![a-z])")
_OTHER_WORK = re.compile(
    r"(?i)(?:val|test|eval|sanity|predict|inference|generating|load|fetch|map|tokeniz|process|filter|cach|reading"
    r"|saving|writing|split|sampling|check)"
)
_EPOCH = re.compile(r"(?i)epochs?[ :#]{0,3}\[?([0-9]{1,9})(?: ?/ ?([0-9]{1,9}))?")
_TORCHTUNE = re.compile(r"([0-9]{1,9})\|([0-9]{1,12})\|Loss: ([-+0-9.eE]{1,40})$")
_NAMES = re.compile(r"loss|acc|reward|ppl|perplexity|psnr|iou|f1")
_RUN = "v_num"  # Lightning's number of the run, which is no metric
_FAMILY_BY_MARK = (("Progress on:", "loggable"), ("Steps", "accelerate"), ("Epoch", "lightning"))


def _recognises(text: str) -> bool:
    return _begin(text) is not None


def _begin(text: str) -> re.Match[str] | None:
    """Where a draw begins; most lines hold no mark of one, which is found out faster."""
    return _BEGIN.search(text) if any(map(text.__contains__, _MARKS)) else None


LINES = LineReader("log_bars.lark", bool, max_line=MAX_LINE)


def _parsed(text: str, start: int) -> tuple[Placed, LineShape]:
    body = text[start:].partition("`")[0]  # what is printed behind a bar has no blank before it
    return Placed.at(body, start), LINES.read(body)


def deciding_digits(text: str) -> list[int]:
    """Where the digits of the keys of a draw stand."""
    begin = _begin(text)
    body, shape = _parsed(text, begin.start() if begin else len(text))
    return key_digits(shape, body)


def draw_of(text: str) -> Draw | None:
    """The draw of a bar that a line is; None for another line."""
    begin = _begin(text)
    if begin is None:
        return None
    body, shape = _parsed(text, begin.start())
    if not shape.kind or shape.kind.startswith("table"):
        return None
    row, metrics = _columns(shape.kind, placed(shape.columns, body, body.start))
    shown = any(_NAMES.search(name) for name in metrics.names) or bool(row.keys() & {"loss", "lr", "grad_norm"})
    label = text[: begin.start()]
    if torchtune := _TORCHTUNE.search(label.rstrip(" :")):
        epoch, step, loss = map(figure, torchtune.groups())
        said: Row = {"format": "torchtune", "epoch": epoch, "step": step, "loss": loss}
        return Draw("torchtune", row | said, True, label, is_sure=False)
    return Draw(label.strip(), row, shown, label, metrics.is_sure)


def _columns(kind: str, cells: Sequence[tuple[str, Placed]]) -> tuple[Row, Metrics]:
    metrics = Metrics()
    row: Row = {}
    key = ""
    for name, text in cells:
        if name == "key":
            key = text
        elif name == "value":
            _postfix(key, text, metrics)
        elif name == "rate":
            row |= _rate(text)
        elif name in {"elapsed", "remaining"}:
            row["elapsed_s" if name == "elapsed" else "eta_s"] = _span(text)
        else:
            row[name] = si_count(text)
    if kind == "short_bar":
        metrics.is_sure = False
        is_done = _value(row.get("step")) == _value(row.get("total_steps"))
        row.pop("eta_s" if is_done else "elapsed_s", None)
    metrics.values = row | metrics.values
    return metrics.finished(), metrics


def _value(said: object) -> object:
    return said.value() if isinstance(said, Figure) else said


def _postfix(key: str, text: str, metrics: Metrics) -> None:
    """A metric behind the rate; what unit a free ``10.2G`` has nobody knows."""
    value, unit = amount(text)
    if key_of(key).name == _RUN:
        metrics.values["format"] = "lightning"
    elif unit in {"", "%"}:
        metrics.add(key, value, unit)


def _span(text: str) -> Quantity | None:
    """Seconds of ``04:48``, and of the ``3.2s`` of newer bars."""
    value, unit = amount(text)
    return value if value is not None and unit == "s" else clock(text)


def _rate(text: str) -> Row:
    value, unit = amount(text)
    if value is None:
        return {}
    if unit.endswith("/s"):
        return {"steps_per_s": si_count(text), "rate_unit": unit}
    return {"step_time_s": value, "rate_unit": unit} if unit.startswith("s/") else {}


def _read(lines: Sequence[Line], *, open_end: bool = False) -> Reading:
    draws: list[tuple[Line, Draw]] = []
    table = YoloTable(LINES)
    for line in lines:
        if open_end and line is lines[-1] and not line.text.rstrip().endswith("]"):
            continue  # a draw that breaks off
        draw = draw_of(line.text)
        if draw is None:
            table.read_header(line)
            continue
        draw = draw._replace(row=values(draw.row))
        row = table.cells(draw)
        if row is not None:
            draw = draw._replace(row=row, bar=str(row["epoch"]), shows_metric=True)
        draws.append((line, draw))
    return _records(draws)


def _records(draws: Sequence[tuple[Line, Draw]]) -> Reading:
    """The last draw of each step of the bars that count."""
    sources = {draw.bar for _, draw in draws if draw.shows_metric or is_training(draw)}
    last: dict[str, int] = {}
    kept: list[tuple[Line, Draw] | None] = []
    used: set[int] = set()
    for line, draw in draws:
        if draw.bar not in sources or not shows_step(draw):
            continue
        used.add(line.number)
        before = kept[last[draw.bar]] if draw.bar in last else None
        if before is not None and before[1].row.get("step") == draw.row.get("step"):
            kept[last[draw.bar]] = (line, draw)
            continue
        last[draw.bar] = len(kept)
        kept.append((line, draw))
    records = Records()
    for line, draw in filter(None, kept):
        label = label_of(draw.label.rstrip(" :"))
        if label is not None:
            text = f"{draw.bar} {draw.row.get('step')} {line.number}"
            records.add(line, text, values(label), values(columns_of(draw)))
    records.reading.used |= used
    return records.reading


def is_training(draw: Draw) -> bool:
    """Whether a bar is one of training by its description."""
    return "total_steps" in draw.row and bool(_TRAINING.search(draw.bar)) and not _OTHER_WORK.search(draw.bar)


def shows_step(draw: Draw) -> bool:
    """Whether a draw with values tells of a step, if its bar counts."""
    return is_of_training(draw) and (draw.shows_metric or bool(draw.row.get("step")))


def is_of_training(draw: Draw) -> bool:
    """Whether a bar is not one of other work by its description."""
    return not _OTHER_WORK.search(draw.bar)


def columns_of(draw: Draw) -> Row:
    """The columns of a draw with those that its description says."""
    epoch = _EPOCH.search(draw.label)
    counts = integers(Placed.at(epoch.group(), epoch.start())) if epoch else ()
    columns = dict(zip(("epoch", "total_epochs"), counts, strict=False))
    family = next((family for mark, family in _FAMILY_BY_MARK if mark in draw.bar and "/" not in draw.bar), "tqdm")
    return {"format": family, **columns, **draw.row}


FORMAT = told_of_end(
    Format(
        name="log_bars",
        reach=3,  # the header of a table above
        title="training log: progress bars",
        command="python train.py",
        sample="Epoch 0:  22%|##        | 4/18 [00:13<00:48,  3.44s/it, loss=8.536, v_num=1]\n",
        recognises=_recognises,
        read=_read,
    ),
    _read,
)
