"""Rows of a CSV that were read many at once, among those that were read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.csv_header import Header
from smianalyze.formats.csv_reader import FOLLOWING, Block, CsvReader, Run
from smianalyze.formats.csv_rows import CsvRow
from smianalyze.formats.csv_table import Memos, Table, TableReader
from smianalyze.formats.csv_ticks import name_gpus, ticks
from smianalyze.formats.mixed_blocks import Ahead
from smianalyze.formats.row_table import Foreign, RowTable
from smianalyze.frame_parts import Part, flags, joined, narrowed, repeated
from smianalyze.offsets import Array, Cells
from smianalyze.repair import Line
from smianalyze.shapes import Indexes

ENOUGH_ROWS = 60_000  # below one header: snapshots are made of them before more are read
_LOST = "lost"  # a column of its own, until the events are made of it
_DTYPES = {"Int64": np.dtype("i8"), "Float64": np.dtype("f8"), "datetime64[us]": np.dtype("M8[us]")}
_OF_SNAPSHOTS = ("time", "host", "driver_version")


class RunReader(CsvReader):
    """Reads lines one by one, and takes rows that were read at once in between.

    Attributes:
        taken: How many rows of the table were taken.
    """

    def __init__(self, columns: Header | None, blocks: BlockReading) -> None:
        """Begin.

        Args:
            columns: What the user says of rows that no header names.
            blocks: Where the columns go; all that does not become columns stays in ``reading``.
        """
        super().__init__(columns, 0)
        self._blocks = blocks
        self._table: Table | None = None
        self._given = self.taken = 0
        self._begins: list[int] = []
        self._first_line = 0
        self._memos: Memos | None = None
        self._units: frozenset[int] = frozenset()
        self._held, self._enough = 0, ENOUGH_ROWS

    @property
    def run(self) -> Block | None:
        """The rows under one header."""
        return self.block

    def take_again(self, number: int, text: str, below: str) -> bool:
        """Take a line if it is the header of the block again, below some rows."""
        return self.block is not None and self.block.has_rows and self.is_title(number, text)

    def take(self, line: Line, ahead: Ahead) -> bool:
        """Read the next line; whether it is a row, or a header that may have some."""
        self.read(line, lambda: next(filter(str.strip, (one.text for one in islice(ahead(), FOLLOWING))), ""))
        if self.block is not None and self.block.rows:
            self.give_rows()
        is_header = self.block is not None and self.block.header_lines[-1:] == [line.number]
        return is_header or line.number in self.reading.used

    @property
    def still_fits(self) -> bool:
        """Whether no row has shown since that numbers have units where those of the table have none."""
        block, table = self.block, self._table
        return block is None or table is None or not table.lacks_units or block.units <= self._units

    def table(self, lines: bytes, lines_before: int, is_foreign: Foreign) -> RowTable:
        """The rows of the block among some lines."""
        self.give_rows()
        self._given = self.taken = 0
        self._begins = []
        self._table, self._first_line = None, lines_before + 1
        if self.block is None:
            return RowTable(np.zeros(1, np.int64), np.zeros(0, np.int64))
        header, self._units = self.block.header, self.block.units
        self._memos = self._memos or Memos(is_foreign)
        self._table = TableReader(header, self._memos).read(lines, self._units)
        return self._table

    def take_rows(self, end: int) -> None:
        """Take the next rows of the table, up to a place among them."""
        block, table = self.block, self._table
        if block is None or table is None or end == self.taken:
            return
        if block.rows:
            self._hold(block, _run_of(block))
        if block.begins_print:
            self._begins.append(self.taken)
        units = table.units(self.taken, end, block.units)
        block.went_on(units, is_certain=block.is_certain or table.is_certain(self.taken, end))
        self.taken = end
        if not block.has_rows:
            self.give_rows()  # whether it has some is asked before it is closed

    def give_rows(self) -> None:
        """Put the rows that were taken behind those that were read before them."""
        block, table = self.block, self._table
        if block is None or table is None or self.taken == self._given:
            return
        part = table.part(self._given, self.taken)
        part.columns["line"] = Cells(table.lines[self._given : self.taken] + self._first_line)
        begins = np.zeros(part.count, np.bool_)
        begins[[place - self._given for place in self._begins]] = True
        self._hold(block, Run(narrowed(part), begins))
        self._given, self._begins = self.taken, []
        if self._held >= self._enough and not block.rows:
            self._give_ticks(block, is_last=False)
            self._enough = max(ENOUGH_ROWS, 2 * self._held)

    def _hold(self, block: Block, run: Run) -> None:
        block.runs.append(run)
        self._held += run.part.count

    def close(self) -> None:
        """Turn the rows of the block into snapshots."""
        self.give_rows()
        super().close()
        self._table = None  # which holds its lines
        self._held, self._enough = 0, ENOUGH_ROWS

    def add_snapshots(self, block: Block) -> None:
        """Add the rows of a block as columns, if some of them are."""
        if not block.runs:
            super().add_snapshots(block)
            return
        if block.rows:
            self._hold(block, _run_of(block))
        self._give_ticks(block, is_last=True)

    def _give_ticks(self, block: Block, *, is_last: bool) -> None:
        """Make the rows of the block snapshots; the last tick may go on, so it stays unless no more rows come."""
        begins = np.concatenate([run.begins for run in block.runs])
        part = joined([run.part for run in block.runs])
        block.runs.clear()
        if not is_last and not name_gpus(part, block.header):
            block.runs.append(Run(part, begins))  # what follows may tell what these are
            return
        found = ticks(part, block.header, begins, is_whole=not block.has_gaps)
        block.note = found.note or block.note
        starts = found.starts if is_last else found.starts[:-1]
        end = part.count if is_last else int(found.starts[-1])
        self._held = part.count - end
        if is_last:
            self._note(block.note)
        else:
            block.runs.append(Run(part.between(end, part.count), begins[end:]))
            part = part.between(0, end)
        if found.cards:
            part.columns["gpu_index"] = Cells(np.arange(part.count) % found.cards)
        if part.count:
            self._add_lost(part)
            self._add_part(part, starts, block.header)

    def _add_part(self, part: Part, starts: Indexes, header: Header) -> None:
        blocks = self._blocks
        heads = Part(len(starts))
        for name in (*_OF_SNAPSHOTS, "line"):
            if name in part.columns:
                heads.columns[name] = part.columns[name].taken(starts)
        heads.columns["process_section"] = repeated(header.section, len(starts))
        heads.columns["snapshot"] = Cells(np.arange(len(starts)) + blocks.snapshots)
        lengths = np.diff(np.append(starts, part.count))
        part.columns["snapshot"] = Cells(np.repeat(np.arange(len(starts)), lengths) + blocks.snapshots)
        blocks.snapshots += len(starts)
        for frame, one in (("snapshots", heads), (header.frame, part)):
            blocks.add(frame, one)

    def _add_lost(self, part: Part) -> None:
        cells = part.columns.pop(_LOST, None)
        if cells is None:
            return
        for place in np.flatnonzero(flags(cells, part.count)).tolist():
            values = next(part.rows(place, place + 1))
            word = str(cells.values[place])
            self.add_lost(CsvRow(int(str(values["line"])), values, begins_print=False, lost=word))


def _run_of(block: Block) -> Run:
    """The rows that were read one by one as columns; they are taken from the block."""
    rows, block.rows = block.rows, []
    dtypes = {target.name: target.dtype for target in block.header.targets} | {"line": "Int64"}
    given = [{**row.values, "line": row.line, _LOST: row.lost or None} for row in rows]
    columns = {
        name: _cells([row[name] for row in given], np.dtype(_DTYPES.get(dtypes.get(name, ""), "O")))
        for name in given[0]
        if name != _LOST or any(row.lost for row in rows)
    }
    return Run(Part(len(rows), columns), np.array([row.begins_print for row in rows]))


def _cells(values: Sequence[object], dtype: np.dtype[np.generic]) -> Cells:
    known = np.array([value is not None for value in values])
    result: Array = np.zeros(len(values), dtype)
    result[known] = np.fromiter((value for value in values if value is not None), dtype, int(known.sum()))
    return Cells(result, known)
