"""Which cards the job of a capture works on, among those of other people."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import grew
from smianalyze.analyses.device_map import DeviceMap
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.over_time import OverTime


def job_cards(over: OverTime) -> pd.DataFrame:
    """The rows of ``over.series.cards`` that the job works on, as far as that can be told.

    Of the cards that a launch line names, or else of all, those whose memory grew; where nothing grew, the job
    was there before the recording: then those that hold memory, or of which that is unknown.
    """
    cards = over.series.cards
    named = visible_gpus(over)
    candidates = known_true(cards["gpu_index"].isin(named)) if named else pd.Series(True, index=cards.index)
    grown = [bool(grew(memory).any()) for memory in over.series.courses("memory_used_mib")]
    grown_here = candidates & np.array(grown, dtype=bool)
    return cards[grown_here if grown_here.any() else candidates & over.holds_memory.fillna(True).astype(bool)]


def visible_gpus(over: OverTime) -> set[int]:
    """Physical indexes of the GPUs that launch lines name, if all of them agree; empty if none do."""
    events = over.frames.events
    launches = events.loc[known_true(events["kind"].eq("launch")), "visible_devices"].dropna().unique()
    if len(launches) != 1:
        return set()
    return {gpu for gpu in DeviceMap(over.frames).indexes(str(launches[0])) if gpu is not None}
