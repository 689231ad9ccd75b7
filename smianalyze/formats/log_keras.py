"""Bars and lines of Keras: one record for each step that is shown, its last draw.

The epoch stands on a line of its own above. The time without a label behind Keras 3's bar is what is left while
the bar runs, and what was used at its end. Times per step are rounded to whole units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_numbers import number, seconds
from smianalyze.formats.log_said import amount, values
from smianalyze.formats.log_steps import MAX_LINE, Metrics, Records, cut_off, label_of, told_of_end
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_BEGIN = re.compile(
    r"Epoch [0-9]{1,9}/[0-9]{1,9} {0,9}$|(?<![0-9./])[0-9]{1,12}/(?:[0-9]{1,12}|Unknown) {1,9}(?:\[[=>.]|━|- )"
)

_MARKS = ("Epoch ", " [=", " [>", " [.", " ━", " - ")


def _recognises(text: str) -> bool:
    return _begin(text) is not None


def _begin(text: str) -> re.Match[str] | None:
    """Where a draw or heading begins; most lines hold no mark of one, which is found out faster."""
    return _BEGIN.search(text) if any(map(text.__contains__, _MARKS)) else None


LINES = LineReader("log_keras.lark", bool, max_line=MAX_LINE)


@dataclass(slots=True)
class _Draws:
    """The last draw of each step so far."""

    epoch: Row = field(default_factory=dict)
    has_headings: bool = False
    is_evaluation: bool = False
    kept: list[tuple[Line, str, Row]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def head(self, line: Line, epoch: Row) -> None:
        """A new epoch begins."""
        self.epoch = epoch
        self.has_headings = True
        self.is_evaluation = False
        self.used.add(line.number)

    def add(self, line: Line, prefix: str, row: Row) -> None:
        """Take a draw; behind a whole epoch, a bar that starts again without a heading is one of evaluation."""
        last = self.kept[-1][2] if self.kept else {}
        same_epoch = bool(last) and all(last.get(key) == value for key, value in self.epoch.items())
        if same_epoch and self.has_headings and last.get("step") == last.get("total_steps") != row.get("step"):
            self.is_evaluation = True
        if self.is_evaluation:
            return
        self.used.add(line.number)
        is_redrawn = same_epoch and last.get("step") == row["step"]
        if is_redrawn and (self.has_headings or row["step"] != row.get("total_steps")):
            self.kept.pop()
        self.kept.append((line, prefix, {"format": "keras", **self.epoch, **row}))


def _read(lines: Sequence[Line], *, open_end: bool = False) -> Reading:
    draws = _Draws()
    for line in lines:
        begin = _begin(line.text)
        if begin is None:
            continue
        text = line.text[begin.start() :]
        shape = LINES.read(text)
        may_break_off = open_end and line is lines[-1]
        columns = cut_off(shape.columns, text) if may_break_off else shape.columns
        cells = [(name, text[start:end]) for name, start, end in columns]
        if shape.kind == "heading":
            draws.head(line, {name: number(cell) for name, cell in cells})
        elif shape.kind and (row := _row(cells)):
            draws.add(line, line.text[: begin.start()], row)
    records = Records()
    for line, prefix, row in draws.kept:
        label = label_of(prefix)
        if label is not None:
            records.add(line, f"{line.number} {row.get('step')}", values(label), row)
    records.reading.used |= draws.used if draws.kept else set()
    return records.reading


def _row(cells: Sequence[tuple[str, str]]) -> Row:
    metrics = Metrics()
    row: Row = {}
    key = ""
    is_new = any(name == "new_bar" for name, _ in cells)
    for name, text in cells:
        if name in {"step", "total_steps"}:
            row[name] = number(text)
        elif name == "key":
            key = text
        elif name == "value":
            metrics.add(key, amount(text)[0])
        elif name == "eta" or (name == "span" and is_new and row.get("step") != row.get("total_steps")):
            row["eta_s"] = seconds(text)
        elif name == "span":
            row["elapsed_s"] = seconds(text)
        elif name == "per_step" and not text.endswith("/epoch"):
            metrics.add("step_time", *amount(text))
    return row | values(metrics.finished()) if metrics.names.keys() - {"step_time"} else {}


FORMAT = told_of_end(
    Format(
        name="log_keras",
        reach=1,
        title="training log: bars of Keras",
        command="python train.py",
        sample="""\
Epoch 1/120
1000/1000 [==============================] - 1622s 2s/step - loss: 3.6130 - val_loss: 3.0171
""",
        recognises=_recognises,
        read=_read,
    ),
    _read,
)
