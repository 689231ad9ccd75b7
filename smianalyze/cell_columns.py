"""Cells of many lines by column: those that differ in digits only have one shape, and what it says holds for all.

Lines whose shapes hardly come again, as the widths of their cells multiply, still have few shapes in each column.
So a column is described by its shapes, its numbers are folded where they stand, and each of its texts is decoded
once. A cell that was met before is found by a hash of its bytes, eight at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from smianalyze.cell_slots import Slots
from smianalyze.offsets import DIGITS, LAST, TENS, Texts, Words, codes_of, folded
from smianalyze.shapes import MASK, MAX_SHAPES, WORD, Flags, Indexes

LONGEST_CELL = 128  # bytes; a longer one belongs to a line that is read alone
_ZEROS, _ABOVE_NINE, _HIGH = (np.uint64(byte * ((1 << 64) // 255)) for byte in (0x30, 0x76, 0x80))
_BEFORE = bytes(LONGEST_CELL + WORD)  # so that there are words before the first cells
# by the number of a word, counted from the end of a value, and the width of the value: which bytes belong to it
_OF_VALUE = [LAST[np.clip(np.arange(LONGEST_CELL + 2) - end, 0, WORD)] for end in range(0, len(_BEFORE), WORD)]
_DIGITS_OF_VALUE = [of_value & DIGITS for of_value in _OF_VALUE]
_Said = TypeVar("_Said", bound=np.generic)

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

    @property
    def digits(self) -> int:
        """Digits of its number; 0 if it is none."""
        return self.width - (self.fraction > 0) if self.kind == NUMBER else 0


class CellMemo(dict[bytes, CellShape]):
    """Shape of a cell by its bytes with zeros for digits.

    Attributes:
        texts: Values that were met.
        met: The shape of each cell that was met; cells that differ in digits are one unless their texts count.
        numbers: Number of the text of each of them, if their texts count.
    """

    def __init__(self, describe: Callable[[str], CellShape], *, is_text: bool = False) -> None:
        """Remember nothing yet.

        Args:
            describe: What a cell is, by its text with zeros for digits.
            is_text: Whether the texts of cells are asked for, and not their digits.
        """
        super().__init__()
        self.texts = Texts()
        self.is_text = is_text
        self._describe = describe
        self._forget()

    def _forget(self) -> None:
        self.met: list[CellShape] = []
        self.numbers: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._codes: dict[bytes, int] = {}
        self._slots = Slots()

    def __missing__(self, cell: bytes) -> CellShape:
        if len(self) >= MAX_SHAPES or len(cell) > LONGEST_CELL:
            return CellShape(ALONE)
        shape = self[cell] = self._describe(cell.decode())
        return shape

    @cached_property
    def of_texts(self) -> CellMemo:
        """The same for cells whose texts count."""
        return CellMemo(self._describe, is_text=True)

    @property
    def words(self) -> int:
        """Words of a cell that :meth:`codes` needs at least."""
        return self._slots.count

    def codes(self, block: CellBytes, widths: Indexes, ends: Indexes, words: Sequence[Words]) -> Indexes:
        """Which of the cells that were met each cell is.

        Args:
            block: The lines.
            widths: Bytes of each cell.
            ends: Where it ends.
            words: The bytes of each cell from its end on, eight by eight; what stands before the cell is zero.
        """
        if len(self.met) >= MAX_SHAPES:
            self._forget()
        if not self.is_text:
            words = [_masked(word) for word in words]
        codes, is_met = self._slots.codes(words)
        if not is_met.all():
            new = np.flatnonzero(~is_met)
            of_new, firsts = codes_of([word[new] for word in words])
            rows = new[firsts]
            given = zip(widths[rows].tolist(), ends[rows].tolist(), strict=True)
            cells = [block.data[end - width : end] for width, end in given]
            found = np.array(self._met(cells))
            codes[new] = found[of_new]
            self._slots.add([word[rows] for word in words], found)
        return codes

    def _met(self, cells: Sequence[bytes]) -> list[int]:
        """The codes of some cells."""
        keys = cells if self.is_text else [cell.translate(MASK) for cell in cells]
        new = [key for key in dict.fromkeys(keys) if key not in self._codes]
        shapes = [self[key.translate(MASK)] for key in new]
        self._codes.update((key, len(self.met) + place) for place, key in enumerate(new))
        self.met += shapes
        if self.is_text:
            ends = [len(key) - shape.tail for key, shape in zip(new, shapes, strict=True)]
            values = [key[end - shape.width : end] for key, end, shape in zip(new, ends, shapes, strict=True)]
            self.numbers = np.append(self.numbers, self.texts.numbers(value.decode() for value in values))
        return [self._codes[key] for key in keys]


class CellBytes:
    """A block of lines whose cells are read: ASCII, without NUL.

    Attributes:
        data: Its bytes.
    """

    def __init__(self, data: bytes) -> None:
        """Prepare."""
        self.data = data
        self._padded = _BEFORE + data

    def before(self, ends: Indexes, count: int) -> list[Words]:
        """Words before each of some places, those that are next to it first.

        Args:
            ends: The places.
            count: How many words.
        """
        size = WORD * count
        every = np.ndarray((len(self.data) + 1,), f"V{size}", self._padded, len(_BEFORE) - size, (1,))
        words = every[ends].view("<u8").reshape(-1, count)  # this takes as long for four words as for one
        return [words[:, place] for place in range(count - 1, -1, -1)]


class Column:
    """The cells of one column.

    Attributes:
        block: The lines.
        starts: Where each cell begins.
        ends: Where each cell ends.
        memo: What was met in this column.
        codes: Which of it each cell is.
        shapes: The shapes that are among them.
    """

    def __init__(self, block: CellBytes, starts: Indexes, ends: Indexes, memo: CellMemo) -> None:
        """Tell the cells apart."""
        self.block = block
        self.starts = starts
        self.ends = ends
        self.memo = memo
        widths = np.minimum(ends - starts, LONGEST_CELL + 1)  # what is longer is none of ours, however long it is
        self._words = _words_of(block, ends, widths, memo.words)
        self.codes = memo.codes(block, widths, ends, self._words)
        self._present: list[int] = np.flatnonzero(np.bincount(self.codes)).tolist()
        self._met, self._numbers = memo.met, memo.numbers  # the memo may forget them
        self.shapes = [memo.met[code] for code in self._present]

    def may(self, ask: Callable[[CellShape], bool]) -> bool:
        """Whether something holds for some cell."""
        return any(map(ask, self.shapes))

    def where(self, ask: Callable[[CellShape], bool]) -> Flags:
        """For which cells it holds."""
        result = self._by_code(np.array([ask(shape) for shape in self.shapes], np.bool_))
        return np.broadcast_to(result, self.codes.shape)

    def each(self, field: str) -> Indexes:
        """A number that the shape of each cell says; a single one if it is the same for all."""
        return self._by_code(np.array([getattr(shape, field) for shape in self.shapes], np.int64))

    def _by_code(self, said: npt.NDArray[_Said]) -> npt.NDArray[_Said]:
        if len(said) and (said == said[0]).all():
            return said[:1]
        table = np.zeros(len(self._met), said.dtype)
        table[self._present] = said
        return table[self.codes]

    def text_numbers(self) -> npt.NDArray[np.int32]:
        """Number of the text of each cell."""
        return self._numbers[self.codes]

    def numbers(self) -> Indexes:
        """All digits of each cell as one number, without its decimal point; 0 where there is none."""
        words = self._before_tails()
        if self.may(_has_fraction):
            words = _without_points(words, self.each("fraction"))
        return _joined(words, self.each("digits"))

    def _before_tails(self) -> Sequence[Words]:
        """The bytes of each cell from the end of its value on, as many words as numbers need."""
        tails = self.each("tail")
        count = _words_for(max((shape.width for shape in self.shapes if shape.digits), default=0))
        if tails.max(initial=0) >= WORD:
            return self.block.before(self.ends - tails, count)
        return _shifted(self._words[: count + 1], tails)[:count] if tails.any() else self._words[:count]

    def decimals(self) -> npt.NDArray[np.float64]:
        """Each cell as a decimal: one division by a power of ten rounds as ``float`` does."""
        result: npt.NDArray[np.float64] = self.numbers() / TENS[self.each("fraction")]
        return result


def number_before(block: CellBytes, ends: Indexes, widths: Indexes) -> Indexes:
    """The number that ends at each place and has so many digits, 16 at most; 0 where it has none."""
    return _joined(block.before(ends, _words_for(int(widths.max(initial=0)))), widths)


def _has_fraction(shape: CellShape) -> bool:
    return shape.fraction > 0


def _joined(words: Sequence[Words], widths: Indexes) -> Indexes:
    """The numbers that the last digits of some words are."""
    result = folded(words[0] & _DIGITS_OF_VALUE[0][widths])
    for place, word in enumerate(words[1:], 1):
        result += folded(word & _DIGITS_OF_VALUE[place][widths]) * 10 ** (place * WORD)
    return result


def _shifted(words: Sequence[Words], count: Indexes) -> list[Words]:
    """Words without some of their last letters, less than eight."""
    shift: Words = count.astype(np.uint64) * np.uint64(WORD)
    back: Words = np.uint64(WORD * WORD) - shift
    rest = [*words[1:], np.zeros_like(words[0])]
    return [word << shift | before >> back for word, before in zip(words, rest, strict=True)]


def _without_points(words: Sequence[Words], fractions: Indexes) -> list[Words]:
    """Words that end with decimals: what stands before a point is moved by one letter, onto it."""
    behind = [of_value[fractions] for of_value in _OF_VALUE[: len(words)]]
    moved = _shifted(words, np.minimum(fractions, 1))
    return [word & mask | above & ~mask for word, above, mask in zip(words, moved, behind, strict=True)]


def _words_of(block: CellBytes, ends: Indexes, widths: Indexes, least: int) -> list[Words]:
    """The bytes of each cell from its end on, eight by eight; what stands before the cell is zero.

    Args:
        block: The lines.
        ends: Where each cell ends.
        widths: Bytes of each cell.
        least: Number of words at least.
    """
    words = block.before(ends, max(least, _words_for(int(widths.max(initial=0)))))
    if len(widths) and widths.min() == widths.max():
        widths = widths[:1]
    return [word & of_value[widths] for word, of_value in zip(words, _OF_VALUE, strict=False)]


def _words_for(width: int) -> int:
    """How many words hold so many bytes; one at least."""
    return max(1, -(-width // WORD))


def _masked(words: Words) -> Words:
    """Words with one and the same letter for all digits, and another one for each other letter."""
    turned = words ^ _ZEROS  # digits are now 0 to 9
    others = (turned + _ABOVE_NINE) & _HIGH
    turned &= others - (others >> np.uint64(7))
    return turned
