"""dmon and pmon in blocks of lines; see :mod:`smianalyze.formats.mixed_blocks`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
import pandas as pd

from smianalyze.formats import dmon, pmon
from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.format import Reading
from smianalyze.formats.mixed_blocks import HEAD_BYTES, HEAD_LINES, Ahead, MixedBlocks
from smianalyze.formats.monitor import OTHER_MONITOR, Monitor, MonitorPass
from smianalyze.formats.monitor_heading import Heading
from smianalyze.formats.monitor_lines import Printed, has_header, is_labelled, printed_line
from smianalyze.formats.monitor_table import MonitorTable, MonitorTableReader
from smianalyze.formats.row_table import Foreign, RowTable
from smianalyze.formats.ticks import TickRow, tick_starts
from smianalyze.frame_parts import Part, flags, joined, narrowed, part_of, repeated
from smianalyze.offsets import Cells
from smianalyze.repair import Line
from smianalyze.shapes import Flags, Indexes

_OF_ROWS = "0123456789 -.:,"
_PROCESSES = "processes"
_ALWAYS = ("time", "printed_time")
ENOUGH_ROWS = 60_000  # of one run: snapshots are made of them before more are read


class MonitorReader(MonitorPass):
    """Reads lines one by one, and takes rows that were read at once in between."""

    def __init__(self, monitor: Monitor, blocks: BlockReading) -> None:
        """Begin.

        Args:
            monitor: Which of the two it is.
            blocks: Where the columns go; all that does not become columns stays in ``reading``.
        """
        super().__init__(monitor, Reading(), 0)
        self.taken = self._given = 0
        self._title: tuple[Printed | None, Printed | None] = (None, None)
        self._blocks = blocks
        self._parts: list[Part] = []
        self._held, self._enough = 0, ENOUGH_ROWS
        self._table: MonitorTable | None = None
        self._first_line = 0
        self._tables: MonitorTableReader | None = None

    @property
    def run(self) -> Heading | None:
        """What names the columns."""
        return self.heading

    @property
    def still_fits(self) -> bool:
        """Whether a row stands where the one before has begun, or directly below it."""
        return self.touches or self._table is None or self._table.anchor == self.anchor

    def table(self, lines: bytes, lines_before: int, is_foreign: Foreign) -> RowTable:
        """The rows below the heading among some lines."""
        self._give_rows()
        self.taken = self._given = 0
        self._table, self._first_line = None, lines_before + 1
        if self.heading is None:
            return RowTable(np.zeros(1, np.int64), np.zeros(0, np.int64))
        if self._tables is None or self._tables.heading != self.heading:
            padded = self.monitor is dmon.MONITOR and not self.heading.is_csv and dmon.is_padded(self.heading.ends)
            self._tables = MonitorTableReader(self.heading, self.monitor.lines, is_foreign, is_padded=padded)
        self._table = self._tables.read(lines)
        if not self.still_fits:
            self._table.lines = self._table.lines[:0]
        return self._table

    def take_rows(self, end: int) -> None:
        """Take the next rows of the table, up to a place among them."""
        if self._table is None:
            return
        self._put_rows()
        self.touches, self.anchor, self.above, self.taken = True, self._table.anchor, None, end

    def _give_rows(self) -> None:
        """Put the rows that were taken behind those that were read before them."""
        if self._table is None or self.taken == self._given:
            return
        part = self._table.part(self._given, self.taken)
        part.columns["line"] = Cells(self._table.lines[self._given : self.taken] + self._first_line)
        self._hold(narrowed(part))
        self._given = self.taken
        if self._held >= self._enough and not self.rows:
            self._give_ticks(is_last=False)
            self._enough = max(ENOUGH_ROWS, 2 * self._held)

    def _hold(self, part: Part) -> None:
        self._parts.append(part)
        self._held += part.count

    def take_again(self, number: int, text: str, below: str) -> bool:
        """Take a line if it is the header again with its units below, or these."""
        header, units = self._title
        if header is None or units is None or self.heading is None:
            return False
        if text == header.text and below == units.text:
            self._begin(self.heading)
            self.reading.used |= {number, number + 1}
            self.above = header
            return True
        if text != units.text or self.above is not header:
            return False
        self.above = units
        return True

    def take(self, line: Line, ahead: Ahead) -> bool:
        """Read the next line; whether it was read, or may yet turn out to be."""
        if not line.text.strip():
            return False
        printed = printed_line(line.number, line.text, self.monitor.lines)
        near = (one for one in (ahead() if printed.kind == "header" else ()) if one.text.strip())
        below = [printed_line(one.number, one.text, self.monitor.lines) for one in islice(near, 1)]
        self.read(printed, below)
        if printed.kind == "header":
            is_title = (
                below[:1] and below[0].kind == "units" and self.reading.used >= {line.number, below[0].number}
            )
            self._title = (printed, below[0]) if is_title else (None, None)
        if self.rows:
            self._give_rows()
        return printed in self.orphans or line.number in self.reading.used

    def close(self) -> None:
        """There are no more lines."""
        self.end()
        if not (self.reading.rows or self._blocks.parts):
            self.reading.used.clear()

    def end_run(self) -> None:
        """What comes is of another run: make the rows so far snapshots."""
        self._give_rows()
        if not self._parts:
            super().end_run()
            return
        self._put_rows()
        self._give_ticks(is_last=True)
        self._held, self._enough = 0, ENOUGH_ROWS

    def _give_ticks(self, *, is_last: bool) -> None:
        """Make the rows so far snapshots; the last tick may go on, so it stays unless no more rows come."""
        part = joined(self._parts)
        starts = _tick_starts(part)
        end = part.count if is_last else int(starts[-1])
        self._parts = [] if is_last else [part.between(end, part.count)]
        self._held = part.count - end
        if end:
            self._add(part.between(0, end), starts if is_last else starts[:-1])

    def _add(self, part: Part, starts: Indexes) -> None:
        """Add the rows of some ticks."""
        del part.columns["at"]
        for name in [name for name, cells in part.columns.items() if not flags(cells, part.count).any()]:
            if name not in _ALWAYS:
                del part.columns[name]  # as if no row had said it
        blocks, count = self._blocks, len(starts)
        heads = Part(count, {name: part.columns[name].taken(starts) for name in ("time", "printed_time", "line")})
        heads.columns["process_section"] = repeated(self.monitor.process_section, count)
        heads.columns["snapshot"] = Cells(np.arange(count) + blocks.snapshots)
        ticks = np.repeat(np.arange(count), np.diff(np.append(starts, part.count)))
        for name in ("time", "printed_time", "snapshot"):
            part.columns[name] = heads.columns[name].taken(ticks)
        if self.monitor.words.frame == _PROCESSES:
            are_processes = _known(part, "pid")
            is_listed = np.bincount(ticks[are_processes], minlength=count) > 0
            heads.columns["process_section"] = Cells(
                is_listed.astype(np.int8), texts=[self.monitor.process_section, "listed"]
            )
            part.keep(are_processes)
        blocks.snapshots += count
        for frame, one in (("snapshots", heads), (self.monitor.words.frame, part)):
            if one.count:
                blocks.add(frame, one)

    def _put_rows(self) -> None:
        """Put the rows that were read one by one behind those before them."""
        if self.rows:
            self._hold(_part_of(self.rows, self.monitor.words.frame))
            self.rows = []


def _tick_starts(part: Part) -> Indexes:
    """The first row of each tick."""
    at = part.columns["at"]
    times = np.where(flags(at, part.count), at.values, np.datetime64("NaT"))
    return tick_starts(part.integers("gpu_index"), _keys(part), times.astype("M8[us]"))


def _keys(part: Part) -> Indexes:
    """A number for each GPU, or for each process on it."""
    index = part.integers("gpu_index")
    if "pid" not in part.columns:
        return index
    pids = np.where(_known(part, "pid"), part.integers("pid"), -1) + 1
    keys: Indexes = pd.factorize(index * (pids.max() + 1) + pids)[0]
    return keys


def _known(part: Part, name: str) -> Flags:
    return flags(part.columns[name], part.count) if name in part.columns else np.zeros(part.count, np.bool_)


def _part_of(rows: Sequence[TickRow], frame: str) -> Part:
    """Rows that were read one by one as columns."""
    part = part_of(
        frame, [{"gpu_index": row.gpu, **(row.values or {}), **row.when, "line": row.line} for row in rows]
    )
    times = np.array([row.at for row in rows], "M8[us]")
    part.columns["at"] = Cells(times, ~np.isnat(times))
    return part


class _MonitorBlocks(MixedBlocks):
    """Reads one input block by block."""

    def is_alone(self, text: str) -> bool:
        """Whether a line can be read without the lines around it."""
        return super().is_alone(text) and not is_labelled(text)


class DmonBlocks(_MonitorBlocks):
    """Reads one input of dmon block by block."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found.
        """
        super().__init__(reading, MonitorReader(dmon.MONITOR, reading), dmon.FORMAT)

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input begins with a header and rows below it."""
        _, rows = _header_and_rows(head)
        return 2 * sum(not line.strip(_OF_ROWS) for line in rows) >= len(rows) > 0


class PmonBlocks(_MonitorBlocks):
    """Reads one input of pmon block by block."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found.
        """
        super().__init__(reading, MonitorReader(pmon.MONITOR, reading), pmon.FORMAT)

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input begins with a header and rows below it."""
        header, rows = _header_and_rows(head)
        kinds = [printed_line(0, line, pmon.LINES).kind for line in rows[:HEAD_LINES] if OTHER_MONITOR in header]
        return 2 * kinds.count("row") >= len(kinds) > 0


def _header_and_rows(head: bytes) -> tuple[list[str], list[str]]:
    """The words of the first header, and the lines below it that are not blank."""
    lines = head[:HEAD_BYTES].decode(errors="replace").split("\n")
    first = next((place for place, text in enumerate(lines[:HEAD_LINES]) if has_header(text)), len(lines))
    return "".join(lines[first : first + 1]).split(), [line for line in lines[first:] if line.strip()]
