"""Cells of many lines by column: those that differ in digits only have one shape, and what it says holds for all.

Lines whose shapes hardly come again, as the widths of their cells multiply, still have few shapes in each column.
So a column is described by its shapes, its numbers are folded where they stand, and each of its texts is decoded
once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.offsets import LAST, TENS, Texts, Words, codes_of, folded_at
from smianalyze.shapes import MASK, MAX_SHAPES, WORD, Flags, Indexes

LONGEST_CELL = 128  # bytes; a longer one belongs to a line that is read alone
_BYTES = (1 << 64) // 255  # a 1 in each byte of a word


NUMBER, TEXT, TIME, UNKNOWN, ALONE = "number", "text", "time", "unknown", "alone"
"""Kinds of cells; the line of one that is alone is read without the others."""


class CellShape(NamedTuple):
    """What all cells of a shape are.

    Attributes:
        kind: One of the kinds above.
        tail: Bytes behind the value: its unit, and blanks.
        width: Bytes of the value.
        fraction: Digits behind its decimal point.
        has_unit: Whether the unit of its column stands behind it.
        lacks_unit: Whether one should.
        is_telling: Whether it speaks for a row of nvidia-smi.
        is_certain: Whether it can hardly be anything else.
    """

    kind: str
    tail: int = 0
    width: int = 0
    fraction: int = 0
    has_unit: bool = False
    lacks_unit: bool = False
    is_telling: bool = False
    is_certain: bool = False


class CellMemo(dict[bytes, CellShape]):
    """Shape of a cell by its bytes with zeros for digits.

    Attributes:
        texts: Values that were met.
    """

    def __init__(self, describe: Callable[[str], CellShape]) -> None:
        """Remember nothing yet.

        Args:
            describe: What a cell is, by its text with zeros for digits.
        """
        super().__init__()
        self.texts = Texts()
        self._describe = describe

    def __missing__(self, cell: bytes) -> CellShape:
        if len(self) >= MAX_SHAPES or len(cell) > LONGEST_CELL:
            return CellShape(ALONE)
        shape = self[cell] = self._describe(cell.decode())
        return shape

    def of(self, cell: bytes) -> CellShape:
        """The shape of a cell."""
        return self[cell.translate(MASK)]


class CellBytes:
    """A block of lines whose cells are read.

    Attributes:
        data: Its bytes.
        words: ``words[end]`` are the eight bytes before ``end``.
    """

    def __init__(self, data: bytes) -> None:
        """Prepare."""
        self.data = data
        self.words = np.ndarray((len(data) + 1,), f"V{WORD}", bytes(WORD) + data, 0, (1,))


class Column(NamedTuple):
    """The cells of one column.

    Attributes:
        block: The lines.
        starts: Where each cell begins.
        ends: Where each cell ends.
        codes: Which of the shapes each cell has.
        shapes: What they are.
        texts: Number of the value of each shape, if each text is a shape of its own.
    """

    block: CellBytes
    starts: Indexes
    ends: Indexes
    codes: Indexes
    shapes: list[CellShape]
    texts: npt.NDArray[np.int32] | None = None

    def may(self, ask: Callable[[CellShape], bool]) -> bool:
        """Whether something holds for some cell."""
        return any(map(ask, self.shapes))

    def where(self, ask: Callable[[CellShape], bool]) -> Flags:
        """For which cells it holds."""
        result: Flags = np.array([ask(shape) for shape in self.shapes], np.bool_)[self.codes]
        return result

    def numbers(self) -> Indexes:
        """All digits of each cell as one number, without its decimal point; 0 where there is none."""
        tails, widths = self.each("tail"), self.each("width")
        if self.may(_is_no_number):
            widths[self.where(_is_no_number)] = 0
        ends = self.ends - tails
        words = self.block.words
        if not self.may(_has_fraction):
            return folded_at(words, ends, widths)
        fractions = self.each("fraction")
        points = fractions > 0
        whole = folded_at(words, ends - fractions - points, widths - fractions - points)
        scales = np.array([10**shape.fraction for shape in self.shapes])[self.codes]
        joined: Indexes = whole * scales + folded_at(words, ends, fractions)
        return joined

    def decimals(self) -> npt.NDArray[np.float64]:
        """Each cell as a decimal: one division by a power of ten rounds as ``float`` does."""
        scales = np.array([TENS[shape.fraction] for shape in self.shapes])
        is_one = len(scales) > 0 and bool((scales == scales[0]).all())
        result: npt.NDArray[np.float64] = self.numbers() / (scales[0] if is_one else scales[self.codes])
        return result

    def each(self, field: str) -> Indexes:
        """A number that the shape of each cell says."""
        result: Indexes = np.array([getattr(shape, field) for shape in self.shapes], np.int64)[self.codes]
        return result


def _has_fraction(shape: CellShape) -> bool:
    return shape.fraction > 0


def _is_no_number(shape: CellShape) -> bool:
    return shape.kind != NUMBER


def column_of(block: CellBytes, starts: Indexes, ends: Indexes, memo: CellMemo, *, is_text: bool) -> Column:
    """The cells of a column.

    Args:
        block: The lines; they hold no NUL.
        starts: Where each cell begins.
        ends: Where it ends.
        memo: The shapes of this column.
        is_text: Whether the texts of its cells are asked for, and not their digits.
    """
    words = _words_before(block, ends, ends - starts)
    codes, rows = codes_of(words if is_text else [_masked(word) for word in words])
    cells = [block.data[start:end] for start, end in zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)]
    shapes = [memo.of(cell) for cell in cells]
    if not is_text:
        return Column(block, starts, ends, codes, shapes)
    values = [
        cell[len(cell) - one.tail - one.width : len(cell) - one.tail]
        for cell, one in zip(cells, shapes, strict=True)
    ]
    texts = memo.texts.numbers(value.decode() for value in values)
    return Column(block, starts, ends, codes, shapes, texts)


def _words_before(block: CellBytes, ends: Indexes, widths: Indexes) -> list[Words]:
    """The bytes of each cell from its end on, eight by eight; what stands before the cell is zero."""
    longest = min(int(widths.max(initial=0)), LONGEST_CELL + 1)
    is_even = longest == widths.min(initial=longest)
    words: list[Words] = []
    for back in range(0, max(longest, 1), WORD):
        found = block.words[ends - back].view("<u8") if back else block.words[ends].view("<u8")
        if not is_even:
            words.append(found & LAST[np.clip(widths - back, 0, WORD)])
        elif longest - back >= WORD:
            words.append(found)
        else:
            words.append(found & LAST[longest - back])
    return words


def _masked(words: Words) -> Words:
    """Words with 0 for each digit, eight letters at a time."""
    high = np.uint64(0x80 * _BYTES)
    shifted = words ^ np.uint64(0x30 * _BYTES)  # digits are now 0 to 9
    others = ((shifted & ~high) + np.uint64(0x76 * _BYTES)) | shifted  # the high bit of all other letters
    return words & ~(((~others & high) >> np.uint64(7)) * np.uint64(0x0F))
