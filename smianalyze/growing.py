"""Rows that come block by block, as columns that grow: nothing is joined at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from smianalyze.frame_parts import Part, flags, numbered
from smianalyze.offsets import Array, Cells, Texts
from smianalyze.shapes import Flags, Indexes

_NUMBERS = "if"


@dataclass(slots=True)
class _Column:
    """A column with room for more rows; texts are numbers of ``texts``."""

    values: Array
    known: Flags
    texts: Texts | None = None


@dataclass(slots=True)
class Growing:
    """Columns that grow. What is not known of a row is not touched, and takes no memory.

    Attributes:
        count: How many rows there are.
    """

    count: int = 0
    _room: int = 0
    _columns: dict[str, _Column] = field(default_factory=dict)

    def add(self, parts: Sequence[tuple[Part, Indexes]], *, room: int = 0) -> None:
        """Append rows.

        Args:
            parts: Rows, each part with the places of its rows among all that are appended.
            room: So many rows there may be in the end.
        """
        end = self.count + sum(part.count for part, _ in parts)
        if end > self._room:
            self._make_room(max(end, room, 2 * self._room))
        first, self.count = self.count, end
        for part, places in parts:
            for name, cells in part.columns.items():
                self.put(name, first + places, cells)

    def put(self, name: str, rows: Indexes, cells: Cells) -> None:
        """Say what a column is in some rows."""
        cells = _plain(cells)
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = _empty(cells, self._room)
        elif (column.texts is None) != (cells.texts is None):
            self._columns[name] = column = _as_objects(column)
            cells = Cells(cells.objects(), cells.known)
        dtype = _common(column.values.dtype, cells.values.dtype)
        if column.values.dtype != dtype:
            column.values = column.values.astype(dtype)
        column.values[rows] = cells.values if column.texts is None else _numbers_in(column.texts, cells)
        column.known[rows] = True if cells.known is None else cells.known

    def cells(self, name: str) -> Cells:
        """A column of all rows; nothing is known of one that is missing."""
        column = self._columns.get(name)
        if column is None:
            return Cells(np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_))
        known = column.known[: self.count]
        texts = None if column.texts is None else column.texts.listed
        return Cells(column.values[: self.count], None if known.all() else known, texts)

    def pop(self, name: str) -> Cells:
        """A column that is not needed here any more."""
        cells = self.cells(name)
        self._columns.pop(name, None)
        return cells

    def _make_room(self, room: int) -> None:
        self._room = room
        for name, column in self._columns.items():
            values, known = np.zeros(room, column.values.dtype), np.zeros(room, np.bool_)
            values[: len(column.values)] = column.values
            known[: len(column.known)] = column.known
            self._columns[name] = replace(column, values=values, known=known)


def _plain(cells: Cells) -> Cells:
    """Objects that are all texts as numbered texts, those that are all numbers as numbers."""
    if cells.texts is not None or cells.values.dtype.kind != "O":
        return cells
    known = flags(cells, len(cells.values))
    kinds = {type(value) for value in cells.values[known].tolist()}
    if kinds == {str}:
        return numbered(cells)
    if not kinds or not kinds <= {int, float}:
        return cells
    numbers = np.array(cells.values[known].tolist())
    if numbers.dtype.kind not in _NUMBERS:
        return cells  # too large for any
    values = np.zeros(len(known), numbers.dtype)
    values[known] = numbers
    return Cells(values, cells.known)


def _empty(cells: Cells, room: int) -> _Column:
    dtype = np.dtype(np.int32) if cells.texts is not None else cells.values.dtype
    return _Column(np.zeros(room, dtype), np.zeros(room, np.bool_), None if cells.texts is None else Texts())


def _common(one: np.dtype[np.generic], other: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """What holds values of both."""
    if one.kind in _NUMBERS and other.kind in _NUMBERS:
        return np.result_type(one, other)
    return one if one == other else np.dtype(np.object_)


def _as_objects(column: _Column) -> _Column:
    texts = None if column.texts is None else column.texts.listed
    return _Column(Cells(column.values, column.known, texts).objects().astype(np.object_), column.known)


def _numbers_in(texts: Texts, cells: Cells) -> npt.NDArray[np.int32]:
    """The numbers that some texts have in a list."""
    numbers = np.append(texts.numbers(cells.texts or ()), np.int32(0))  # -1 is a text that is not known
    found: npt.NDArray[np.int32] = numbers[cells.values]
    return found
