"""CSV of ``nvidia-smi --query-gpu`` and its relatives, with any fields, header and units or not.

Rows go to ``gpus``, those of ``--query-compute-apps`` and ``--query-accounted-apps`` to ``processes``. The fields
come from the header line, else from a command line above the rows, else from :func:`format_for`. A row with more
or fewer cells than fields is a problem: its values would stand under the names of others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from smianalyze.formats.csv_cells import separator_of
from smianalyze.formats.csv_header import MAY_BE_HEADER, Header, command_of, header_of, named
from smianalyze.formats.csv_rows import RowReading, read_row
from smianalyze.formats.csv_ticks import CsvRow, ticks
from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.quantities import counted
from smianalyze.repair import Line

NO_VALUES = "this row does not fit the names of its columns; nothing of it was read"
LEAST_CELLS = 3  # a sentence has a comma or two as well
STRAY = "numbers such as those of the rows above, with other text between: it is unclear whether they belong there"
SINCE_1970 = "Times that are seconds since 1970 were taken as UTC."

# what hardly anything but a row of nvidia-smi has, at the start or between commas
_MARK_OF_ROW = re.compile(
    r"^[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}, "
    r"|(?:^|, )(?:\[(?:N/A|Not Supported|Unknown Error|GPU is lost|GPU requires reset|Insufficient Permissions)\]"
    r"|[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9A-F]|GPU-[0-9a-f]{8}-[-0-9a-f]{20,40})(?:, |$)"
)
_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,9})?(?: (?:%|MiB|W|MHz))?"
# possessive: a comma leaves one way to go on, and places to come back to would be kept for every cell
_NUMBERS = re.compile(rf"{_NUMBER}(?:, ?{_NUMBER})*+")
_UNIT = re.compile(r"[0-9] (?:%|MiB|W|MHz)(?:,|$)")


@dataclass(slots=True)
class _Block:
    """Rows under one header.

    Attributes:
        units: Positions of the cells that had their unit.
        begins_print: A header stands above the next row.
        is_interrupted: Something else stands above the next row.
        has_gaps: A row may be missing between two others.
        is_certain: Some row can hardly be anything but ours.
    """

    header: Header
    header_lines: list[int] = field(default_factory=list)
    rows: list[CsvRow] = field(default_factory=list)
    units: frozenset[int] = frozenset()
    begins_print: bool = True
    is_interrupted: bool = False
    has_gaps: bool = False
    is_certain: bool = False

    @property
    def stands_alone(self) -> bool:
        """Whether its rows are known for what they are wherever they stand."""
        return self.header.has_time or (self.is_certain and len(self.header.targets) > 1)

    def add(self, line: int, reading: RowReading) -> None:
        """Add a row that was read."""
        self.rows.append(CsvRow(line, reading.values or {}, reading.key, self.begins_print, reading.lost))
        self.units |= reading.units
        self.has_gaps = self.has_gaps or (self.is_interrupted and not self.begins_print)
        self.begins_print = self.is_interrupted = False
        self.is_certain = self.is_certain or reading.is_certain


class _Reader:
    """Reads one stream of lines."""

    def __init__(self, lines: Sequence[Line], columns: Header | None, open_end: int) -> None:
        self.reading = Reading()
        self._lines = lines
        self._columns = columns
        self._open_end = open_end
        self._command: Header | None = None
        self._block: _Block | None = None
        self._ended: Header | None = None
        self._cells_without_names = 0

    def read(self) -> Reading:
        """Everything that the lines hold."""
        for index, line in enumerate(self._lines):
            text = line.text.lstrip("> ").rstrip(" ")  # mail and Markdown quote with >
            if text and not (self._is_row(line, text) or self._is_header(index, text)):
                self._other(line, text)
        self._close()
        return self.reading

    def _is_row(self, line: Line, text: str) -> bool:
        """Take the line if it is a row of the block, or the first one of rows whose columns were named before."""
        if self._block is not None and self._add(self._block, line, text):
            return True
        for header in (self._command, self._columns):
            if header is None:
                continue
            block = _Block(replace(header, separator=separator_of(text)))
            if self._add(block, line, text) and block.rows:
                self._close()
                self._block, self._command = block, None
                return True
        return False

    def _add(self, block: _Block, line: Line, text: str) -> bool:
        found = read_row(text, block.header, units=block.units, is_open=line.number == self._open_end)
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

    def _is_header(self, index: int, text: str) -> bool:
        """Take the line if it names columns: as a command or as a header."""
        command = command_of(text)
        if command is not None:
            self._close()
            self._command = command if command.is_checked else None
            return True
        if not MAY_BE_HEADER.search(text):
            return False
        following = next((line.text for line in self._lines[index + 1 : index + 5] if line.text.strip()), "")
        header = header_of(text, following)
        if header is None or not header.is_checked:
            return False
        if self._command is not None and len(self._command.targets) == len(header.targets):
            header = replace(header, one_print=self._command.one_print)
        self._command = None
        if self._block is None or self._block.header != header:
            self._close()
            self._block = _Block(header)
        self._block.begins_print = True
        self._block.header_lines.append(self._lines[index].number)
        return True

    def _other(self, line: Line, text: str) -> None:
        """A line that is neither row nor header ends rows of which nothing but their place says what they are."""
        self._command = None
        block = self._block
        if block is not None and _has_its_cells(text, block.header):
            self.reading.problems.append(Problem(line.number, NO_VALUES, line.text))
            block.has_gaps = True
            return
        if block is not None and block.stands_alone:
            block.is_interrupted = True
        elif block is not None:
            self._close()
            self._ended = block.header if block.rows else None
        elif self._ended is not None and _NUMBERS.fullmatch(text):
            self._stray(line, text, self._ended)
        cells = text.count(", ") + 1 if _is_row_without_names(text) else 0
        if cells not in (0, self._cells_without_names):
            self.reading.problems.append(Problem(line.number, _name_them(cells), line.text))
        self._cells_without_names = cells

    def _stray(self, line: Line, text: str, header: Header) -> None:
        """A row of plain numbers behind other text is no row for certain; the first one is told."""
        if read_row(text, header, units=frozenset(), is_open=False) is not None:
            self.reading.problems.append(Problem(line.number, STRAY, line.text))
            self._ended = None

    def _close(self) -> None:
        """Turn the rows of the block into snapshots."""
        block, self._block = self._block, None
        if block is None:
            return
        if block.rows or len(block.header.targets) > 1:  # a single name may be just a word
            self.reading.used.update(block.header_lines)
        if not block.rows:
            return
        groups, note = ticks(block.rows, block.header, is_whole=not block.has_gaps)
        self._note(note)
        for rows in groups:
            self._add_snapshot(rows, block.header)

    def _add_snapshot(self, rows: Sequence[CsvRow], header: Header) -> None:
        first = rows[0]
        number = len(self.reading.rows.get("snapshots", ()))
        self.reading.add(
            "snapshots",
            {
                "snapshot": number,
                "time": first.time,
                "host": first.values.get("host"),
                "driver_version": first.values.get("driver_version"),
                "process_section": header.section,
                "line": first.line,
            },
        )
        for row in rows:
            self.reading.add(header.frame, {**row.values, "snapshot": number, "line": row.line})
            if row.lost:
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


def _is_row_without_names(text: str) -> bool:
    if ", " not in text:
        return False
    return _MARK_OF_ROW.search(text) is not None or bool(_UNIT.search(text) and _NUMBERS.fullmatch(text))


def _name_them(cells: int) -> str:
    return (
        f"{counted(cells, 'value')} without a header line: name their columns in order, such as "
        'csv_columns="timestamp,index,memory.used"'
    )


def _recognises(text: str, *, has_columns: bool) -> bool:
    return (
        has_columns
        or "--query-" in text
        or MAY_BE_HEADER.search(text) is not None
        or _is_row_without_names(text)
        or _NUMBERS.fullmatch(text.strip()) is not None
    )


def _read(lines: Sequence[Line], *, columns: Header | None, open_end: bool) -> Reading:
    last = lines[-1].number if open_end and lines else 0
    reading = _Reader(lines, columns, last).read()
    texts = [line.text.strip() for line in lines if line.text.strip()]
    if not (reading.rows or reading.problems) and _are_all_numbers(texts):
        first = next(line for line in lines if line.text.strip())
        reading.problems.append(Problem(first.number, _name_them(texts[0].count(", ") + 1), first.text))
    return reading


def _are_all_numbers(texts: Sequence[str]) -> bool:
    """Whether the input holds nothing but numbers as nvidia-smi separates them, or prints them with their unit."""
    if not texts or not (", " in texts[0] or _UNIT.search(texts[0])):
        return False
    return all(_NUMBERS.fullmatch(text) and text.count(", ") == texts[0].count(", ") for text in texts)


def format_for(columns: Sequence[str] | None = None, *, open_end: bool = False) -> Format:
    """The format, told what an input does not say.

    Args:
        columns: Fields in order, as in ``--query-gpu``, for rows that no header line names.
        open_end: The text ends without a line end, so that its last value may be cut.
    """
    return Format(
        name="query_csv",
        title="CSV of any query",
        command="nvidia-smi --query-gpu=… --format=csv",
        sample="""\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W]
2026/11/30 19:36:19.728, 0, NVIDIA H200, 80 %, 31022 MiB, 480.66 W
""",
        recognises=partial(_recognises, has_columns=bool(columns)),
        read=partial(_read, columns=named(columns) if columns else None, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(told.csv_columns, open_end=told.open_end))
