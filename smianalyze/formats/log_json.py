"""Records in a JSON document over many lines, one member a line: ``trainer_state.json`` of transformers' Trainer.

Each innermost object with a loss and a counter is a record, as a dict on one line is.
"""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats.format import Format, Reading
from smianalyze.formats.log_dicts import training_columns
from smianalyze.formats.log_numbers import Number, number
from smianalyze.formats.log_said import values
from smianalyze.reader import LineReader
from smianalyze.repair import Line

MAX_DEPTH = 64  # objects in objects; a state of the Trainer has five
_TOTALS = frozenset({'"max_steps"'})
_STARTS = ("{", "}", "[", "]", '"')

Cells = list[tuple[str, str]]


def _recognises(text: str) -> bool:
    return "loss" in text and text.lstrip().startswith('"') and '":' in text and "{" not in text


LINES = LineReader("log_json.lark", lambda line: line.lstrip().startswith(_STARTS))


class _Document:
    """Reads the objects of one document after the other; an object counts where it stands in a list."""

    def __init__(self) -> None:
        self.reading = Reading()
        self._open: list[tuple[int, bool, Cells]] = []
        self._total: Number | None = None
        self._first = 0
        self._lines: set[int] = set()

    def take(self, line: Line) -> None:
        """Read one line; one that is no JSON ends the document."""
        shape = LINES.read(line.text)
        cells = [(name, line.text[start:end]) for name, start, end in shape.columns]
        if shape.kind == "opening" and len(self._open) < MAX_DEPTH:
            self._lines.add(line.number)
            self._open.append((line.number, cells == [("object", "{")], []))
        elif shape.kind == "member" and self._open:
            self._lines.add(line.number)
            self._open[-1][2].extend(cells)
            if cells[0][1] in _TOTALS and len(cells) > 1:
                self._total = number(cells[1][1])
        elif shape.kind == "closing" and self._open:
            self._lines.add(line.number)
            self._close()
        elif line.text.strip():
            self.finish()

    def _close(self) -> None:
        start, is_record, cells = self._open.pop()
        row = training_columns(cells)[0] if is_record and self._open and cells else {}
        if row:
            self.reading.add("steps", {"line": start, **values(row)})
        if not self._open:
            self.finish()

    def finish(self) -> None:
        """End the document; its lines count as read if it held a record."""
        steps = self.reading.rows.get("steps", [])
        for row in steps[self._first :]:
            if self._total is not None and self._total > 0 and "step" in row:
                row.setdefault("total_steps", self._total)
        if len(steps) > self._first:
            self.reading.used |= self._lines
        self._open, self._lines, self._total, self._first = [], set(), None, len(steps)


def _read(lines: Sequence[Line]) -> Reading:
    document = _Document()
    for line in lines:
        document.take(line)
    document.finish()
    return document.reading


FORMAT = Format(
    name="log_json",
    title="training log: records in a JSON document",
    command="trainer_state.json",
    sample="""\
[
  {
    "loss": 2.3127,
    "learning_rate": 4.5e-05,
    "epoch": 0.4,
    "step": 10
  }
]
""",
    recognises=_recognises,
    read=_read,
)
