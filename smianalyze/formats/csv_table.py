"""Rows of one header as columns: many lines that hold nothing but plain cells, read at once."""

from __future__ import annotations

import numpy as np

from smianalyze.cell_columns import ALONE, NUMBER, TEXT, UNKNOWN, CellBytes, CellMemo, CellShape, Column
from smianalyze.columns import TIME
from smianalyze.fields import SHORT_NAMES
from smianalyze.formats.cell_times import times_of
from smianalyze.formats.csv_cells import Target
from smianalyze.formats.csv_header import Header
from smianalyze.formats.csv_shapes import shape_of
from smianalyze.formats.row_table import Foreign, RowTable, plain_lines
from smianalyze.frame_parts import Part, flags
from smianalyze.offsets import Array, Cells
from smianalyze.shapes import Flags, Indexes

MAX_COLUMNS = 1_024  # whose cells are remembered
_LINE_END = ord("\n")


class Memos:
    """What is known of the cells of columns, whatever the order in which headers name these."""

    def __init__(self, is_foreign: Foreign) -> None:
        """Nothing yet.

        Args:
            is_foreign: Whether a text may mean something to another format: its line is then read alone.
        """
        self._is_foreign = is_foreign
        self._known: dict[tuple[Target, str, bool, bool], CellMemo] = {}

    def of(self, target: Target, separator: str, *, is_first: bool, is_last: bool) -> CellMemo:
        """What is known of a column that stands at the beginning, at the end or within the rows."""
        key = (target, separator, is_first, is_last)
        if key not in self._known:
            if len(self._known) >= MAX_COLUMNS:
                self._known.clear()

            def describe(text: str) -> CellShape:
                shape = shape_of(text, target, separator, is_first=is_first, is_last=is_last)
                return CellShape(ALONE) if self._is_foreign(text) else shape

            self._known[key] = CellMemo(describe, is_text=target.dtype == "string")
        return self._known[key]


class TableReader:
    """Reads the rows of one header in blocks; knows the shapes of their cells from block to block."""

    def __init__(self, header: Header, memos: Memos) -> None:
        """Prepare.

        Args:
            header: Names the columns.
            memos: What is known of the cells of each column.
        """
        self.header = header
        last = len(header.targets) - 1
        self._memos = [
            memos.of(target, header.separator, is_first=place == 0, is_last=place == last)
            for place, target in enumerate(header.targets)
        ]

    def read(self, data: bytes, units: frozenset[int]) -> Table:
        """The rows among some lines.

        Args:
            data: Whole lines.
            units: Positions at which rows before had a unit.
        """
        count = len(self.header.targets)
        buffer = np.frombuffer(data, np.uint8)
        is_mark = buffer == ord(self.header.separator[0])
        is_mark |= buffer == _LINE_END
        marks = np.flatnonzero(is_mark)
        last = np.flatnonzero(buffer[marks] == _LINE_END)
        starts = np.concatenate(([0], marks[last] + 1))
        counts = np.diff(last, prepend=-1)
        fits = (counts == count) & plain_lines(data, starts)
        rows = np.flatnonzero(fits)
        of_rows = marks if len(rows) == len(last) else marks[np.repeat(fits, counts)]
        ends = np.ascontiguousarray(of_rows.reshape(-1, count).T)
        begins = [starts[rows], *(ends[:-1] + 1)]
        block = CellBytes(data)
        columns = [
            Column(block, begin, end, memo) for begin, end, memo in zip(begins, ends, self._memos, strict=True)
        ]
        return Table(self.header, starts, rows, columns).keep_plain(units)


class Table(RowTable):
    """Some lines under a header.

    Attributes:
        lacks_units: Whether some cell is without the unit that it should have.
    """

    def __init__(self, header: Header, starts: Indexes, lines: Indexes, columns: list[Column]) -> None:
        """Lines whose cells are known; all are rows of plain cells."""
        super().__init__(starts, lines)
        self._header = header
        self._columns = columns
        self._rows = np.arange(len(lines))
        self._values: dict[int, Cells] = {}
        self._unit_places = {place for place, column in enumerate(columns) if column.may(_has_unit)}
        self.lacks_units = any(column.may(_lacks_unit) for column in columns)  # asked again at each other line

    def keep_plain(self, units: frozenset[int]) -> Table:
        """Read the cells, and leave out the lines that are to be read alone."""
        targets = self._header.targets
        is_plain, is_told = np.ones(len(self.lines), np.bool_), np.zeros(len(self.lines), np.bool_)
        for place, (column, target) in enumerate(zip(self._columns, targets, strict=True)):
            if column.may(_is_alone):
                is_plain &= ~column.where(_is_alone)
            if column.may(_lacks_unit) and (self._unit_places or place in units):
                is_plain &= ~column.where(_lacks_unit)
            if all(map(_tells, column.shapes)):
                is_told[:] = True
            elif not is_told.all():
                is_told |= column.where(_tells)
            values, exist = _values_of(column, target)
            self._values[place] = values
            if exist is not None:
                is_plain &= exist
        self._rows = np.flatnonzero(is_plain & is_told)
        self.lines = self.lines[self._rows]
        return self

    def units(self, first: int, end: int, known: frozenset[int]) -> frozenset[int]:
        """Positions at which some of the rows has its unit.

        Args:
            first: Place of the first row.
            end: Place behind the last one.
            known: Positions that need not be looked at.
        """
        return known | {
            place
            for place, column in enumerate(self._columns)
            if place not in known
            and column.may(_has_unit)
            and column.where(_has_unit)[self._rows[first:end]].any()
        }

    def is_certain(self, first: int, end: int) -> bool:
        """Whether some of the rows can hardly be anything but ours."""
        rows = self._rows[first:end]
        return any(
            column.may(_is_certain) and bool(column.where(_is_certain)[rows].any()) for column in self._columns
        )

    def part(self, first: int, end: int) -> Part:
        """Some of the rows as columns."""
        rows = self._rows[first:end]
        columns: dict[str, Cells] = {}
        for place, target in enumerate(self._header.targets):
            cells = _taken(self._values[place], rows)
            columns[target.name] = _first_known(columns.get(target.name), cells, len(rows))
        columns |= {short: _copied(columns[name]) for name, short in SHORT_NAMES.items() if name in columns}
        return Part(len(rows), columns)


def _values_of(column: Column, target: Target) -> tuple[Cells, Flags | None]:
    """The values of a column, and which cells are what they look like; None if all are."""
    are_unknown = column.may(_is_unknown)
    known = ~column.where(_is_unknown) if are_unknown else None
    if target.dtype == TIME.dtype:
        times = times_of(column)
        return Cells(times.values, known), times.exist if known is None else times.exist | ~known
    return _typed(column, target)._replace(known=known), None


def _typed(column: Column, target: Target) -> Cells:
    if target.dtype == "string":
        return Cells(column.text_numbers(), texts=column.memo.texts.listed)
    if target.dtype == "Int64":
        return Cells(column.numbers())
    if target.dtype == "Float64":
        return Cells(column.decimals())
    return Cells(_as_they_look(column))


def _as_they_look(column: Column) -> Array:
    """Whole numbers, decimals or texts, each value for itself."""
    if not column.may(_is_text) and not column.may(_has_fraction):
        return column.numbers()
    values = np.full(len(column.ends), None, np.object_)
    numbers, texts = column.where(_is_whole), column.where(_is_text)
    values[numbers] = column.numbers()[numbers]
    decimals = column.where(_has_fraction)
    values[decimals] = column.decimals()[decimals]
    if texts.any():
        read = Column(column.block, column.starts[texts], column.ends[texts], column.memo.of_texts)
        values[texts] = np.array(read.memo.texts.listed, np.object_)[read.text_numbers()]
    return values


def _taken(cells: Cells, rows: Indexes) -> Cells:
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        part = slice(int(rows[0]), int(rows[-1]) + 1)  # nothing is copied
        return cells._replace(values=cells.values[part], known=None if cells.known is None else cells.known[part])
    return cells.taken(rows)


def _copied(cells: Cells) -> Cells:
    """The same cells in memory of their own: who writes to one column of a frame means no other."""
    return cells._replace(values=cells.values.copy())


def _first_known(before: Cells | None, cells: Cells, count: int) -> Cells:
    """The values of a column that a header names twice."""
    if before is None:
        return cells
    known = flags(before, count)
    return Cells(np.where(known, before.objects(), cells.objects()), known | flags(cells, count))


def _is_alone(shape: CellShape) -> bool:
    return shape.kind == ALONE


def _is_unknown(shape: CellShape) -> bool:
    return shape.kind == UNKNOWN


def _is_text(shape: CellShape) -> bool:
    return shape.kind == TEXT


def _is_whole(shape: CellShape) -> bool:
    return shape.kind == NUMBER and not shape.fraction


def _has_fraction(shape: CellShape) -> bool:
    return shape.kind == NUMBER and shape.fraction > 0


def _has_unit(shape: CellShape) -> bool:
    return shape.has_unit


def _lacks_unit(shape: CellShape) -> bool:
    return shape.lacks_unit


def _tells(shape: CellShape) -> bool:
    return shape.is_telling or shape.is_certain


def _is_certain(shape: CellShape) -> bool:
    return shape.is_certain
