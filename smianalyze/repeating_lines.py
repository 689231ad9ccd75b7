"""Text that repeats, such as a screen that is printed each second: what a line says again is not looked up again.

Where text goes on as it did one period before, lines end where they ended, and one comparison of all of it tells
which of them are others than then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Indexes = npt.NDArray[np.int64]
LEAST_PERIODS = 4  # in fewer the comparison takes longer than it saves
LEAST_SAME = 16  # words for each that changed: where there are less, lines have moved
_LF = ord("\n")
_WORD = 8  # bytes that are compared at a time


class Numbered(NamedTuple):
    """The number of each of some lines, and its bytes without the line end."""

    numbers: npt.NDArray[np.int32]
    lengths: Indexes


def numbered(text: bytes, number: Callable[[bytes], int], once: bytes) -> Iterator[Numbered]:
    """The lines of a text, stretch by stretch.

    Args:
        text: Whole lines.
        number: The number of a line.
        once: Stands in each period once; empty if the text does not repeat.
    """
    start = 0
    while start < len(text):
        period = _period(text, start, once)
        found = _repeated(text, start, period, number) if period else None
        yield found or _one_by_one(text[start:], number)
        start = start + int((found.lengths + 1).sum()) if found else len(text)


def _period(text: bytes, start: int, once: bytes) -> int:
    """How many bytes may repeat from a line on; 0 if too few are left for that."""
    first = text.find(once, start) if once else -1
    second = text.find(once, first + 1) if first >= 0 else -1
    period = second - first
    return period if second >= 0 and len(text) - start >= LEAST_PERIODS * period else 0


def _one_by_one(text: bytes, number: Callable[[bytes], int]) -> Numbered:
    lines = text.removesuffix(b"\n").split(b"\n")
    numbers = np.fromiter(map(number, lines), np.int32, len(lines))
    return Numbered(numbers, np.fromiter(map(len, lines), np.int64, len(lines)))


def _repeated(text: bytes, start: int, period: int, number: Callable[[bytes], int]) -> Numbered | None:
    """The lines from a place on that end where others ended one period before; None if they are few."""
    changed, size = _changes(np.frombuffer(text, np.uint8)[start:], period)
    if size < LEAST_PERIODS * period or text[start + period - 1] != _LF:
        return None
    lengths, numbers = _one_by_one(text[start : start + period], number)[::-1]
    ends = np.cumsum(lengths + 1)
    count = int(_lines_at(np.array([size]), ends)[0])
    rounds = -(-count // len(ends))
    lines = _lines_at(changed, ends)
    others = lines[(np.diff(lines, prepend=-1) > 0) & (lines < count)]
    latest = np.zeros((rounds, len(ends)), np.int64)  # for each line the last one that was looked up in its place
    latest[0] = np.arange(len(ends))
    latest.flat[others] = others
    stops = start + others // len(ends) * period + ends[others % len(ends)] - 1
    begins = stops - lengths[others % len(ends)]
    known = np.zeros(latest.size, np.int32)
    known[: len(ends)] = numbers
    known[others] = [number(text[begin:stop]) for begin, stop in zip(begins.tolist(), stops.tolist(), strict=True)]
    return Numbered(known[np.maximum.accumulate(latest).reshape(-1)[:count]], np.tile(lengths, rounds)[:count])


def _changes(values: npt.NDArray[np.uint8], period: int) -> tuple[Indexes, int]:
    """The bytes that are not what they were one period before, and the number of bytes before a line moves."""
    count = (len(values) - period) // _WORD
    now, then = values[period:][: count * _WORD].view(np.uint64), values[: count * _WORD].view(np.uint64)
    words = np.flatnonzero(now != then)
    most = count // LEAST_SAME
    if len(words) > most:
        count, words = int(words[most]), words[:most]
    bytes_of_words = words[:, None] * _WORD + np.arange(period, period + _WORD)
    changed = bytes_of_words[values[bytes_of_words] != values[bytes_of_words - period]]
    moved = changed[(values[changed] == _LF) | (values[changed - period] == _LF)]
    size = int(moved[0]) if len(moved) else period + count * _WORD
    return changed[: np.searchsorted(changed, size)], size


def _lines_at(places: Indexes, ends: Indexes) -> Indexes:
    """The line that each place is in, where the lines that end here come again and again."""
    lines: Indexes = places // ends[-1] * len(ends) + np.searchsorted(ends, places % ends[-1], side="right")
    return lines
