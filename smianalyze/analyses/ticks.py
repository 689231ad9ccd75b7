"""When each print of a series was made: seconds after the first one, whole seconds spread over their prints."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SERIES = ["source", "host"]
"""What a recording has in common."""


def ticks_of(gpus: pd.DataFrame) -> pd.DataFrame:
    """The prints that have cards, one row each, in order of their numbers.

    A table prints whole seconds, also where ``-lms`` makes several prints in one of them: these are then
    spread evenly over their second. Only the first second of a recording is known to begin late.

    Args:
        gpus: Rows with snapshot, source, host, time, line.

    Returns:
        snapshot, source, host, time (as printed), line; seconds (float) after the first time of all, NaN where no
        time was printed; offset, the part of it that comes from spreading; whole, whether the recording
        prints whole seconds only.
    """
    first = np.flatnonzero(gpus["snapshot"].notna() & ~gpus["snapshot"].duplicated())
    ticks = gpus[["snapshot", *SERIES, "time", "line"]].iloc[first]
    ticks = ticks.sort_values("snapshot", kind="stable", ignore_index=True)
    seconds = seconds_of(ticks["time"], ticks["time"].min())
    recording = ticks.groupby(SERIES, dropna=False, sort=False).ngroup().to_numpy()
    fraction = (ticks["time"] - ticks["time"].dt.floor("s")) > pd.Timedelta(0)
    whole = ~fraction.groupby(recording).transform("any").to_numpy(bool)
    order = np.argsort(recording, kind="stable")
    offset = np.zeros(len(ticks))
    offset[order] = _spread(seconds[order], recording[order])
    offset[~whole] = 0
    return ticks.assign(seconds=seconds + offset, offset=offset, whole=whole)


def seconds_of(times: pd.Series[pd.Timestamp], since: pd.Timestamp) -> Floats:
    """Seconds since a moment as plain floats; NaN where a time is unknown."""
    microseconds = (times - since).astype("timedelta64[us]").to_numpy()
    seconds = microseconds.astype(np.float64)
    seconds[np.isnat(microseconds)] = np.nan
    seconds /= 1e6
    return seconds


def _spread(seconds: Floats, recording: NDArray[np.integer]) -> Floats:
    """For each print its part of the second that it shares with its neighbours of the same time.

    Args:
        seconds: In whole seconds, recording after recording.
        recording: Number of the recording of each print.
    """
    if not len(seconds):
        return seconds
    first = np.r_[True, (np.diff(recording) != 0) | (np.diff(seconds) != 0)]
    start = np.flatnonzero(first)
    sizes = np.diff(np.r_[start, len(seconds)])
    size, begun = np.repeat(sizes, sizes), np.repeat(start, sizes)
    usual = pd.Series(size).groupby(recording).transform("median").to_numpy()
    parts = np.maximum(size, usual)
    begins = np.flatnonzero(np.r_[True, np.diff(recording) != 0])
    late = np.where(np.isin(begun, begins), parts - size, 0)
    return np.asarray((np.arange(len(seconds)) - begun + late) / parts, dtype=np.float64)
