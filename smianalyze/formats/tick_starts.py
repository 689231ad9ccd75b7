"""Where the ticks of a series begin, for all of its rows at once."""

from __future__ import annotations

import numpy as np

from smianalyze.shapes import Flags, Indexes

_WALK = 64  # ticks that are followed one by one where their lengths differ
_NARROW = 2**16 - 1  # so many keys are sorted by their bytes


def next_equal(keys: Indexes) -> Indexes:
    """Of each row the next one with the same key; the number of rows where there is none.

    Args:
        keys: -1 is a key like any other.
    """
    count = len(keys)
    narrow = (keys + 1).astype(np.uint16) if keys.max(initial=0) < _NARROW else keys
    order = np.argsort(narrow, kind="stable")
    following = np.full(count, count, np.int64)
    is_same = keys[order[1:]] == keys[order[:-1]]
    following[order[:-1][is_same]] = order[1:][is_same]
    return following


def starts_of(repeats: Indexes, later: Flags) -> Indexes:
    """The first row of each tick.

    Args:
        repeats: Of each row the next one that cannot be in its tick; the number of rows where there is none.
        later: Rows that begin a tick in any case.
    """
    count = len(later)
    ends = repeats.copy()
    ends[:-1][later[1:]] = np.flatnonzero(later[1:]) + 1
    ends = np.minimum.accumulate(ends[::-1])[::-1]  # of a tick that begins with a row
    pieces = [np.zeros(0, np.int64)]
    place, window = 0, 1
    while place < count:
        step = int(ends[place]) - place
        run = np.arange(place, min(count, place + step * window), step)
        fits = ends[run] == run + step
        is_regular = bool(fits.all())
        pieces.append(run if is_regular else run[: int(fits.argmin()) + 1])
        if not is_regular:
            pieces.append(_walked(ends, int(ends[pieces[-1][-1]])))
        window = 2 * window if is_regular else 1
        place = int(ends[pieces[-1][-1]]) if len(pieces[-1]) else count
    return np.concatenate(pieces)


def _walked(ends: Indexes, place: int) -> Indexes:
    """The next ticks from a place on."""
    found: list[int] = []
    while place < len(ends) and len(found) < _WALK:
        found.append(place)
        place = int(ends[place])
    return np.array(found, np.int64)
