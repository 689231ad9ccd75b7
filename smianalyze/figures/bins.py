"""Thinning: so many samples that no screen shows them become bins, without losing a peak or closing a gap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smianalyze.analyses.identity import Integers
from smianalyze.analyses.ticks import Floats
from smianalyze.figures.tracks import Track

DRAWN_AS_IS = 150
"""So many samples are drawn one by one; more are put into bins."""
SAMPLES_A_BIN = 3
"""So many samples make the first bins, for the band from the lowest to the highest to say something."""
MOST_BINS = 500
"""Two dots of the picture each: more could not be told apart."""


class Band(NamedTuple):
    """A thinned track: of each bin its place, lowest, mean and highest value; a row of NaN is a gap."""

    at: Floats
    low: Floats
    mean: Floats
    high: Floats


def band(track: Track) -> Band:
    """The track in at most so many bins, with a break where it pauses for longer than a bin."""
    at, values, gap, _ = track
    if not at.size:
        return Band(at, values, values, values)
    slots, width = _slots(at)
    firsts = np.flatnonzero(np.diff(slots, prepend=-1))
    lasts = np.append(firsts[1:], at.size) - 1
    known = np.add.reduceat(~np.isnan(values), firsts, dtype=float)
    sums = np.add.reduceat(np.nan_to_num(values), firsts)
    parts = (
        np.add.reduceat(at, firsts) / (lasts - firsts + 1),
        np.fmin.reduceat(values, firsts),  # fmin and fmax pass over NaN
        np.divide(sums, known, out=np.full(known.size, np.nan), where=known > 0),
        np.fmax.reduceat(values, firsts),
    )
    pauses = 1 + np.flatnonzero(at[firsts[1:]] - at[lasts[:-1]] > max(gap, width))
    return Band(*(np.insert(part, pauses, np.nan) for part in parts))


def cells(track: Track, edges: Floats) -> Floats:
    """Mean value between each two edges, NaN where nothing is known.

    A bin without a sample that lies between two samples shows the first of them, as long as they are no gap apart.

    Args:
        track: Samples in order of time, none outside the edges.
        edges: Ascending.
    """
    at, values, gap, _ = track
    if not at.size:
        return np.full(edges.size - 1, np.nan)
    slots = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, edges.size - 2)
    known = ~np.isnan(values)
    counts = np.bincount(slots[known], minlength=edges.size - 1)
    sums = np.bincount(slots[known], values[known], minlength=edges.size - 1)
    means: Floats = np.divide(sums, counts, out=np.full(counts.size, np.nan), where=counts > 0)
    before = np.searchsorted(at, edges[:-1], side="right") - 1
    lasting = np.append(np.diff(at) <= gap, False)
    held = (np.bincount(slots, minlength=counts.size) == 0) & (before >= 0) & lasting[before]
    means[held] = values[before[held]]
    return means


def _slots(at: Floats) -> tuple[Integers, float]:
    """Number of the bin of each sample, and how long a bin is: 0 where each sample has its own."""
    length = float(at[-1] - at[0])
    if at.size <= DRAWN_AS_IS:
        return np.arange(at.size), 0.0
    count = min(at.size // SAMPLES_A_BIN, MOST_BINS)
    width = length / count or 1.0  # all at one place are one bin
    return np.minimum((at - at[0]) / width, count - 1).astype(np.intp), width
