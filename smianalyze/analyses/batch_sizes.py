"""The batch size of each log, where it says one and no other."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.messages import of_kind
from smianalyze.analyses.wording import places
from smianalyze.findings import Evidence
from smianalyze.frames import Frames


class BatchSize(NamedTuple):
    """Samples of a step, and where that is said first."""

    size: float
    evidence: tuple[Evidence, ...]


def batch_sizes(frames: Frames) -> dict[str, BatchSize]:
    """For each input its batch size, from settings, launch lines and records; left out where there are several."""
    said = of_kind(frames.events, "settings", "launch")[["source", "line", "batch_size"]]
    sizes = pd.concat([said, frames.steps[["source", "line", "batch_size"]]]).dropna()
    return {
        str(source): BatchSize(float(rows["batch_size"].iloc[0]), places(rows.head(1)))
        for source, rows in sizes.groupby("source")
        if rows["batch_size"].nunique() == 1
    }
