"""Rows of dmon and pmon as columns: many lines that hold nothing but whole cells, read at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache, partial

import numpy as np

from smianalyze.cell_columns import ALONE, NUMBER, TEXT, UNKNOWN, CellBytes, CellMemo, CellShape, Column
from smianalyze.columns import Column as FrameColumn
from smianalyze.formats.cell_times import seconds_of
from smianalyze.formats.monitor_heading import Heading
from smianalyze.formats.monitor_lines import printed_line
from smianalyze.formats.row_table import Foreign, RowTable, plain_lines
from smianalyze.formats.ticks import NO_DATE, NO_TIME
from smianalyze.frame_parts import Part, repeated
from smianalyze.offsets import Array, Cells
from smianalyze.reader import LineReader
from smianalyze.repair import is_repaired_alone
from smianalyze.shapes import Flags, Indexes

MAX_INDENT = 16  # blanks before a row
MAX_WIDTH = 900  # bytes of a line
_BLANK, _LINE_END, _COMMA = ord(" "), ord("\n"), ord(",")
_INDEX, _PID, _TYPE, _NAME = "gpu_index", "pid", "type", "process_name"
_DATED, _CLOCK = "date before a time of day", "time of day behind a date"
_OF_NUMBERS = (_INDEX, "number", "decimal", "time_of_day")
_BEFORE_NAME = "    0          0     C "
# nothing that repair undoes, or other formats look for
_PLAIN_NAME = re.compile(r"(?!.*(?:---|===))[ !$-%'-;=?-\[\]-{}~]+")


class MonitorTableReader:
    """Reads the rows below one heading in blocks; knows the shapes of their cells from block to block."""

    def __init__(self, heading: Heading, lines: LineReader, is_foreign: Foreign, *, is_padded: bool) -> None:
        """Prepare.

        Args:
            heading: Names the columns.
            lines: The line grammar.
            is_foreign: Whether a text may mean something to another format: its line is then read alone.
            is_padded: Whether the cells stand in columns.
        """
        self.heading = heading
        self._lines = lines
        self._is_foreign = is_foreign
        self._is_padded = is_padded
        self._times = {
            _DATED: CellMemo(partial(self._shape, "", " 00:00:00 0 -", ("date",)), is_text=True),
            _CLOCK: CellMemo(partial(self._shape, "00000000 ", " 0 -", ("time_of_day",))),
            "date": CellMemo(partial(self._shape, "", " 0 -", ("date",)), is_text=True),
            "time_of_day": CellMemo(partial(self._shape, "", " 0 -", ("time_of_day",)), is_text=True),
        }
        self._index = CellMemo(partial(self._shape, "", " -", (_INDEX,)))
        self._whole = CellMemo(partial(self._shape, "0 ", "", ("number", "none")))
        self._any = CellMemo(partial(self._shape, "0 ", "", ("number", "decimal", "none")))
        self._type = CellMemo(partial(self._shape, "0 0 ", " 0", ("type", "none")), is_text=True)
        self._name = CellMemo(self._name_shape, is_text=True)

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
        return CellShape(NUMBER if kind in _OF_NUMBERS else TEXT, 0, len(text), fraction)

    def _name_shape(self, text: str) -> CellShape:
        """What the rest of a line is, which may hold blanks."""
        line = f"{_BEFORE_NAME}{text}"
        starts = [start for _, start, _ in self._lines.read(f"{line}\n").columns]
        is_plain = _PLAIN_NAME.fullmatch(text) and starts[3:4] == [len(_BEFORE_NAME)] and is_repaired_alone(line)
        if not is_plain or self._is_foreign(text) or self._is_foreign(line):
            return CellShape(ALONE)
        return CellShape(UNKNOWN) if text == "-" else CellShape(TEXT, 0, len(text))

    def read(self, data: bytes) -> MonitorTable:
        """The rows among some whole lines."""
        buffer = np.frombuffer(data, np.uint8)
        starts = np.concatenate(([0], np.flatnonzero(buffer == _LINE_END) + 1))
        ink = np.zeros(len(data) + 2, np.bool_)
        ink[1:-1] = (buffer != _BLANK) & (buffer != _LINE_END)
        if self.heading.is_csv:
            ink[1:-1] &= buffer != _COMMA
        edges = np.flatnonzero(ink[1:] != ink[:-1])
        first = np.searchsorted(edges[::2], starts)
        counts = np.diff(first)
        times = self._times_in(data)
        count = self.heading.count + len(times)
        has_name = self.heading.columns[-1].name == _NAME
        fits = (counts >= count) if has_name else (counts == count)
        rows = np.flatnonzero(fits & plain_lines(data, starts) & (np.diff(starts) < MAX_WIDTH))
        begins = [edges[::2][first[rows] + place] for place in range(count)]
        ends = [edges[1::2][first[rows] + place] for place in range(count)]
        if has_name:
            ends[-1] = edges[1::2][first[rows + 1] - 1]  # it may hold blanks
        if self.heading.is_csv:
            are_apart = _are_apart(buffer == _COMMA, begins, ends, starts[rows + 1])
            rows, begins, ends = rows[are_apart], [x[are_apart] for x in begins], [x[are_apart] for x in ends]
        block = CellBytes(data)
        memos = [*times, self._index, *map(self._memo, self.heading.columns)]
        columns = [Column(block, *cells) for cells in zip(begins, ends, memos, strict=True)]
        return MonitorTable(self.heading, starts, rows, columns).keep_plain(is_padded=self._is_padded)

    def _times_in(self, data: bytes) -> list[CellMemo]:
        """What reads the date and the time of day of each row, as far as they are printed."""
        texts = data[:MAX_WIDTH].decode("utf-8", "replace").split("\n")[:-1]
        lines = (printed_line(0, text, self._lines) for text in texts if text.strip())
        row = next((line for line in lines if line.kind == "row"), None)
        if row is None or not (row.date or row.time_of_day):
            return []
        if row.date and row.time_of_day:
            return [self._times[_DATED], self._times[_CLOCK]]
        return [self._times["date" if row.date else "time_of_day"]]

    def _memo(self, column: FrameColumn) -> CellMemo:
        if column.name in (_TYPE, _NAME):
            return self._type if column.name == _TYPE else self._name
        return self._whole if column.dtype == "Int64" else self._any


def _are_apart(commas: Flags, begins: Sequence[Indexes], ends: Sequence[Indexes], line_ends: Indexes) -> Flags:
    """In which rows one comma stands between two cells; behind the last one may stand one more."""
    before = np.concatenate(([0], np.cumsum(commas, dtype=np.int32)))
    between = [before[right] - before[left] == 1 for left, right in zip(ends, begins[1:], strict=False)]
    result: Flags = np.all([*between, before[line_ends] - before[ends[-1]] <= 1], axis=0)
    return result


class MonitorTable(RowTable):
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
        self._when: dict[str, Cells] = {}

    def keep_plain(self, *, is_padded: bool) -> MonitorTable:
        """Leave out the lines that are to be read alone.

        Args:
            is_padded: Whether the cells stand in columns.
        """
        line_starts = self.starts[self.lines]
        every = [*self._time_columns, *self._columns]
        is_plain = every[0].starts - line_starts <= MAX_INDENT
        for column in every:
            if column.may(_is_alone):
                is_plain &= ~column.where(_is_alone)
        anchors = self._columns[0].ends - line_starts
        self.anchor = int(anchors[is_plain.argmax()]) if is_plain.any() else 0
        is_plain &= anchors == self.anchor
        if is_padded:
            is_plain &= self._stand_in_place(line_starts)
        if self._heading.columns[0].name == _PID:
            is_plain &= self._name_processes()
        is_plain &= self._read_times()
        self._rows = np.flatnonzero(is_plain)
        self.lines = self.lines[self._rows]
        return self

    def _name_processes(self) -> Flags:
        """Which rows are about a process, or about a GPU that has none."""
        unknown = np.array([column.where(_is_unknown) for column in self._columns[1:]])
        result: Flags = ~unknown[0] | unknown.all(axis=0)
        return result

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

    def _read_times(self) -> Flags:
        """Read date and time of day; which rows have such ones as there are."""
        count = len(self.lines)
        self._when = {"at": Cells(np.zeros(count, "M8[us]"), np.zeros(count, np.bool_))}
        self._when |= {"time": self._when["at"], "printed_time": repeated(None, count)}
        if not self._time_columns:
            return np.ones(count, np.bool_)
        printed = self._time_columns[0]
        texts, numbers = printed.memo.texts.listed, printed.text_numbers()
        values = np.array([_moment(text) for text in texts], "M8[us]")[numbers]
        is_time: Flags = ~np.isnat(values)
        if len(self._time_columns) > 1:
            clock = self._time_columns[1]
            seconds, is_clock = seconds_of(clock.block.before(clock.ends, 1)[0])
            values += seconds * np.timedelta64(1, "s")
            is_time &= is_clock
            self._when["time"] = Cells(values, is_time)
        else:
            self._when["printed_time"] = Cells(numbers, texts=texts)
        self._when["at"] = Cells(values, is_time)
        return is_time

    def part(self, first: int, end: int) -> Part:
        """Some of the rows as columns; ``at`` is what is printed of the time, ``time`` a whole one."""
        rows = self._rows[first:end]
        return Part(len(rows), {name: cells.taken(rows) for name, cells in self._cells().items()})

    def _cells(self) -> dict[str, Cells]:
        if not self._values:
            self._values = {**self._when, _INDEX: Cells(self._columns[0].numbers())}
            for column, target in zip(self._columns[1:], self._heading.columns, strict=True):
                known = ~column.where(_is_unknown) if column.may(_is_unknown) else None
                self._values[target.name] = _typed(column, target)._replace(known=known)
        return self._values


@lru_cache(4096)
def _moment(text: str) -> datetime | None:
    """What a date or a time of day says, for comparing; None where there is no such one."""
    try:
        return datetime.fromisoformat(f"{NO_DATE}T{text}" if ":" in text else f"{text}T{NO_TIME}")
    except ValueError:
        return None


def _typed(column: Column, target: FrameColumn) -> Cells:
    if target.dtype == "string":
        return Cells(column.text_numbers(), texts=column.memo.texts.listed)
    if target.dtype == "Float64":
        return Cells(column.decimals())
    if target.dtype == "Int64" or not column.may(_has_fraction):
        return Cells(column.numbers())
    values: Array = column.numbers().astype(np.object_)
    decimals = column.where(_has_fraction)
    values[decimals] = column.decimals()[decimals]
    return Cells(values)


def _is_alone(shape: CellShape) -> bool:
    return shape.kind == ALONE


def _is_unknown(shape: CellShape) -> bool:
    return shape.kind == UNKNOWN


def _is_whole(shape: CellShape) -> bool:
    return shape.kind == NUMBER and not shape.fraction


def _has_fraction(shape: CellShape) -> bool:
    return shape.kind == NUMBER and shape.fraction > 0
