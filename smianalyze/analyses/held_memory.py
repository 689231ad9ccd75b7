"""Does somebody hold memory on a card, and not only its driver or a desktop?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from smianalyze.analyses.card_series import CardSeries, Course
from smianalyze.analyses.memory_accounting import DESKTOP_MIB, accounting
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.frames import Frames

HELD_THROUGH = 0.9
"""In so many samples the memory must be held: a job may begin or end inside the span."""


def holds_memory(frames: Frames, series: CardSeries, active: Sequence[Course]) -> pd.Series:
    """For each card whether somebody holds memory on it while the job runs; NA where that is unknown.

    Args:
        frames: A capture.
        series: Its cards.
        active: The memory of each card while the job runs.
    """
    known = [card for card, course in enumerate(active) if len(course.at)]
    limits = held_from(frames, series.gpus.iloc[[active[card].rows[-1] for card in known]])
    held = {
        card: bool(np.mean(active[card].values >= limit) >= HELD_THROUGH)
        for card, limit in zip(known, limits, strict=True)
    }
    return pd.Series(held, dtype="boolean").reindex(series.cards.index)


def held_from(frames: Frames, gpus: pd.DataFrame) -> pd.Series:
    """The MiB from which a card holds more than its driver, or a desktop, keeps.

    Args:
        frames: A capture.
        gpus: Some of its GPU rows.

    Returns:
        One number a row, on their index.
    """
    processes = frames.processes[frames.processes["snapshot"].isin(gpus["snapshot"])]
    cards = accounting(replace(frames, gpus=gpus, processes=processes))
    desktops = cards.loc[cards["desktop"], ["snapshot", "gpu_index"]].itertuples(index=False, name=None)
    known = set(desktops)
    keys = zip(gpus["snapshot"], gpus["gpu_index"], strict=True)
    return pd.Series([DESKTOP_MIB if key in known else HELD_MIB for key in keys], index=gpus.index, dtype="Int64")
