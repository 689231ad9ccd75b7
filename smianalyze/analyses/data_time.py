"""How much of its steps a job waits for data, as its log says."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.matching import known_true
from smianalyze.analyses.wording import places
from smianalyze.findings import Evidence

RUN = ["source", "rank", "epoch"]
"""Running averages begin anew in each epoch, and so do the workers of a loader."""

FEWEST_RECORDS = 3
"""Of fewer records behind the first one, a single pause decides."""

PAUSES_SHARE = 0.05
"""The slowest twentieth of the records is left out: a step after an evaluation counts it as data time."""

PART_OF_STEP = 1.05
"""Waiting is a part of the step, up to rounding; a log that says more counts something else, such as the time that
the workers of the loader need."""


class DataTime(NamedTuple):
    """Mean seconds of a step, the part of them that waits for data, the records behind that and where they are."""

    step_s: float
    data_s: float
    records: int
    evidence: tuple[Evidence, ...]

    @property
    def share(self) -> float:
        """Part of the time, 0 to 1."""
        return self.data_s / self.step_s


def data_time(steps: pd.DataFrame) -> DataTime | None:
    """What a log says about waiting for data, the first record of each epoch apart: there the loader starts.

    Averages that the log prints are preferred: a record of each tenth step may meet every pause of a loader
    with ten workers, or none.

    Args:
        steps: The metric records of a capture.

    Returns:
        None if no log tells data time and step time in enough records, or the one is no part of the other.
    """
    told = steps[known_true(steps["step_time_s"] > 0) & steps["data_time_s"].notna()]
    runs = told.groupby(RUN, dropna=False)
    later = told[runs.cumcount() > 0]
    if len(later) < FEWEST_RECORDS:
        return None
    step_s, data_s = _by_averages(runs.head(1), runs.tail(1)) or _by_records(later)
    if not 0 <= data_s <= PART_OF_STEP * step_s:
        return None
    ends = later.groupby("source", sort=False)
    seen = pd.concat([ends.head(1), ends.tail(1)])
    return DataTime(step_s, min(data_s, step_s), len(later), places(seen))


def _by_averages(first: pd.DataFrame, last: pd.DataFrame) -> tuple[float, float] | None:
    """Step and data time from the averages in the last record of each epoch, less the first step.

    Args:
        first: The first record of each epoch.
        last: The last ones, in the same order.
    """
    names = ("step_time", "data_time")
    first, last = (rows.sort_values([*RUN, "line"]).reset_index(drop=True) for rows in (first, last))
    count = last["step"] - first["step"] + 1
    sums = [count * last[f"{name}_avg_s"] - first[f"{name}_s"] for name in names]
    usable = known_true((count > 1) & (sums[0] > 0) & (sums[1] >= 0))
    if not usable.any():
        return None
    steps = float((count - 1)[usable].sum())
    return float(sums[0][usable].sum()) / steps, float(sums[1][usable].sum()) / steps


def _by_records(rows: pd.DataFrame) -> tuple[float, float]:
    """Mean step and data time of single steps, without the slowest."""
    kept = rows.nsmallest(int(np.ceil((1 - PAUSES_SHARE) * len(rows))), "step_time_s")
    return float(kept["step_time_s"].mean()), float(kept["data_time_s"].mean())
