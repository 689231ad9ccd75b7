"""Rows of dmon as columns: many lines that hold nothing but whole cells in their places, read at once."""

from __future__ import annotations

from datetime import date
from functools import partial

import numpy as np

from smianalyze.cell_columns import ALONE, NUMBER, TEXT, UNKNOWN, CellBytes, CellMemo, CellShape, Column
from smianalyze.columns import Column as FrameColumn
from smianalyze.formats.cell_times import seconds_of
from smianalyze.formats.monitor_heading import Heading
from smianalyze.formats.row_table import RowTable, plain_lines
from smianalyze.frame_parts import Part
from smianalyze.offsets import Array, Cells
from smianalyze.reader import LineReader
from smianalyze.shapes import Flags, Indexes

MAX_INDENT = 16  # blanks before a row
MAX_WIDTH = 900  # bytes of a line
_BLANK, _LINE_END = ord(" "), ord("\n")
_TIME_CELLS = 2  # date and time of day, where they are printed
_INDEX = "gpu_index"
_DAY = 86_400


class DmonTableReader:
    """Reads the rows below one heading in blocks; knows the shapes of their cells from block to block."""

    def __init__(self, heading: Heading, lines: LineReader, *, is_padded: bool) -> None:
        """Prepare.

        Args:
            heading: Names the columns.
            lines: The line grammar.
            is_padded: Whether the cells stand in columns.
        """
        self.heading = heading
        self._lines = lines
        self._is_padded = is_padded
        self._date = CellMemo(partial(self._shape, "", " 00:00:00 0 -", ("date",)), is_text=True)
        self._clock = CellMemo(partial(self._shape, "00000000 ", " 0 -", ("time_of_day",)))
        self._index = CellMemo(partial(self._shape, "", " -", (_INDEX,)))
        self._whole = CellMemo(partial(self._shape, "0 ", "", ("number", "none")))
        self._any = CellMemo(partial(self._shape, "0 ", "", ("number", "decimal", "none")))

    def _shape(self, before: str, behind: str, kinds: tuple[str, ...], text: str) -> CellShape:
        """What the grammar says of a cell that stands between others."""
        start, end = len(before), len(before) + len(text)
        columns = self._lines.read(f"{before}{text}{behind}\n").columns
        kind = next((name for name, *span in columns if span == [start, end]), "")
        if kind not in kinds:
            return CellShape(ALONE)
        if kind == "none":
            return CellShape(UNKNOWN)
        fraction = len(text.partition(".")[2])
        return CellShape(TEXT if kind == "date" else NUMBER, 0, len(text), fraction)

    def read(self, data: bytes) -> DmonTable:
        """The rows among some whole lines."""
        buffer = np.frombuffer(data, np.uint8)
        line_ends = np.flatnonzero(buffer == _LINE_END)
        starts = np.concatenate(([0], line_ends + 1))
        ink = np.zeros(len(data) + 2, np.bool_)
        ink[1:-1] = (buffer != _BLANK) & (buffer != _LINE_END)
        edges = np.flatnonzero(ink[1:] != ink[:-1])
        begins, ends = edges[::2], edges[1::2]
        first = np.searchsorted(begins, starts)
        counts = np.diff(first)
        count = self.heading.count
        more = _TIME_CELLS if (counts == count + _TIME_CELLS).sum() > (counts == count).sum() else 0
        are_rows = (counts == count + more) & plain_lines(data, starts) & (np.diff(starts) < MAX_WIDTH)
        rows = np.flatnonzero(are_rows)
        block = CellBytes(data)
        memos = [*((self._date, self._clock) if more else ()), self._index, *map(self._memo, self.heading.columns)]
        columns = [
            Column(block, begins[first[rows] + place], ends[first[rows] + place], memo)
            for place, memo in enumerate(memos)
        ]
        table = DmonTable(self.heading, starts, rows, columns)
        dates = np.array(self._date.texts.listed, np.object_)
        return table.keep_plain(is_padded=self._is_padded, dates=dates)

    def _memo(self, column: FrameColumn) -> CellMemo:
        return self._whole if column.dtype == "Int64" else self._any


class DmonTable(RowTable):
    """Some lines below a heading.

    Attributes:
        anchor: Where the number of the GPU ends in each row.
    """

    def __init__(self, heading: Heading, starts: Indexes, lines: Indexes, columns: list[Column]) -> None:
        """Lines that have as many cells as the heading."""
        super().__init__(starts, lines)
        self.anchor = 0
        self._heading = heading
        self._columns = columns[-heading.count :]
        self._time_columns = columns[: -heading.count]
        self._rows = np.arange(len(lines))
        self._values: dict[str, Cells] = {}
        self._at = Cells(np.zeros(len(lines), "M8[us]"), np.zeros(len(lines), np.bool_))

    def keep_plain(self, *, is_padded: bool, dates: Array) -> DmonTable:
        """Leave out the lines that are to be read alone.

        Args:
            is_padded: Whether the cells stand in columns.
            dates: The dates that are printed.
        """
        if not len(self.lines):
            return self
        line_starts = self.starts[self.lines]
        every = [*self._time_columns, *self._columns]
        anchors = self._columns[0].ends - line_starts
        self.anchor = int(anchors[0])
        is_plain = (anchors == self.anchor) & (every[0].starts - line_starts <= MAX_INDENT)
        for column in every:
            if column.may(_is_alone):
                is_plain &= ~column.where(_is_alone)
        if is_padded:
            is_plain &= self._stand_in_place(line_starts)
        if self._time_columns:
            is_plain &= self._read_times(dates)
        self._rows = np.flatnonzero(is_plain)
        self.lines = self.lines[self._rows]
        return self

    def _stand_in_place(self, line_starts: Indexes) -> Flags:
        """Which rows are whole: a value that is too wide pushes the others to the right, but none is cut short."""
        ends = np.array(self._heading.ends)[:, None]
        drifts = np.array([column.ends - line_starts for column in self._columns]) - ends
        drifts -= drifts[0]
        was_kept = (drifts[:-1] >= 0).all(axis=0) & (np.diff(drifts[:-1], axis=0) >= 0).all(axis=0)
        is_short = was_kept & (drifts[-1] < drifts[-2])
        has_number = np.any([column.where(_is_whole) for column in self._columns[1:]], axis=0)
        result: Flags = ~is_short & (has_number | ~drifts.any(axis=0))
        return result

    def _read_times(self, dates: Array) -> Flags:
        """Read date and time of day; which rows have such ones as there are."""
        printed, clock = self._time_columns
        days = np.array([_day(text) for text in dates], "M8[D]")
        seconds, is_clock = seconds_of(clock.block.before(clock.ends, 1)[0])
        values = days[printed.text_numbers()].astype("M8[us]") + seconds * np.timedelta64(1, "s")
        is_time: Flags = is_clock & ~np.isnat(values)
        self._at = Cells(values, is_time)
        return is_time

    def part(self, first: int, end: int) -> Part:
        """Some of the rows as columns; ``at`` is the printed time."""
        rows = self._rows[first:end]
        return Part(len(rows), {name: cells.taken(rows) for name, cells in self._cells().items()})

    def _cells(self) -> dict[str, Cells]:
        if not self._values:
            self._values = {"at": self._at, _INDEX: Cells(self._columns[0].numbers())}
            for column, target in zip(self._columns[1:], self._heading.columns, strict=True):
                known = ~column.where(_is_unknown) if column.may(_is_unknown) else None
                self._values[target.name] = Cells(_typed(column, target), known)
        return self._values


def _day(text: object) -> date | None:
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None


def _typed(column: Column, target: FrameColumn) -> Array:
    if target.dtype == "Float64":
        return column.decimals()
    if target.dtype == "Int64" or not column.may(_has_fraction):
        return column.numbers()
    values: Array = column.numbers().astype(np.object_)
    decimals = column.where(_has_fraction)
    values[decimals] = column.decimals()[decimals]
    return values


def _is_alone(shape: CellShape) -> bool:
    return shape.kind == ALONE


def _is_unknown(shape: CellShape) -> bool:
    return shape.kind == UNKNOWN


def _is_whole(shape: CellShape) -> bool:
    return shape.kind == NUMBER and not shape.fraction


def _has_fraction(shape: CellShape) -> bool:
    return shape.kind == NUMBER and shape.fraction > 0
