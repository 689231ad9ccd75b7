"""What ``nvidia-smi dmon`` and ``pmon`` have in common: ``#`` lines, and below them rows of cells.

A header counts once its units or a row of as many cells stand below it, so that a comment on a GPU is none.
Where only the units are there they name the columns, since each block of ``-s`` has units of its own. Below a
header or units that are not understood no row is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.formats.format import Problem, Reading, Row
from smianalyze.formats.monitor_heading import Heading, Words
from smianalyze.formats.monitor_lines import Printed, printed_streams
from smianalyze.formats.ticks import TickRow, add_ticks
from smianalyze.reader import LineReader
from smianalyze.repair import Line

NO_NUMBER = "a row with a cell that is no number; it was not read"
CUT = "a row that breaks off; what is certain before its end was read"
COUNT = "a row of {cells} cells where the header has {columns}; it was not read"
OTHER_MONITOR = "pid"  # how a header of pmon goes on: it may write between the rows of dmon
NO_HEADER = "rows ({rows}) without a header above them that says what the columns are; they were not read"


class RowRead(NamedTuple):
    """What a row says: the row of its frame (None if it says nothing), its process, what is wrong with it."""

    values: Row | None = None
    pid: int | None = None
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One of the two monitors.

    Attributes:
        lines: Its line grammar.
        words: What its header may hold.
        read_row: A row under its heading, and whether the text may be cut at its end; None if it is not ours.
        is_row: Whether a row is surely one of this monitor, also without a header above it.
        process_section: What its snapshots say while there is no process in them.
    """

    lines: LineReader
    words: Words
    read_row: Callable[[Printed, Heading, bool], RowRead | None]
    is_row: Callable[[Printed], bool]
    process_section: str

    def read(self, lines: Sequence[Line], *, open_end: bool) -> Reading:
        """Everything that this monitor printed into a text; with an open end its last line may be cut."""
        reading = Reading()
        last = lines[-1].number if lines and open_end else 0
        for stream in printed_streams(lines, self.lines):
            one = MonitorPass(self, reading, last)
            for place, line in enumerate(stream):
                one.read(line, stream[place + 1 : place + 2])
            one.end()
        if not reading.rows:
            reading.used.clear()
        return reading


@dataclass(slots=True)
class MonitorPass:
    """One pass over the lines of a stream.

    Attributes:
        open_end: Number of the line that may be cut; 0 if there is none.
        heading: Of the rows that come; None where it is not known.
        anchor: Where the number of the GPU ends; a row that stands apart is ours only if its own ends there.
        touches: Whether the line before is ours.
        orphans: Rows directly above for which there is no heading yet.
        rows: What was read under the heading.
        above: The line before.
    """

    monitor: Monitor
    reading: Reading
    open_end: int
    heading: Heading | None = None
    anchor: int = 0
    touches: bool = False
    orphans: list[Printed] = field(default_factory=list)
    rows: list[TickRow] = field(default_factory=list)
    above: Printed | None = None

    def read(self, line: Printed, below: Sequence[Printed]) -> None:
        """Read the next line that is not blank.

        Args:
            line: The line.
            below: The one below it; none if it is the last.
        """
        if line.kind == "row":
            self._row(line)
        elif line.kind == "header":
            self._header(line, below)
        elif line.kind == "units":
            self._units(line)
        else:
            self._foreign()
        self.above = line

    def end(self) -> None:
        """There are no more lines."""
        self._foreign()
        self.end_run()

    def end_run(self) -> None:
        """What comes is of another run."""
        rows, self.rows = self.rows, []
        if rows:
            add_ticks(self.reading, self.monitor.words.frame, self.monitor.process_section, rows)

    def _header(self, line: Printed, below: Sequence[Printed]) -> None:
        confirmed = [one for one in below if one.is_csv == line.is_csv and len(one.cells) == len(line.cells)]
        units = [one for one in confirmed if one.kind == "units"]
        heading = self.monitor.words.heading(line, [word for one in units for word in one.words()[1:]])
        if heading is not None and (confirmed or heading == self.heading):
            self._begin(heading)
            self.reading.used.update(one.number for one in (line, *units))
            return
        self._foreign()
        if confirmed and line.words()[1] != OTHER_MONITOR:
            self.heading = None

    def _units(self, line: Printed) -> None:
        if self.above is not None and self.above.kind == "header":
            return
        heading = self.monitor.words.heading_of_units(line)
        if heading is None:
            self._foreign()
            self.heading = None
            return
        self._begin(heading)
        self.reading.used.add(line.number)

    def _begin(self, heading: Heading) -> None:
        """Take a heading, also for the rows directly above it if they look the same."""
        if heading != self.heading:
            self.end_run()
            self.heading = heading
        self.anchor = heading.ends[0]
        self.touches = True
        if all(len(row.cells) == heading.count for row in self.orphans):
            orphans, self.orphans = self.orphans, []
            for row in orphans:
                self._row(row)
        self._drop_orphans()

    def _row(self, line: Printed) -> None:
        if self.heading is None:
            if self.monitor.is_row(line):
                self.orphans.append(line)
            return
        apart = not self.touches and self.anchor != line.cells[0].end
        read = None if apart else self.monitor.read_row(line, self.heading, line.number == self.open_end)
        self.touches = read is not None
        if read is None:
            return
        self.anchor = line.cells[0].end
        self.reading.used.add(line.number)
        if read.what:
            self.reading.problems.append(Problem(line.number, read.what, line.text))
        if read.values is not None or not read.what:
            index = int(line.word(0))
            self.rows.append(TickRow(line.number, index, read.pid, read.values, line.date, line.time_of_day))

    def _foreign(self) -> None:
        """Text that is not ours, or the end."""
        self.touches = False
        self._drop_orphans()

    def _drop_orphans(self) -> None:
        if self.orphans:
            first = self.orphans[0]
            self.reading.problems.append(
                Problem(first.number, NO_HEADER.format(rows=len(self.orphans)), first.text)
            )
            self.orphans.clear()
