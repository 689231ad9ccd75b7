"""Values of a column from many lines at once, by the places that their shapes give.

Numbers are folded, eight digits at a time; texts that hold digits are hashed and compared with the one that stands
for them, so that each is decoded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from smianalyze.shapes import WORD, Flags, Indexes, Lines

Array = npt.NDArray[np.generic]
Words = npt.NDArray[np.uint64]

MAX_DIGITS = 15  # of a decimal: as many are exact in a float, and so is the power of ten they are divided by
_ALL = (1 << 64) - 1
LAST = np.array([_ALL << 8 * (WORD - width) & _ALL for width in range(WORD + 1)], np.uint64)
LAST[0] = 0
DIGITS = np.uint64(0x0F0F0F0F0F0F0F0F)
"""What of the letters in a word tells digits apart."""
TENS = 10.0 ** np.arange(MAX_DIGITS + 1)
# any odd numbers: they mix the words of a text
_MIX = [np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)]
_SHIFT = np.uint64(29)


class Cells(NamedTuple):
    """A column of some rows.

    Attributes:
        values: One for each row; of texts that are listed, their numbers.
        known: Which of them are known; None for all.
        texts: The texts that are numbered.
    """

    values: Array
    known: Flags | None = None
    texts: Sequence[str] | None = None

    def taken(self, rows: Indexes) -> Cells:
        """The cells of some rows."""
        return self._replace(
            values=self.values.take(rows), known=None if self.known is None else self.known.take(rows)
        )

    def objects(self) -> Array:
        """The values; of texts, these themselves."""
        return self.values if self.texts is None else np.array([*self.texts, None], np.object_)[self.values]


class Texts:
    """Different texts, each with a number."""

    def __init__(self) -> None:
        """None yet."""
        self.listed: list[str] = []
        self._numbers: dict[str, int] = {}

    def numbers(self, texts: Iterable[str]) -> npt.NDArray[np.int32]:
        """The numbers of some texts; those that are new get one."""
        return np.array([self._number(text) for text in texts], np.int32)

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.listed))
        if number == len(self.listed):
            self.listed.append(text)
        return number


def integers(lines: Lines, column: str, rows: Indexes) -> Cells:
    """Whole numbers of up to 16 digits.

    Args:
        lines: The block.
        column: Name of the column.
        rows: Lines to take it from; -1 for none.
    """
    ids = lines.ids[rows]
    places = lines.places(column)
    widths = places.widths[ids]
    return Cells(_number(lines, lines.starts[rows] + places.ends[ids], widths), _known(widths))


def decimals(lines: Lines, column: str, rows: Indexes) -> Cells:
    """Decimals of up to :data:`MAX_DIGITS` digits; one division by a power of ten rounds as ``float`` does."""
    ids = lines.ids[rows]
    places = lines.places(column)
    widths, fractions = places.widths[ids], places.fractions[ids]
    ends = lines.starts[rows] + places.ends[ids]
    points = fractions > 0
    values = _number(lines, ends - fractions - points, widths - fractions - points)
    if points.any():
        scales = TENS[fractions]
        return Cells((values * scales + _number(lines, ends, fractions)) / scales, _known(widths))
    return Cells(values.astype(np.float64), _known(widths))


def texts(lines: Lines, column: str, rows: Indexes, shared: Texts) -> Cells:
    """Texts as numbers.

    Args:
        lines: The block.
        column: Name of the column.
        rows: Lines to take it from; -1 for none.
        shared: Texts that were met before.
    """
    ids = lines.ids[rows]
    places = lines.places(column)
    widths = places.widths[ids]
    values = shared.numbers(text or "" for text in places.texts)[ids]
    vary = np.flatnonzero(places.vary[ids])
    for width in np.flatnonzero(np.bincount(widths[vary])).tolist():
        here = vary[widths[vary] == width]
        values[here] = _texts(lines, lines.starts[rows[here]] + places.ends[ids[here]], width, shared)
    return Cells(values, _known(widths), shared.listed)


def _known(widths: Indexes) -> Flags | None:
    known = widths > 0
    return None if known.all() else known


def _words(lines: Lines, ends: Indexes) -> Words:
    return lines.words[ends - WORD].view("<u8")


def _number(lines: Lines, ends: Indexes, widths: Indexes) -> Indexes:
    return folded_at(lines.words, ends - WORD, widths)


def folded_at(words: npt.NDArray[np.void], ends: Indexes, widths: Indexes) -> Indexes:
    """The number that ends at each place and has so many digits, 16 at most; 0 where it has none.

    Args:
        words: The eight bytes before each place.
        ends: The places.
        widths: Number of digits.
    """
    if not len(widths) or widths.max() <= WORD:
        return _folded(words[ends].view("<u8"), widths)
    values = _folded(words[ends].view("<u8"), np.minimum(widths, WORD))
    wide = np.flatnonzero(widths > WORD)
    values[wide] += 10**WORD * _folded(words[ends[wide] - WORD].view("<u8"), widths[wide] - WORD)
    return values


def _folded(words: Words, widths: Indexes) -> Indexes:
    """The number that the last digits of a word are."""
    return folded(words & LAST[widths] & DIGITS)


def folded(digits: Words) -> Indexes:
    """The number that eight digits are: neighbours are joined, then pairs, then fours."""
    digits = (digits * np.uint64(10 * 2**8 + 1)) >> np.uint64(8)
    digits = ((digits & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 * 2**16 + 1)) >> np.uint64(16)
    digits = ((digits & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(10**4 * 2**32 + 1)) >> np.uint64(32)
    return digits.view(np.int64)


def _texts(lines: Lines, ends: Indexes, width: int, shared: Texts) -> npt.NDArray[np.int32]:
    """Texts of one width, by where they end."""
    words = [_words(lines, ends - back) for back in range(0, width - WORD + 1, WORD)]
    if width < WORD:
        words = [_words(lines, ends) & LAST[width]]
    elif width % WORD:
        words.append(_words(lines, ends - width + WORD))
    codes, samples = codes_of(words)
    return shared.numbers(lines.data[end - width : end].decode() for end in ends[samples].tolist())[codes]


def codes_of(words: list[Words]) -> tuple[Indexes, Indexes]:
    """A number for each text, given by its words, and the first row that has each."""
    if len(words) == 1:
        codes, _ = pd.factorize(words[0])
        return codes, _first_rows(codes)
    mixed = words[0]
    for word in words[1:]:
        mixed = (mixed * _MIX[0] ^ (mixed >> _SHIFT)) + word * _MIX[1]
    codes, _ = pd.factorize(mixed)
    samples = _first_rows(codes)
    if all((word[samples][codes] == word).all() for word in words):
        return codes, samples
    _, samples, codes = np.unique(np.stack(words, axis=1), axis=0, return_index=True, return_inverse=True)
    return codes, samples


def _first_rows(codes: Indexes) -> Indexes:
    rows = np.empty(codes.max(initial=-1) + 1, np.int64)
    rows[codes[::-1]] = np.arange(len(codes))[::-1]
    return rows
