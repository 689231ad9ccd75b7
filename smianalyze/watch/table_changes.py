"""The rows of a table on a screen, brought up to date where it changes, without reading the whole table again.

A line that the line grammar reads as before, but for values that concern nothing else, changes these values in the
row that it belongs to. Whatever else changes on the screen makes a full reading necessary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from smianalyze.formats.format import Row
from smianalyze.formats.smi_table import FORMAT, LINES
from smianalyze.formats.values import converted
from smianalyze.gathered import Gathered
from smianalyze.reader import LineShape
from smianalyze.repair import Line
from smianalyze.watch.header import date_time

MAX_VALUES = 20_000  # texts of cells whose value is known
_FRAMES = frozenset(("snapshots", "gpus", "processes", "mig_devices"))
# Values that nothing but their own cell depends on: no other column, and not how lines belong together.
_VALUES = frozenset(
    (
        *("ecc_errors", "fan_speed_pct", "memory_total_mib", "memory_used_mib", "power_draw_w", "power_limit_w"),
        *("pstate", "temperature_gpu_c", "used_gpu_memory_mib", "utilization_gpu_pct"),
    )
)


class _Change(NamedTuple):
    """What a line changes: the shape that it has now, and values of the row that it belongs to, or the time."""

    at: int
    shape: LineShape
    row: Row | None
    values: Row


@dataclass(slots=True)
class ChangingTable:
    """What a screen shows, and the lines that say it.

    Attributes:
        texts: The lines of the screen after repair.
        numbers: Their numbers, by which each row tells its first line.
        rows: Rows of each frame, as the format gave them; their time is that of the reading.
        time: The time that the table prints.
        has_changed: Whether a value has changed since the reading, or since somebody set it to False.
    """

    texts: Sequence[str]
    numbers: Sequence[int]
    rows: dict[str, list[Row]]
    time: datetime | None
    has_changed: bool = False
    _shapes: dict[int, LineShape] = field(default_factory=dict)
    _owners: dict[int, Row | None] = field(default_factory=dict)
    _dates: int | None = None

    @classmethod
    def of(cls, lines: Sequence[Line], found: Gathered) -> ChangingTable | None:
        """The table that was found in these lines; None where a change may have effects elsewhere."""
        heads = found.rows.get("snapshots", ())
        if found.names != [FORMAT.name] or found.problems or found.rows.keys() - _FRAMES or len(heads) != 1:
            return None
        time = heads[0].get("time")
        texts, numbers = [line.text for line in lines], [line.number for line in lines]
        return cls(texts, numbers, found.rows, time if isinstance(time, datetime) else None)

    def follow(self, texts: Sequence[str]) -> bool:
        """Take over what has changed in the lines, which are numbered as before.

        Returns:
            False where they have to be read as a whole; then nothing was taken over.
        """
        if len(texts) != len(self.texts):
            return False
        found = [
            self._change(index, old, new)
            for index, (old, new) in enumerate(zip(self.texts, texts, strict=True))
            if old is not new and old != new
        ]
        changes = [change for change in found if change is not None]
        if len(changes) < len(found):
            return False
        for change in changes:
            self._take(change)
        self.texts = texts
        return True

    def follow_repaired(self, lines: Sequence[Line]) -> bool:
        """The same for lines that tell their numbers."""
        return [line.number for line in lines] == self.numbers and self.follow([line.text for line in lines])

    def _change(self, index: int, old: str, new: str) -> _Change | None:
        """What a line changes; None where that is not known."""
        before, after = self._shapes.get(index) or LINES.read(old), LINES.read(new)
        if not after.kind or (before is not after and not _alike(before, after)):
            return None
        row = self._owners[index] if index in self._owners else self._owner(index, old, before)
        values: Row = {}
        for (_, start, end), (name, first, last) in zip(before.columns, after.columns, strict=True):
            text = new[first:last]
            if text == old[start:end]:
                continue
            if row is not None and name in _VALUES:
                values[name] = _value(name, text)
            elif name == "time" and self._is_from(old[start:end]) and date_time(text):
                values[name] = date_time(text)
            else:
                return None
        return _Change(index, after, row, values)

    def _take(self, change: _Change) -> None:
        self._shapes[change.at] = change.shape
        self.has_changed |= bool(change.values)
        time = change.values.pop("time", None)
        if isinstance(time, datetime):
            self.time = time
        if change.row is not None:
            change.row.update(change.values)

    def _is_from(self, text: str) -> bool:
        """Whether the time of the table is read from this text; it is the only one there."""
        if self._dates is None:
            self._dates = sum(name == "time" for text in self.texts for name, _, _ in LINES.read(text).columns)
        return self._dates == 1 and self.time is not None and self.time == date_time(text)

    def _owner(self, index: int, text: str, shape: LineShape) -> Row | None:
        """The row that the values of a line stand in; None where they do not stand in one row as they are."""
        cells = {name: text[start:end] for name, start, end in shape.columns}
        rows = [row for frame, rows in self.rows.items() if frame != "snapshots" for row in rows]
        above = [row for row in rows if _line(row) <= self.numbers[index]]
        owner = max(above, key=_line, default=Row())
        fits = len(cells) == len(shape.columns) and converted(cells).items() <= owner.items()
        found = self._owners[index] = owner if fits else None
        return found


def _alike(before: LineShape, after: LineShape) -> bool:
    """Whether two lines say the same columns of the same thing."""
    return before.kind == after.kind and before.failed == after.failed and before.names == after.names


def _line(row: Row) -> int:
    return int(str(row["line"]))


@lru_cache(maxsize=MAX_VALUES)
def _value(name: str, text: str) -> object:
    return converted({name: text})[name]
