"""smianalyze: a file to all of its frames."""

from __future__ import annotations

import pandas as pd
from made_up_host import START
from made_up_training import Sums

import smianalyze


def sums(capture: smianalyze.Capture) -> Sums:
    """The sums of what is known in the frames."""
    frames = {name: getattr(capture, name) for name in ("snapshots", "gpus", "processes", "steps")}
    return {
        f"{name}.{column}": _sum(values.dropna())
        for name, frame in frames.items()
        for column, values in frame.items()
    }


def _sum(values: pd.Series) -> float:
    if pd.api.types.is_numeric_dtype(values):
        return float(values.sum())
    if pd.api.types.is_datetime64_dtype(values):
        return float((values - START).dt.total_seconds().sum())
    return float(values.astype("string").str.len().sum())


READERS = dict.fromkeys(("tables", "csv", "csv-any-width", "dmon", "pmon", "log", "sparse-log"), smianalyze.load)
