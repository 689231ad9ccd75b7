"""Whether a quantity grows evenly and on, apart from warm-up, steps, and a sawtooth that comes down again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smianalyze.analyses.memory_series import WARM_UP_SHARE
from smianalyze.analyses.ticks import Floats

PARTS = 5
"""Growth must show in each fifth of the time: a step up shows in one, a sawtooth comes down in another."""

EVEN_SHARE = 0.6
"""Each fifth adds so much of the mean growth; what settles adds less and less."""

SAMPLES_A_PART = 3
"""The least of fewer samples is no floor."""


class Growth(NamedTuple):
    """The rise from the first to the last floor, and the rise for each unit of the axis."""

    rise: float
    rate: float


def even_growth(at: Floats, values: Floats, *, samples_a_part: int = SAMPLES_A_PART) -> Growth | None:
    """How much the floor of a course rises after warm-up, and how fast.

    The floor is the least value of each fifth of the time: peaks, and what is given back again, do not count.

    Args:
        at: Places of the samples, rising.
        values: Of the same length.
        samples_a_part: The fewest samples of a fifth of the time.

    Returns:
        None if it does not grow, grows unevenly, or if there are too few samples to say so.
    """
    if not len(at):
        return None
    warm = at >= at[0] + WARM_UP_SHARE * (at[-1] - at[0])
    at, values = at[warm], values[warm]
    edges = np.linspace(at[0], at[-1], PARTS + 1)
    part = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, PARTS - 1)
    if edges[-1] <= edges[0] or np.bincount(part, minlength=PARTS).min() < samples_a_part:
        return None
    floors = np.array([values[part == number].min() for number in range(PARTS)])
    rises = np.diff(floors)
    if rises.min() <= 0 or rises.min() < EVEN_SHARE * rises.mean():
        return None
    return Growth(float(rises.sum()), float(rises.mean() / (edges[1] - edges[0])))
