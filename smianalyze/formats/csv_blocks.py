"""CSV of any query in blocks of lines: rows of plain cells many at once, all other lines one by one.

One reader goes through all lines in their order. Lines that it does not take are left to the other formats, with a
row above and below them, so that nothing seems to go on across rows. What the formats before this one read of them
is known at the end; if it is not what was expected, all of the input is read line by line instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from smianalyze.formats import FORMATS, query_csv, smi_error
from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, BlockReading
from smianalyze.formats.csv_cells import separator_of
from smianalyze.formats.csv_header import MAY_BE_HEADER, Header, command_of, header_of, named
from smianalyze.formats.csv_left import LeftLines
from smianalyze.formats.csv_reader import FOLLOWING, NUMBERS, is_row_without_names
from smianalyze.formats.csv_runs import RunReader
from smianalyze.formats.csv_table import Table, TableReader
from smianalyze.formats.format import Told
from smianalyze.repair import Line, is_repaired_alone, repaired_lines
from smianalyze.shapes import MASK, MAX_SHAPES

NAME = query_csv.FORMAT.name
HEAD_BYTES = 64 * 1024  # of an input, in which rows are looked for
HEAD_LINES = 100  # in which a header or command is looked for
LEAST_BYTES = 64 * 1024  # that are read at once below a new header …
MOST_BYTES = 4 * 1024 * 1024  # … and later: more costs memory, less costs time
LINES_ALONE = 16  # below a new header: tables of a few rows are not worth the preparation
LINES_AHEAD = 64  # that stay for later unless they are the last: what stands below a header is looked at
MAX_HEADERS = 64  # whose shapes are remembered
_EARLIER = FORMATS[: FORMATS.index(query_csv.FORMAT)]
_OTHERS = [one for one in FORMATS if one is not query_csv.FORMAT]


class CsvBlocks:
    """Reads one input block by block."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found.
        """
        columns = named(reading.csv_columns) if reading.csv_columns else None
        self._reading = reading
        self._reader = RunReader(columns, reading)
        self._tables: dict[Header, TableReader] = {}
        self._left = LeftLines()
        self._states = bytearray()
        self._alone = 0
        self._step = LEAST_BYTES
        self._errors: list[Line] = []
        self._claimed: set[int] = set()
        self._foreign: dict[bytes, bool] = {}

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input begins with rows below a header or a command, or with rows that somebody may name."""
        lines = head[:HEAD_BYTES].decode(errors="replace").split("\n")
        for place, text in enumerate(lines[:HEAD_LINES]):
            separator = _separator(text, lines[place + 1 : place + 2])
            if separator:
                rows = [line for line in lines[place + 1 :] if line.strip()]
                return 2 * sum(line.count(separator) == rows[0].count(separator) for line in rows) >= len(rows) > 0
        return False

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Read some lines; returns how many bytes were read."""
        end = len(data) if is_last else _before(data, LINES_AHEAD)
        whole = data.rfind(b"\n", 0, end) + 1
        if is_last and whole < len(data):
            self._reader.open_end = self._reading.lines + data.count(b"\n") + 1
        place = 0
        while place < end and not self._reading.is_given_up:
            if self._reader.block is None or self._alone or place >= whole:
                place = self._line(data, place)
                self._alone = max(0, self._alone - 1)
            else:
                place = self._rows(data, place, whole)
        if is_last and not self._reading.is_given_up:
            self._finish()
        return len(data) if self._reading.is_given_up else place

    def _rows(self, data: bytes, start: int, end: int) -> int:
        """Read a table, up to the first line that begins another one; returns where that is."""
        reader, block = self._reader, self._reader.block
        if block is None:
            return start
        stop = data.rfind(b"\n", start, min(start + self._step, end)) + 1 or data.find(b"\n", start) + 1
        units, lines = block.units, data[start:stop]
        table = self._table_reader(block.header).read(lines, units)
        if len(table.lines) and self._is_foreign(table.text(lines, 0)):
            self._alone = len(table.starts)
            return start
        reader.begin_table(table, self._reading.lines)
        for line in table.other_lines():
            self._take_rows(table, lines, line)
            if line == len(table.starts) - 1:
                break
            place = self._line(data, start + int(table.starts[line]))
            if reader.block is not block or (table.lacks_units and not block.units <= units):
                return place
        self._step = min(2 * self._step, MOST_BYTES)
        return stop

    def _take_rows(self, table: Table, lines: bytes, line: int) -> None:
        """Take the rows before a line."""
        reader, left = self._reader, self._left
        end = int(np.searchsorted(table.lines, line))
        count = end - reader.taken
        if not count:
            return
        reader.reading.used |= {self._reading.lines + 1, self._reading.lines + count}  # they may be shown
        if left.wants_next:
            left.pass_over(self._reading.lines + 1, table.text(lines, reader.taken))
        reader.take_rows(end)
        self._reading.lines += count
        self._states += bytes((USED,)) * count
        left.pass_over(self._reading.lines, table.text(lines, end - 1))
        self._errors = []

    def _table_reader(self, header: Header) -> TableReader:
        if header not in self._tables:
            if len(self._tables) >= MAX_HEADERS:
                self._tables.clear()
            self._tables[header] = TableReader(header, self._is_foreign)
        return self._tables[header]

    def _line(self, data: bytes, start: int) -> int:
        """Read one line; returns where the next one begins."""
        end = data.find(b"\n", start) + 1 or len(data)
        text = data[start:end].removesuffix(b"\n").decode()
        self._reading.lines += 1
        self._states.append(IGNORED if text.strip() else EMPTY)
        if not text.strip(" "):
            self._left.blank(self._reading.lines, text)
        elif is_repaired_alone(text):
            self._take(text, data, end)
        else:
            self._reading.is_given_up = True
        return end

    def _take(self, text: str, data: bytes, end: int) -> None:
        number, reader = self._reading.lines, self._reader
        pieces = [line for lines in repaired_lines([(number, text)]) for line in lines]
        block = reader.block
        for place, line in enumerate(pieces, 1):
            if self._is_claimed(line):
                self._claimed.add(number)
                self._reading.is_given_up |= number == reader.open_end
            else:
                reader.take(line, partial(self._following, pieces[place:], data, end))
        if reader.block is not block:
            self._alone, self._step = LINES_ALONE, LEAST_BYTES
        is_header = reader.block is not None and reader.block.header_lines[-1:] == [number]
        is_ours = is_header or number in reader.reading.used
        is_last = number == reader.open_end  # other formats then know that the text breaks off
        if not is_ours or is_last or any(self._is_foreign(line.text) for line in pieces):
            self._left.leave(number, text)
        else:
            self._left.keep(number, text)
            self._left.pass_over(number, text)

    def _following(self, pieces: Sequence[Line], data: bytes, end: int) -> str:
        """The next line that is not blank, if it is near; what tells of an error stands in no line for us."""
        ahead = data[end : _after(data, end, LINES_AHEAD)].decode().removesuffix("\n").split("\n")
        below = (line for lines in repaired_lines(enumerate(ahead)) for line in lines)
        near = islice((line.text for line in (*pieces, *below) if not _tells_an_error([line])), FOLLOWING)
        return next(filter(str.strip, near), "")

    def _is_claimed(self, line: Line) -> bool:
        """Whether it is a sentence that says an error, which is read before."""
        if _tells_an_error([*self._errors, line]):
            self._errors = self._errors or [line]
            return True
        if line.text.strip():
            self._errors = []
        return False

    def _is_foreign(self, text: str) -> bool:
        """Whether some other format recognises a text, or one that differs in digits only."""
        shape = text.encode("utf-8", "surrogatepass").translate(MASK)
        if shape not in self._foreign:
            if len(self._foreign) >= MAX_SHAPES:
                self._foreign.clear()
            self._foreign[shape] = any(one.recognises(text) for one in _OTHERS)
        return self._foreign[shape]

    def _finish(self) -> None:
        reader, reading = self._reader, self._reading
        reader.close()
        left = self._left.lines(reader.reading.used)
        is_open = bool(left) and left[-1][0] == reader.open_end
        if not reader.reading.used or _used_before(left, open_end=is_open) != self._claimed:
            reading.is_given_up = True
            return
        reading.names, reading.already, reading.left = [NAME], reader.reading, left
        reading.states.append(np.frombuffer(self._states, np.uint8))


def _tells_an_error(lines: Sequence[Line]) -> bool:
    """Whether the last line is a sentence in place of a table, or goes on with one."""
    last = lines[-1]
    return smi_error.FORMAT.recognises(last.text) and last.number in smi_error.FORMAT.read(lines).used


def _used_before(left: Sequence[tuple[int, str]], *, open_end: bool) -> set[int]:
    """Lines that the formats before this one read."""
    used: set[int] = set()
    told = Told(open_end)
    for lines in repaired_lines(left):
        for one in _EARLIER:
            if any(one.recognises(line.text) for line in lines):
                fitting = one.told(told) if one.told else one
                used |= fitting.read([line for line in lines if line.number not in used]).used
    return used


def _separator(text: str, below: Sequence[str]) -> str:
    """What separates the cells of the rows below a line, if it says what they are, or is one itself."""
    plain = text.lstrip("> ").rstrip()
    header = header_of(plain, "".join(below)) if MAY_BE_HEADER.search(plain) else None
    if header is not None and header.is_checked:
        return header.separator
    if command_of(plain) or is_row_without_names(plain) or NUMBERS.fullmatch(plain):
        return separator_of("".join(below) if command_of(plain) else plain)
    return ""


def _after(data: bytes, start: int, lines: int) -> int:
    """Where the text behind some lines begins."""
    for _ in range(lines):
        start = data.find(b"\n", start) + 1 or len(data)
    return start


def _before(data: bytes, lines: int) -> int:
    """Where the last lines begin; 0 if there are no more."""
    end = len(data)
    for _ in range(lines + 1):
        end = data.rfind(b"\n", 0, max(end, 0))
    return end + 1
