"""Where the lines of an input went; a blank line counts with its neighbours when both are of one mind."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, States


class Counts(NamedTuple):
    """How many lines were understood, are not ours, and could not be read."""

    used: int
    ignored: int
    problem_lines: int


def counted_lines(states: States, used: Collection[int], broken: Collection[int]) -> Counts:
    """What became of all lines.

    Args:
        states: Of each line, as far as it was read from blocks.
        used: Numbers of those that were understood.
        broken: Numbers of those that are a problem.
    """
    states = states.copy()
    states[[number - 1 for number in used]] = USED
    solid = np.flatnonzero(states != EMPTY)
    blank = np.flatnonzero(states == EMPTY)
    after = np.searchsorted(solid, blank)
    between = (after > 0) & (after < len(solid))
    kinds = states[solid]
    between[between] = (kinds[after[between] - 1] == USED) & (kinds[after[between]] == USED)
    states[blank[between]] = USED
    states[[number - 1 for number in broken]] = IGNORED
    count = int((states == USED).sum())
    return Counts(count, len(states) - count - len(broken), len(broken))
