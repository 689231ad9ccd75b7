"""Values of many pieces of a log at once, by the rules of their shapes.

A figure is the number that its digits are, times a power of ten: both are exact in a float, so that one
multiplication or division rounds as ``float`` does. What that does not hold for is left to ``float``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.log_rules import CONSTANT, LONG, MOMENT, NOTHING, TEXT, Table
from smianalyze.offsets import MAX_DIGITS, Array, Cells, folded, folded_at
from smianalyze.shapes import WORD, Flags, Indexes

MAX_POWER = 22  # of ten, as far as it is exact in a float
_WIDE_BITS = 63  # behind the point, of what is wide enough for all digits that a float is printed with
_DROPPED, _MIDDLE = (
    np.uint64(0x7FF),
    np.uint64(0x400),
)  # of these, what is left out in a float, and half of its last bit
_WIDE_DIGITS = 19  # of a whole number that it holds exactly
_WIDE_POWER = 27  # of ten, that it holds exactly
_WIDE_TENS = np.array([10**power for power in range(_WIDE_DIGITS + 1)], np.uint64)
_WIDE_SCALES = np.cumprod(np.array([1, *[10] * _WIDE_POWER], np.longdouble))
_PARTS_OF_MOMENT = ((4, 4), (7, 2), (10, 2), (13, 2), (16, 2), (19, 2))  # where each ends, and its digits
_LENGTH_WITHOUT_FRACTION = 19
_TENS = 10.0 ** np.arange(MAX_POWER + 1)
_LETTER_BITS = np.uint64(8)
_WHOLE_TENS = 10 ** np.arange(MAX_DIGITS + 1)


class At(NamedTuple):
    """Pieces of a block.

    Attributes:
        data: The block.
        words: The eight bytes before each place in it.
        starts: Where each piece begins.
        shapes: Its shape.
    """

    data: bytes
    words: npt.NDArray[np.void]
    starts: Indexes
    shapes: Indexes

    def field(self, table: Table, name: str) -> Indexes:
        """A field of the rule of each piece."""
        return table.fields[name].take(self.shapes)

    def powers(self, table: Table) -> Indexes:
        """The power of ten that the digits of each piece are multiplied by."""
        powers = -self.field(table, "fraction")
        if not table.has_powers:
            return powers
        ends = self.starts + self.field(table, "power_end")
        return powers + self.field(table, "power_sign") * folded_at(
            self.words, ends, self.field(table, "power_digits")
        )

    def texts(self, table: Table, rows: Indexes) -> Iterator[str]:
        """The text of the value in some of the pieces."""
        ends = self.starts[rows] + table.fields["text_end"][self.shapes[rows]]
        starts = ends - table.fields["length"][self.shapes[rows]]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            yield self.data[start:end].decode()


class Column(NamedTuple):
    """Values of a column, and the pieces that say something else than their shape (None: there are none)."""

    cells: Cells
    unsure: Flags | None = None


def column_of(at: At, table: Table) -> Column:
    """The values of a column."""
    kinds = at.field(table, "kind")
    known = None if kinds.all() else kinds != NOTHING
    if MOMENT in table.kinds:
        return _moments(at, table)
    if CONSTANT in table.kinds:
        return Column(Cells(table.constants[at.shapes], known, table.texts))
    if TEXT in table.kinds:
        values = np.full(len(kinds), None, np.object_)
        rows = np.flatnonzero(kinds)
        shared: dict[str, str] = {}
        values[rows] = [shared.setdefault(text, text) for text in at.texts(table, rows)]
        return Column(Cells(values, known))
    return Column(Cells(_figures(at, table), known))


def _figures(at: At, table: Table) -> Array:
    """Numbers; a duration is the last of its numbers and all others."""
    if table.is_short and table.is_whole and not table.is_scaled:
        return _short(at, table)
    if table.is_short and not (table.is_scaled or table.has_powers):
        return _with_runs(at, table, _short(at, table) / table.tens.take(at.shapes))
    fractions = at.field(table, "fraction")
    is_long = at.field(table, "kind") == LONG if LONG in table.kinds else np.zeros(0, np.bool_)
    if is_long.any():
        fractions = np.where(is_long, 0, fractions)
    numbers = _short(at, table) if table.is_short else _digits(at, table, fractions, is_long)
    if table.is_whole:
        return numbers * at.field(table, "sign") * at.field(table, "factor") if table.is_scaled else numbers
    powers = at.powers(table)
    if table.is_scaled:
        numbers = numbers * at.field(table, "times")
    over = _TENS[np.clip(-powers, 0, MAX_POWER)] if table.has_powers or is_long.any() else _TENS[fractions]
    values = numbers / (over * at.field(table, "over") if table.is_scaled else over)
    if table.has_powers and (up := powers > 0).any():
        values[up] = numbers[up] * _TENS[np.minimum(powers[up], MAX_POWER)]
    if table.is_scaled:
        values *= at.field(table, "sign") * at.field(table, "factor")
        values[at.field(table, "is_share") > 0] /= 100
    values = _with_runs(at, table, values)
    doubtful = np.abs(powers) > MAX_POWER if table.has_powers else np.zeros(len(powers), np.bool_)
    if is_long.any():
        rows = np.flatnonzero(is_long)
        some = at._replace(starts=at.starts[rows], shapes=at.shapes[rows])
        values[rows], doubtful[rows] = _long(some, table, powers[rows])
    rows = np.flatnonzero(doubtful)
    values[rows] = np.fromiter(map(float, at.texts(table, rows)), np.float64, len(rows))
    return values


def _with_runs(at: At, table: Table, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Durations with their other numbers."""
    for ends, digits, seconds in table.runs_of(at.shapes):
        values = values + folded_at(at.words, at.starts + ends, digits) * seconds
    return values


def _short(at: At, table: Table) -> Indexes:
    """The digits before and behind the point as one number, where all stand in one word with it."""
    words = at.words[at.starts + at.field(table, "last_digit_end")].view("<u8")
    return folded(
        (words & table.behind.take(at.shapes)) | ((words << _LETTER_BITS) & table.before.take(at.shapes))
    )


def _digits(at: At, table: Table, fractions: Indexes, is_long: Flags) -> Indexes:
    """The same, where there are more; of long ones none."""
    digits, ends = at.field(table, "digits"), at.starts + at.field(table, "end")
    if is_long.any():
        digits = np.where(is_long, 0, digits)
    numbers = folded_at(at.words, ends, digits)
    if fractions.any():
        return numbers * _WHOLE_TENS[fractions] + folded_at(at.words, ends + 1 + fractions, fractions)
    return numbers


def _long(at: At, table: Table, powers: Indexes) -> tuple[npt.NDArray[np.float64], Flags]:
    """Numbers of more digits than are exact in a float, and which of them must be read as texts.

    Where there are 64 bits for the digits, one multiplication or division is off by less than its last bit. How it
    is rounded to a float may then be wrong only if it stands in the middle of two.
    """
    fractions = at.field(table, "fraction")
    ends = at.starts + at.field(table, "end")
    whole, is_whole_more = _wide(at.words, ends, at.field(table, "digits"))
    behind, is_behind_more = _wide(at.words, ends + 1 + fractions, fractions)
    numbers = (whole * _WIDE_TENS[np.minimum(fractions, _WIDE_DIGITS)] + behind).astype(np.longdouble)
    scales = _WIDE_SCALES[np.minimum(np.abs(powers), _WIDE_POWER)]
    up = powers > 0
    exact = np.where(up, numbers * scales, numbers / scales) if up.any() else numbers / scales
    has_more = (
        (whole > 0) & (at.field(table, "digits") + fractions > _WIDE_DIGITS) | is_whole_more | is_behind_more
    )
    doubtful = has_more | (np.abs(powers) > _WIDE_POWER) | _is_in_the_middle(exact)
    return exact.astype(np.float64) * at.field(table, "sign"), doubtful


def _is_in_the_middle(exact: npt.NDArray[np.longdouble]) -> Flags:
    """Whether a wide float stands in the middle of two floats; anything may where wide ones are made otherwise."""
    if np.finfo(np.longdouble).nmant != _WIDE_BITS or sys.byteorder != "little":
        return np.ones(len(exact), np.bool_)
    digits = exact.view(np.uint64)[:: exact.itemsize // WORD]
    middle: Flags = (digits & _DROPPED) == _MIDDLE
    return middle


def _wide(words: npt.NDArray[np.void], ends: Indexes, digits: Indexes) -> tuple[npt.NDArray[np.uint64], Flags]:
    """Numbers of some digits, and which of them have more than :data:`_WIDE_DIGITS` without zeros in front."""
    numbers = folded_at(words, ends, np.minimum(digits, 2 * WORD)).astype(np.uint64)
    has_more = np.zeros(len(digits), np.bool_)
    rows = np.flatnonzero(digits > 2 * WORD)
    high = folded_at(words, ends[rows] - 2 * WORD, digits[rows] - 2 * WORD)
    numbers[rows] += high.astype(np.uint64) * np.uint64(10 ** (2 * WORD))
    has_more[rows] = high >= 10 ** (_WIDE_DIGITS - 2 * WORD)
    return numbers, has_more


def _moments(at: At, table: Table) -> Column:
    """Times; where there is no such day or hour, the piece says something else."""
    is_one = at.field(table, "kind") == MOMENT
    begins = at.field(table, "end") - at.field(table, "length")
    year, month, day, hour, minute, second = (
        folded_at(at.words, at.starts + is_one * (begins + end), is_one * digits)
        for end, digits in _PARTS_OF_MOMENT
    )
    digits = np.maximum(at.field(table, "length") - _LENGTH_WITHOUT_FRACTION - 1, 0)
    micros = folded_at(at.words, at.starts + at.field(table, "end"), digits) * _WHOLE_TENS[6 - digits]
    months = ((year - 1970) * 12 + month - 1).astype("M8[M]")
    days = months.astype("M8[D]") + (day - 1)
    seconds = hour * 3_600 + minute * 60 + second
    is_day = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("M8[M]") == months)
    is_time = (hour < 24) & (minute < 60) & (second < 60)
    values = days.astype("M8[us]") + (seconds * 1_000_000 + micros)
    known = None if is_one.all() else is_one
    unsure = is_one & ~(is_day & is_time)
    return Column(Cells(values, known), unsure if unsure.any() else None)
