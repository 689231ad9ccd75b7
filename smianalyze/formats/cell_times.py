"""Times of many cells at once, written as ``2026/11/30 19:36:19.728``."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.cell_columns import Column
from smianalyze.offsets import Words, codes_of, folded_at
from smianalyze.shapes import Flags, Indexes

_CLOCK = 8  # letters of 19:36:19
_DATE = 10  # letters of 2026/11/30
_MICRO = 6  # digits behind the point that are kept
_DIGITS = np.uint64(0x0F0F000F0F000F0F)  # of a clock, without its colons
_NO_DATE = -(2**31)


class Times(NamedTuple):
    """Times, and which of them there are: no 30th of February, no 25 o'clock."""

    values: npt.NDArray[np.datetime64]
    exist: Flags


def times_of(column: Column) -> Times:
    """The time of each cell; what is no time gives one that does not exist."""
    fractions = column.each("fraction")
    ends = column.ends - column.each("tail")
    clocks = ends - fractions - (fractions > 0)
    seconds, is_clock = seconds_of(column.block.words[clocks].view("<u8"))
    days, is_date = _days(column, clocks - _CLOCK - 1)
    micros = np.zeros(len(ends), np.int64)
    if fractions.any():
        digits = folded_at(column.block.words, ends, fractions)
        micros = digits * _power(_MICRO - fractions) // _power(fractions - _MICRO)
    values = (days * 86_400 + seconds) * 10**_MICRO + micros
    return Times(values.astype("M8[us]"), is_clock & is_date)


def _power(exponents: Indexes) -> Indexes:
    result: Indexes = np.array([10**number for number in range(_MICRO + 1)])[np.clip(exponents, 0, _MICRO)]
    return result


def seconds_of(clocks: Words) -> tuple[Indexes, Flags]:
    """Seconds since midnight, and whether there is such a time of day."""
    digits = clocks & _DIGITS
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))).view(np.int64)
    hours, minutes, seconds = (pairs >> place & 0xFF for place in (0, 24, 48))
    return (hours * 60 + minutes) * 60 + seconds, (hours < 24) & (minutes < 60) & (seconds < 60)


def _days(column: Column, ends: Indexes) -> tuple[Indexes, Flags]:
    """Days since 1970, and whether there is such a date; it hardly changes from line to line."""
    words = column.block.words
    codes, rows = codes_of([words[ends].view("<u8"), words[ends - 2].view("<u8")])
    data = column.block.data
    days = np.array([_day(data[end - _DATE : end]) for end in ends[rows].tolist()], np.int64)[codes]
    return days, days > _NO_DATE


@lru_cache(4096)
def _day(text: bytes) -> int:
    try:
        return date.fromisoformat(text.decode("ascii", "replace").replace("/", "-")).toordinal() - _EPOCH
    except ValueError:
        return _NO_DATE


_EPOCH = date(1970, 1, 1).toordinal()
