"""Lines of a CSV one after the other: header, command, rows under it, and what stands between."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from smianalyze.formats.csv_cells import separator_of
from smianalyze.formats.csv_header import MAY_BE_HEADER, Header, command_of, header_of
from smianalyze.formats.csv_rows import CsvRow, RowReading, read_row
from smianalyze.formats.csv_ticks import columns_for_ticks, ticks
from smianalyze.formats.format import Problem, Reading
from smianalyze.frame_parts import Part, part_of
from smianalyze.quantities import counted
from smianalyze.repair import Line
from smianalyze.shapes import Flags

NO_VALUES = "this row does not fit the names of its columns; nothing of it was read"
LEAST_CELLS = 3  # a sentence has a comma or two as well
STRAY = "numbers such as those of the rows above, with other text between: it is unclear whether they belong there"
SINCE_1970 = "Times that are seconds since 1970 were taken as UTC."
FOLLOWING = 4  # lines below a header in which its first row is looked for

# what hardly anything but a row of nvidia-smi has, at the start or between commas
_MARK_OF_ROW = re.compile(
    r"^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}, "
    r"|(?:^|, )(?:\[(?:N/A|Not Supported|Unknown Error|GPU is lost|GPU requires reset|Insufficient Permissions)\]"
    r"|[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9A-F]|GPU-[0-9a-f]{8}-[-0-9a-f]{20,40})(?:, |$)"
)
_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,9})?(?: (?:%|MiB|W|MHz))?"
# possessive: a comma leaves one way to go on, and places to come back to would be kept for every cell
NUMBERS = re.compile(rf"{_NUMBER}(?:, ?{_NUMBER})*+")
UNIT = re.compile(r"[0-9] (?:%|MiB|W|MHz)(?:,|$)")


class Run(NamedTuple):
    """Rows that were read many at once, with their lines, and above which of them a header stands."""

    part: Part
    begins: Flags


@dataclass(slots=True)
class Block:
    """Rows under one header.

    Attributes:
        header: Its columns.
        header_lines: Where it stands; it may do so again and again.
        rows: Rows that were read one by one, behind all runs.
        runs: Rows that were read many at once.
        units: Positions of the cells that had their unit.
        begins_print: A header stands above the next row.
        is_interrupted: Something else stands above the next row.
        has_gaps: A row may be missing between two others.
        is_certain: Some row can hardly be anything but ours.
        note: What has to be said about the rows that were made snapshots before all were read.
    """

    header: Header
    header_lines: list[int] = field(default_factory=list)
    rows: list[CsvRow] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    units: frozenset[int] = frozenset()
    begins_print: bool = True
    is_interrupted: bool = False
    has_gaps: bool = False
    is_certain: bool = False
    note: str = ""

    @property
    def has_rows(self) -> bool:
        """Whether rows were read below the header."""
        return bool(self.rows or self.runs)

    @property
    def stands_alone(self) -> bool:
        """Whether its rows are known for what they are wherever they stand."""
        return self.header.has_time or (self.is_certain and len(self.header.targets) > 1)

    def add(self, line: int, reading: RowReading) -> None:
        """Add a row that was read."""
        self.rows.append(CsvRow(line, reading.values or {}, self.begins_print, reading.lost))
        self.went_on(reading.units, is_certain=reading.is_certain)

    def went_on(self, units: frozenset[int], *, is_certain: bool) -> None:
        """One or more rows were added, the first of them below what stands above."""
        self.units |= units
        self.has_gaps = self.has_gaps or (self.is_interrupted and not self.begins_print)
        self.begins_print = self.is_interrupted = False
        self.is_certain = self.is_certain or is_certain


class CsvReader:
    """Reads one stream of lines.

    Attributes:
        reading: What was found.
        block: The rows under the last header; None where none is open.
    """

    def __init__(self, columns: Header | None, open_end: int) -> None:
        """Begin.

        Args:
            columns: What the user says of rows that no header names.
            open_end: Number of the line that ends the text without a line end; 0 if none does.
        """
        self.reading = Reading()
        self.block: Block | None = None
        self.open_end = open_end
        self._columns = columns
        self._command: Header | None = None
        self._ended: Header | None = None
        self._title = ""  # that the block has again and again
        self._cells_without_names = 0

    def read(self, line: Line, following: Callable[[], str]) -> None:
        """Read the next line.

        Args:
            line: Any line of the stream.
            following: The next one that is not blank, if it stands among the next :data:`FOLLOWING`.
        """
        text = line.text.lstrip("> ").rstrip(" ")  # mail and Markdown quote with >
        if not text:
            return
        if not (
            self.is_title(line.number, text) or self._is_row(line, text) or self._is_header(line, text, following)
        ):
            self._other(line, text)

    def is_title(self, number: int, text: str) -> bool:
        """Take the line if it is the header of the block, to the letter."""
        if self.block is None or text != self._title or self._command is not None:
            return False
        self._begin_print(self.block, number)
        return True

    def _is_row(self, line: Line, text: str) -> bool:
        """Take the line if it is a row of the block, or the first one of rows whose columns were named before."""
        if self.block is not None and self._add(self.block, line, text):
            return True
        for header in (self._command, self._columns):
            if header is None:
                continue
            block = Block(replace(header, separator=separator_of(text)))
            if self._add(block, line, text) and block.rows:
                self.close()
                self.block, self._command = block, None
                return True
        return False

    def _add(self, block: Block, line: Line, text: str) -> bool:
        found = read_row(text, block.header, units=block.units, is_open=line.number == self.open_end)
        if found is None:
            return False
        if found.problem:
            self.reading.problems.append(Problem(line.number, found.problem, line.text))
        known = {name for name, value in (found.values or {}).items() if value is not None}
        if known <= {"time"} and found.problem:  # nothing is left that could be tied to a GPU or a process
            block.has_gaps = True
        else:
            block.add(line.number, found)
            self.reading.used.add(line.number)
        if found.since_1970:
            self._note(SINCE_1970)
        return True

    def _is_header(self, line: Line, text: str, following: Callable[[], str]) -> bool:
        """Take the line if it names columns: as a command or as a header."""
        command = command_of(text)
        if command is not None:
            self.close()
            self._command = command if command.is_checked else None
            return True
        if not MAY_BE_HEADER.search(text):
            return False
        header = header_of(text, following())
        if header is None or not header.is_checked:
            return False
        if self._command is not None and len(self._command.targets) == len(header.targets):
            header = replace(header, one_print=self._command.one_print)
        self._command = None
        if self.block is None or self.block.header != header:
            self.close()
            self.block = Block(header)
            self._title = text if header_of(text, "") == header else ""
        self._begin_print(self.block, line.number)
        return True

    def _begin_print(self, block: Block, number: int) -> None:
        block.begins_print = True
        block.header_lines.append(number)

    def _other(self, line: Line, text: str) -> None:
        """A line that is neither row nor header ends rows of which nothing but their place says what they are."""
        self._command = None
        block = self.block
        if block is not None and _has_its_cells(text, block.header):
            self.reading.problems.append(Problem(line.number, NO_VALUES, line.text))
            block.has_gaps = True
            return
        if block is not None and block.stands_alone:
            block.is_interrupted = True
        elif block is not None:
            has_rows = block.has_rows
            self.close()
            self._ended = block.header if has_rows else None
        elif self._ended is not None and NUMBERS.fullmatch(text):
            self._stray(line, text, self._ended)
        cells = text.count(", ") + 1 if is_row_without_names(text) else 0
        if cells not in (0, self._cells_without_names):
            self.reading.problems.append(Problem(line.number, name_them(cells), line.text))
        self._cells_without_names = cells

    def _stray(self, line: Line, text: str, header: Header) -> None:
        """A row of plain numbers behind other text is no row for certain; the first one is told."""
        if read_row(text, header, units=frozenset(), is_open=False) is not None:
            self.reading.problems.append(Problem(line.number, STRAY, line.text))
            self._ended = None

    def close(self) -> None:
        """Turn the rows of the block into snapshots; nothing else belongs to it."""
        block, self.block, self._title = self.block, None, ""
        if block is None:
            return
        if block.has_rows or len(block.header.targets) > 1:  # a single name may be just a word
            self.reading.used.update(block.header_lines)
        if block.has_rows:
            self.add_snapshots(block)

    def add_snapshots(self, block: Block) -> None:
        """Add the rows of a block that has some."""
        rows, header = block.rows, block.header
        names = columns_for_ticks(header)
        told = part_of(header.frame, [{name: row.values.get(name) for name in names} for row in rows])
        begins = np.array([row.begins_print for row in rows])
        found = ticks(told, header, begins, is_whole=not block.has_gaps)
        self._note(found.note)
        for number, row in enumerate(rows if found.cards else ()):
            row.values["gpu_index"] = number % found.cards
        starts = found.starts.tolist()
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            self._add_snapshot(rows[start:end], header)

    def _add_snapshot(self, rows: Sequence[CsvRow], header: Header) -> None:
        first = rows[0]
        number = len(self.reading.rows.get("snapshots", ()))
        self.reading.add(
            "snapshots",
            {
                "snapshot": number,
                "time": first.values.get("time"),
                "host": first.values.get("host"),
                "driver_version": first.values.get("driver_version"),
                "process_section": header.section,
                "line": first.line,
            },
        )
        for row in rows:
            self.reading.add(header.frame, {**row.values, "snapshot": number, "line": row.line})
            if row.lost:
                self.add_lost(row)

    def add_lost(self, row: CsvRow) -> None:
        """Add the event of a GPU that does not answer."""
        place = {name: row.values.get(name) for name in ("time", "gpu_index", "pci_bus_id")}
        message = f"nvidia-smi prints {row.lost} for this GPU"
        self.reading.add("events", {**place, "kind": "gpu_lost", "message": message, "line": row.line})

    def _note(self, note: str) -> None:
        if note and note not in self.reading.notes:
            self.reading.notes.append(note)


def _has_its_cells(text: str, header: Header) -> bool:
    """Whether a line that cannot be read has the cells of a row, three or more, and a number among them."""
    cells = text.count(header.separator) + 1
    return cells == len(header.targets) >= LEAST_CELLS and any(letter.isdigit() for letter in text)


def is_row_without_names(text: str) -> bool:
    """Whether a line looks like a row of nvidia-smi, whatever its columns are."""
    if ", " not in text:
        return False
    return _MARK_OF_ROW.search(text) is not None or bool(UNIT.search(text) and NUMBERS.fullmatch(text))


def name_them(cells: int) -> str:
    """What has to be done about rows of so many cells without a header."""
    return (
        f"{counted(cells, 'value')} without a header line: name their columns in order, such as "
        'csv_columns="timestamp,index,memory.used"'
    )
