"""Inputs that hold rows by the thousand: rows of plain cells many at once, all other lines one by one.

One reader goes through all lines in their order. Lines that it does not take are left to the other formats, with a
row above and below them, so that nothing seems to go on across rows. What the formats before this one read of them
is known at the end; if it is not what was expected, all of the input is read line by line instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

import numpy as np

from smianalyze.formats import FORMATS
from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, BlockReading
from smianalyze.formats.format import Format, Reading, Told
from smianalyze.formats.left_lines import LeftLines
from smianalyze.formats.row_table import Foreign, RowTable
from smianalyze.repair import Line, is_repaired_alone, repaired_lines
from smianalyze.shapes import MASK, MAX_SHAPES

HEAD_BYTES = 64 * 1024  # of an input, in which rows are looked for
HEAD_LINES = 100  # in which what names their columns is looked for
LEAST_BYTES = 4 * 1024  # that are read at once below a new header, as the next one may be near …
MOST_BYTES = 2 * 1024 * 1024  # … and later: what is held of them stays in the cache of a core
LINES_ALONE = 16  # below a new header: tables of a few rows are not worth the preparation
LINES_AHEAD = 64  # that stay for later unless they are the last: what stands below a header is looked at

Ahead = Callable[[], Iterator[Line]]


class RowReader(Protocol):
    """Reads lines one by one, and takes rows that were read at once in between.

    Attributes:
        reading: What single lines gave.
        open_end: Number of the line that ends the text without a line end; 0 if none does.
        taken: How many rows of the last table were taken.
    """

    reading: Reading
    open_end: int
    taken: int

    @property
    def run(self) -> object:
        """What rows are read by, such as a header; None where they have to be read alone."""

    @property
    def still_fits(self) -> bool:
        """Whether the rows of the table that were not yet taken are still what they were."""

    def table(self, lines: bytes, lines_before: int, is_foreign: Foreign) -> RowTable:
        """The rows among some lines; they can then be taken."""

    def take_again(self, number: int, text: str, below: str) -> bool:
        """Take a line, above another one, if it only says again what names the columns; whether it does."""

    def take(self, line: Line, ahead: Ahead) -> bool:
        """Read a line; whether it was read, or may yet turn out to be."""

    def take_rows(self, end: int) -> None:
        """Take the next rows of the table, up to a place among them."""

    def close(self) -> None:
        """There are no more lines."""


class MixedBlocks:
    """Reads one input block by block."""

    def __init__(self, reading: BlockReading, reader: RowReader, own: Format) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found.
            reader: Knows rows and lines.
            own: Its format.
        """
        self._reading = reading
        self._reader = reader
        self._name = own.name
        place = [one.name for one in FORMATS].index(own.name)
        self._earlier, self._later = FORMATS[:place], FORMATS[place + 1 :]
        self._left = LeftLines()
        self._states = bytearray()
        self._alone = 0
        self._step = LEAST_BYTES
        self._claimed: set[int] = set()
        self._claims: list[Line] = []
        self._recognised: dict[tuple[bytes, bool], bool] = {}
        self._shown: set[bytes] = set()

    def is_claimed(self, line: Line, before: Sequence[Line]) -> bool:
        """Whether a format before this one reads a line.

        Args:
            line: The line.
            before: Such lines directly above it.
        """
        return False

    def is_alone(self, text: str) -> bool:
        """Whether a line can be read without the lines around it."""
        return is_repaired_alone(text)

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Read some lines; returns how many bytes were read."""
        end = len(data) if is_last else _before(data, LINES_AHEAD)
        whole = data.rfind(b"\n", 0, end) + 1
        if is_last and whole < len(data):
            self._reader.open_end = self._reading.lines + data.count(b"\n") + 1
        place = 0
        while place < end and not self._reading.is_given_up:
            if self._reader.run is None or self._alone or place >= whole:
                place = self._line(data, place)
                self._alone = max(0, self._alone - 1)
            else:
                place = self._rows(data, place, whole)
        if is_last and not self._reading.is_given_up:
            self._finish()
        return len(data) if self._reading.is_given_up else place

    def _rows(self, data: bytes, start: int, end: int) -> int:
        """Read a table, up to the first line that begins another one; returns where that is."""
        reader = self._reader
        stop = data.rfind(b"\n", start, min(start + self._step, end)) + 1 or data.find(b"\n", start) + 1
        lines, run = data[start:stop], reader.run
        table = reader.table(lines, self._reading.lines, self._is_foreign)
        if len(table.lines) and self._is_foreign_row(table, table.text(lines, 0)):
            self._alone = len(table.starts)
            return start
        for line in table.other_lines():
            self._take_rows(table, lines, line)
            if line == len(table.starts) - 1:
                break
            place = self._line(data, start + int(table.starts[line]))
            if reader.run is not run or not reader.still_fits:
                return place
        self._step = min(2 * self._step, MOST_BYTES)
        return stop

    def _is_foreign_row(self, table: RowTable, text: str) -> bool:
        """Whether its first row means something to a format before this one; one behind may have to be asked."""
        if self._recognises(text, earlier=True):
            return True
        if self._is_shown(text):
            number = self._reading.lines + int(table.lines[0]) + 1
            self._reader.reading.used.add(number)
            self._left.leave(number, text)
        return False

    def _take_rows(self, table: RowTable, lines: bytes, line: int) -> None:
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
        self._claims = []
        self._reading.lines += count
        self._states += bytes((USED,)) * count
        left.pass_over(self._reading.lines, table.text(lines, end - 1))

    def _line(self, data: bytes, start: int) -> int:
        """Read one line; returns where the next one begins."""
        end = data.find(b"\n", start) + 1 or len(data)
        text = data[start:end].removesuffix(b"\n").decode()
        self._reading.lines += 1
        self._states.append(IGNORED if text.strip() else EMPTY)
        if not text.strip(" "):
            self._left.blank(self._reading.lines, text)
        elif self._reader.take_again(self._reading.lines, text, _line_at(data, end)):
            self._claims = []
            took = self._left.leave if self._is_shown(text) else self._left.pass_over
            took(self._reading.lines, text)
        elif self.is_alone(text):
            self._take(text, data, end)
        else:
            self._reading.is_given_up = True
        return end

    def _take(self, text: str, data: bytes, end: int) -> None:
        number, reader = self._reading.lines, self._reader
        pieces = [line for lines in repaired_lines([(number, text)]) for line in lines]
        run, is_ours = reader.run, False
        for place, line in enumerate(pieces, 1):
            if self.is_claimed(line, self._claims):
                self._claims = [*self._claims[:1], line]
                self._claimed.add(number)
                self._reading.is_given_up |= number == reader.open_end
            else:
                self._claims = []
                is_ours |= reader.take(line, partial(self._ahead, pieces[place:], data, end))
        if reader.run is not run:
            self._alone, self._step = LINES_ALONE, LEAST_BYTES
        is_last = number == reader.open_end  # other formats then know that the text breaks off
        if not is_ours or is_last or any(self._is_shown(line.text) for line in pieces):
            self._left.leave(number, text)
        else:
            self._left.keep(number, text)
            self._left.pass_over(number, text)

    def _ahead(self, pieces: Sequence[Line], data: bytes, end: int) -> Iterator[Line]:
        """The next lines, without those that a format before this one reads."""
        below = (
            line
            for lines in map(repaired_lines, _lines_from(data, end, self._reading.lines + 1))
            for one in lines
            for line in one
        )
        return (line for line in chain(pieces, below) if not self.is_claimed(line, ()))

    def _is_shown(self, text: str) -> bool:
        """Whether a line that was read is shown: to a format before this one, or so that one behind is asked."""
        if self._recognises(text, earlier=True):
            return True
        shape = _shape(text)
        if shape in self._shown or not self._recognises(text, earlier=False):
            return False
        self._shown.add(shape)
        return len(self._shown) <= MAX_SHAPES

    def _is_foreign(self, text: str) -> bool:
        """Whether some other format recognises a text."""
        return self._recognises(text, earlier=True) or self._recognises(text, earlier=False)

    def _recognises(self, text: str, *, earlier: bool) -> bool:
        """Whether a format before or behind this one recognises a text, or one that differs in digits only."""
        key = (_shape(text), earlier)
        if key not in self._recognised:
            if len(self._recognised) >= MAX_SHAPES:
                self._recognised.clear()
            formats = self._earlier if earlier else self._later
            self._recognised[key] = any(one.recognises(text) for one in formats)
        return self._recognised[key]

    def _finish(self) -> None:
        reader, reading = self._reader, self._reading
        reader.close()
        left = self._left.lines(reader.reading.used)
        is_open = bool(left) and left[-1][0] == reader.open_end
        if not reader.reading.used or self._used_before(left, open_end=is_open) != self._claimed:
            reading.is_given_up = True
            return
        reading.names, reading.already, reading.left = [self._name], reader.reading, left
        reading.states.append(np.frombuffer(self._states, np.uint8))

    def _used_before(self, left: Sequence[tuple[int, str]], *, open_end: bool) -> set[int]:
        """Lines that the formats before this one read."""
        used: set[int] = set()
        told = Told(open_end)
        for lines in repaired_lines(left):
            for one in self._earlier:
                if any(one.recognises(line.text) for line in lines):
                    fitting = one.told(told) if one.told else one
                    used |= fitting.read([line for line in lines if line.number not in used]).used
        return used


def _shape(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(MASK)


def _line_at(data: bytes, start: int) -> str:
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)].decode()


def _lines_from(data: bytes, start: int, first: int) -> Iterator[list[tuple[int, str]]]:
    """The next lines, one after the other, as if each stood alone."""
    for number in range(first, first + LINES_AHEAD):
        if start < len(data):
            end = data.find(b"\n", start) + 1 or len(data)
            yield [(number, data[start:end].removesuffix(b"\n").decode())]
            start = end


def _before(data: bytes, lines: int) -> int:
    """Where the last lines begin; 0 if there are no more."""
    end = len(data)
    for _ in range(lines + 1):
        end = data.rfind(b"\n", 0, max(end, 0))
    return end + 1
