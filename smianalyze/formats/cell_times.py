"""Times of many cells at once, written as ``2026/11/30 19:36:19.728``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.cell_columns import Column, number_before
from smianalyze.offsets import LAST, Words
from smianalyze.shapes import WORD, Flags, Indexes

_DATE = 10  # letters of 2026/11/30
_MICRO = 6  # digits behind the point that are kept
_POWERS = 10 ** np.arange(_MICRO + 1)
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
    clock, *dates = column.block.before(ends - fractions - (fractions > 0), 3)
    seconds, is_clock = seconds_of(clock)
    days, is_date = _days(dates)
    values = (days * 86_400 + seconds) * 10**_MICRO
    if fractions.any():
        digits = number_before(column.block, ends, fractions)
        values += digits * _power(_MICRO - fractions) // _power(fractions - _MICRO)
    return Times(values.view("M8[us]"), is_clock & is_date)


def _power(exponents: Indexes) -> Indexes:
    return _POWERS[np.clip(exponents, 0, _MICRO)]


def seconds_of(clocks: Words) -> tuple[Indexes, Flags]:
    """Seconds since midnight, and whether there is such a time of day."""
    digits = clocks & _DIGITS
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))).view(np.int64)
    hours, minutes, seconds = (pairs >> place & 0xFF for place in (0, 24, 48))
    return (hours * 60 + minutes) * 60 + seconds, (hours < 24) & (minutes < 60) & (seconds < 60)


def _days(words: Sequence[Words]) -> tuple[Indexes, Flags]:
    """Days since 1970, and whether there is such a date; it hardly changes from line to line.

    Args:
        words: Two before each time of day: the date and a blank.
    """
    last, first = words[0], words[1] & LAST[_DATE + 1 - WORD]
    changes = np.flatnonzero((last[1:] != last[:-1]) | (first[1:] != first[:-1])) + 1
    starts = np.append(np.zeros(min(1, len(last)), np.int64), changes)
    texts = np.stack((first[starts], last[starts]), axis=1).view(f"V{2 * WORD}").ravel().tolist()
    days = np.repeat([_day(text[-_DATE - 1 : -1]) for text in texts], np.diff(np.append(starts, len(last))))
    return days.astype(np.int64), days > _NO_DATE


@lru_cache(4096)
def _day(text: bytes) -> int:
    try:
        return date.fromisoformat(text.decode("ascii", "replace").replace("/", "-")).toordinal() - _EPOCH
    except ValueError:
        return _NO_DATE


_EPOCH = date(1970, 1, 1).toordinal()
