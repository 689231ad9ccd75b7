"""Lines of a block by shape: lines that differ in digits only have one, and what it says holds for all of them.

:mod:`smianalyze.reader` reads one line of each shape; here a block of lines becomes arrays, so that a column is
taken from all its lines at once (see :mod:`smianalyze.offsets`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.repeating_lines import numbered

CHUNK_BYTES = 256 * 1024  # what is split at a time: it stays in the cache of a core
MAX_SHAPES = 4_096  # text of ever new shapes must not fill the memory, and each costs a parse
LONGEST_SHAPE = 4_096  # bytes; a longer line is none of nvidia-smi's
WORD = 8  # bytes that are taken from a line at a time
OTHER = "?"
"""Letter of lines that are not read by shape."""
BLANK = " "
"""Letter of blank lines."""
MASK = bytes.maketrans(b"123456789", b"000000000")
"""Turns digits into zeros."""
_ZERO, _TEN = np.uint8(ord("0")), np.uint8(10)

Indexes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Kinds = npt.NDArray[np.uint8]
Objects = npt.NDArray[np.object_]


class Cell(NamedTuple):
    """A value in the lines of a shape: its column, offset in bytes, and its text with zeros for digits."""

    column: str
    start: int
    text: str


class Shape(NamedTuple):
    """The kind of a line as a letter, and its values."""

    letter: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Where a column stands in the lines of each shape; width 0 where it does not.

    Attributes:
        ends: Offset of the end of its value, in bytes.
        widths: Bytes of the value.
        fractions: Digits behind its decimal point.
        texts: The value itself where it holds no digit, else None.
        vary: Whether there is a value that holds one.
    """

    ends: Indexes
    widths: Indexes
    fractions: Indexes
    texts: Objects
    vary: Flags


class Lines:
    """The lines of a block.

    Attributes:
        data: Its bytes.
        letters: The kind of each line, as a byte.
        ids: Shape of each line; behind the last one 0, the shape without values, so that -1 is no line.
        starts: Where each line begins, and the end of the block.
        words: The eight bytes from each place on.
    """

    def __init__(self, data: bytes, ids: npt.NDArray[np.int32], starts: Indexes, memo: _Memo) -> None:
        """Lines whose shapes and places are known."""
        self.data = data
        self.ids = np.append(ids, np.int32(0))
        self.letters = np.frombuffer(bytes(memo.letters), np.uint8)[ids]
        self.starts = starts
        self.words = np.ndarray((max(len(data) - WORD + 1, 0),), f"V{WORD}", data, 0, (1,))
        self._memo = memo

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self.letters)

    def texts(self, first: int, end: int) -> list[str]:
        """The lines of a range, without their ends."""
        if end <= first:
            return []
        part = self.data[self.starts[first] : self.starts[end]].removesuffix(b"\n")
        return [line.rstrip("\r") for line in part.decode().split("\n")]

    def columns(self, letter: str) -> list[str]:
        """Columns that lines of this kind may have."""
        return list(self._memo.columns.get(letter, ()))

    def places(self, column: str) -> Places:
        """Where a column stands."""
        return self._memo.places(column)


class _Memo(dict[bytes, int]):
    """Number of each shape by a line of it with zeros for digits; 0 is for what is not remembered."""

    def __init__(self, describe: Callable[[str], Shape]) -> None:
        super().__init__()
        self.letters = bytearray(OTHER.encode())
        self.digits = [WORD]  # where the first value with a digit begins
        self.columns: dict[str, dict[str, None]] = {}
        self._describe = describe
        self._cells: dict[str, list[tuple[int, Cell]]] = {}
        self._places: dict[str, Places] = {}

    def __missing__(self, line: bytes) -> int:
        number = len(self.digits)
        if number >= MAX_SHAPES or len(line) > LONGEST_SHAPE:
            return 0
        shape = self._describe(line.decode().rstrip("\r"))
        self.letters += shape.letter.encode()
        self.digits.append(min([cell.start for cell in shape.cells if "0" in cell.text], default=WORD))
        for cell in shape.cells:
            self._cells.setdefault(cell.column, []).append((number, cell))
            self.columns.setdefault(shape.letter, {})[cell.column] = None
            self._places.pop(cell.column, None)
        self[line] = number
        return number

    def places(self, column: str) -> Places:
        found = self._places.get(column)
        if found is None or len(found.ends) < len(self.digits):
            found = self._places[column] = _places(self._cells.get(column, []), len(self.digits))
        return found


def _places(cells: list[tuple[int, Cell]], count: int) -> Places:
    ends, widths, fractions = (np.zeros(count, np.int64) for _ in range(3))
    texts = np.full(count, None, np.object_)
    for number, cell in cells:
        widths[number] = len(cell.text.encode())
        ends[number] = cell.start + widths[number]
        fractions[number] = len(cell.text.rpartition(".")[2]) if "." in cell.text else 0
        texts[number] = None if "0" in cell.text else cell.text
    vary = (widths > 0) & np.array([text is None for text in texts], np.bool_)
    return Places(ends, widths, fractions, texts, vary)


class Shapes:
    """What is known of the lines of one format, from block to block."""

    def __init__(self, describe: Callable[[str], Shape], once: bytes = b"") -> None:
        """Prepare.

        Args:
            describe: What a line says, by its text without line end and with zeros for digits.
            once: Stands in each print once, where the same lines are printed again and again.
        """
        self._describe = describe
        self._once = once
        self._memo = _Memo(describe)

    def read(self, data: bytes) -> Lines:
        """The lines of a block: UTF-8, from the beginning of a line to the end of one."""
        if len(self._memo.digits) >= MAX_SHAPES:
            self._memo = _Memo(self._describe)
        memo = self._memo
        found = [one for text in _masked(data) for one in numbered(text, memo.__getitem__, self._once)]
        numbers = np.concatenate([np.zeros(0, np.int32), *(one.numbers for one in found)])
        starts = np.concatenate(([0], *(one.lengths + 1 for one in found)))
        np.cumsum(starts, out=starts)
        starts[-1] = len(data)  # the last line of an input may have no end
        for line in range(int(np.searchsorted(starts[:-1], WORD))):
            if starts[line] + memo.digits[numbers[line]] < WORD:
                numbers[line] = 0  # values are taken from words, and no word ends here
        return Lines(data, numbers, starts, memo)


def _masked(data: bytes) -> Iterator[bytes]:
    """One chunk of whole lines after the other, with zeros for digits."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + CHUNK_BYTES) + 1 or data.find(b"\n", start) + 1 or len(data)
        yield with_zeros(data[start:end])
        start = end


def with_zeros(chunk: bytes) -> bytes:
    """A chunk with zeros for digits; as arithmetic on many bytes at once it takes half as long as by a table."""
    values = np.frombuffer(chunk, np.uint8)
    above_zero = values - _ZERO
    above_zero *= above_zero < _TEN
    return (values - above_zero).tobytes()
