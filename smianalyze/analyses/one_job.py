"""Whether some cards work for one job, or each for its own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import grew
from smianalyze.analyses.over_time import OverTime
from smianalyze.findings import Confidence

ALIKE_SHARE = 0.9
"""Ranks of one job add as much memory to their cards, within a tenth."""

TOGETHER_S = 15
"""Ranks of one job take their memory within so many seconds: the slowest one waits for its files."""


def one_job(over: OverTime, cards: pd.DataFrame) -> Confidence | None:
    """How sure it is that the cards work together: a log counts ranks, or their memory came and went alike."""
    world, ranks = _told_ranks(over)
    if len(cards) < 2 or (world is not None and world < len(cards)):
        return None
    if max(world or 0, ranks) >= len(cards):
        return "high"
    memory = [over.series.courses("memory_used_mib")[card] for card in cards.index]
    taken = [course.at[grew(course)] for course in memory]
    if not all(map(len, taken)) or not cards["timed"].all():
        return None
    apart = max(float(np.ptp([at[end] for at in taken])) for end in (0, -1))
    rises = [float(np.ptp(course.values)) for course in memory]
    return "medium" if apart <= TOGETHER_S and min(rises) >= ALIKE_SHARE * max(rises) else None


def _told_ranks(over: OverTime) -> tuple[int | None, int]:
    """The size of the job as the logs print it (None if they do not), and the number of ranks that speak."""
    events, steps = over.frames.events, over.steps
    world, ranks = events["world_size"].max(), pd.concat([events["rank"], steps["rank"]]).nunique()
    return (None if pd.isna(world) else int(world)), int(ranks)
