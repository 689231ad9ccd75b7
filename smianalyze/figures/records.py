"""What the picture of a training log draws: each metric of each rank as a track over time or over steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.identity import Integers
from smianalyze.analyses.ticks import Floats
from smianalyze.figures.tracks import Track
from smianalyze.language import say, text

RECORD, STEP = text("record number"), text("step")
MOST = 1e30
"""Larger values, infinite ones too, are of a training that failed: they leave a gap, and the scale to others."""
MOST_STEPS = 10**12
"""A larger counter counts something else, and neighbours on its axis would fall together."""


class Metric(NamedTuple):
    """One panel: its name in English, and its columns with their units; the first that is known is drawn."""

    name: str
    columns: tuple[tuple[str, str], ...]

    def header(self, unit: str) -> str:
        """Its name and the unit of the column that is drawn, in the language that is spoken."""
        return say("{name}, {unit}", name=say(self.name), unit=say(unit)) if unit else say(self.name)


SECONDS, AVERAGE = text("s"), text("s, average")
LOSS = Metric(text("loss"), (("loss", ""), ("loss_avg", text("average"))))
LEARNING_RATE = Metric(text("learning rate"), (("lr", ""),))
STEP_TIME = Metric(text("time of a step"), (("step_time_s", SECONDS), ("step_time_avg_s", AVERAGE)))
DATA_TIME = Metric(text("waiting for data"), (("data_time_s", SECONDS), ("data_time_avg_s", AVERAGE)))
THROUGHPUT = Metric(
    text("throughput"),
    (
        ("samples_per_s", text("samples a second")),
        ("samples_per_s_avg", text("samples a second, average")),
        ("tokens_per_s", text("tokens a second")),
        ("steps_per_s", text("steps a second")),
    ),
)
MEMORY = Metric(
    text("GPU memory as the log says"), (("gpu_mem_mib", text("MiB")), ("gpu_mem_max_mib", text("MiB, peak")))
)


class Line(NamedTuple):
    """One rank of one log, with the track of what is drawn; the rank is None where it was not printed."""

    source: str
    rank: int | None
    track: Track


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of the logs of a capture.

    Attributes:
        steps: The frame of that name, without records that have no place on the axis.
        at: Place of each record.
        start: Time of place 0 as printed; None where places are steps.
        extent: The first and the last place.
        unit: What a place is where it is no time: ``step``, or the number of the record.
    """

    steps: pd.DataFrame
    at: Floats
    start: pd.Timestamp | None
    extent: tuple[float, float]
    unit: str

    def column(self, metric: Metric) -> tuple[str, str] | None:
        """The first column of the metric that is known, with its unit."""
        return next((pair for pair in metric.columns if np.isfinite(self._values(pair[0])).any()), None)

    def lines(self, column: str) -> list[Line]:
        """The column of each rank of each log that knows it."""
        found, every = [], self._values(column)
        for rows in _by_rank(self.steps):
            values = every[rows]
            known = ~np.isnan(values)
            if known.any():
                at = self.at[rows][known]
                order = np.argsort(at, kind="stable")
                first = self.steps.iloc[rows[0]]
                rank = None if pd.isna(first["rank"]) else int(first["rank"])
                found.append(Line(str(first["source"]), rank, Track(at[order], values[known][order])))
        return found

    def _values(self, column: str) -> Floats:
        """What can be drawn of the column; NaN for the rest."""
        values: Floats = self.steps[column].to_numpy(dtype=float, na_value=np.nan)
        return np.where(np.abs(values) <= MOST, values, np.nan)


def records_of(steps: pd.DataFrame) -> Records:
    """The records over time where all have one, else over steps, else by their number."""
    times = steps["time"]
    if len(steps) and times.notna().all():
        naive = times.dt.tz_localize(None)
        start = naive.min()
        at = (naive - start).dt.total_seconds().to_numpy(dtype=float)
        return _records(steps, at, start=start, unit=RECORD)
    for column in ("global_step", "step"):
        if len(steps) and steps[column].between(0, MOST_STEPS).fillna(False).all() and _ascends(steps, column):
            return _records(steps, steps[column].to_numpy(dtype=float), start=None, unit=STEP)
    numbers = steps.groupby(["source", "rank"], dropna=False).cumcount()
    return _records(steps, 1.0 + np.asarray(numbers, dtype=np.float64), start=None, unit=RECORD)


def _records(steps: pd.DataFrame, at: Floats, *, start: pd.Timestamp | None, unit: str) -> Records:
    extent = (float(at.min()), float(at.max())) if at.size else (0.0, 0.0)
    return Records(steps, at, start, extent, unit)


def _ascends(steps: pd.DataFrame, column: str) -> bool:
    """Whether the counter goes on over the whole of each log; one of an epoch starts anew."""
    by_log = steps.groupby(["source", "rank"], dropna=False)[column]
    return bool(by_log.apply(lambda counter: counter.is_monotonic_increasing).all())


def _by_rank(steps: pd.DataFrame) -> list[Integers]:
    """Positions of the records of each rank of each log."""
    number = steps.groupby(["source", "rank"], dropna=False, sort=False).ngroup().to_numpy()
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
