"""What each card, hour and process of a capture took, as sums that add up over any number of captures."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.card_series import CardSeries, Course
from smianalyze.analyses.matching import per_process, with_index
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.ticks import Floats
from smianalyze.frames import Frames

HOUR_S = 3600
SUMS = ["recorded_s", "active_s", "held_idle_s", "utilization_s"]
"""Seconds that samples stand for, of those the active and the held but idle ones, and all by their utilization."""


def samples_of(series: CardSeries) -> pd.DataFrame:
    """The samples of utilization of each card, with what they stand for.

    A sample lasts until the next one, before a gap and at the end as long as the usual step; without times it
    lasts an unknown while and is left out. Active is a utilization above ``IDLE_PCT``, held but idle is one up to
    it while ``HELD_MIB`` or more are in use.

    Returns:
        One row a sample: card (position in ``series.cards``), host, gpu_index, snapshot, time and :data:`SUMS`.
    """
    courses = series.courses("utilization_gpu_pct")
    parts = [(card, course, _seconds(course)) for card, course in enumerate(courses) if _is_timed(course)]
    numbers = np.repeat([card for card, _, _ in parts], [len(lasts) for _, _, lasts in parts]).astype(int)
    rows = _joined([course.rows for _, course, _ in parts]).astype(int)
    lasts, values = _joined([lasts for _, _, lasts in parts]), _joined([course.values for _, course, _ in parts])
    active = values > IDLE_PCT
    held = ~active & (series.values("memory_used_mib")[rows] >= HELD_MIB)
    return (
        series.cards[["host", "gpu_index"]]
        .iloc[numbers]
        .reset_index(drop=True)
        .assign(
            card=numbers,
            snapshot=series.gpus["snapshot"].iloc[rows].to_numpy(),
            time=series.gpus["time"].iloc[rows].to_numpy(),
            recorded_s=lasts,
            active_s=lasts * active,
            held_idle_s=lasts * held,
            utilization_s=lasts * values / 100,
        )
    )


def card_usage(over: OverTime, samples: pd.DataFrame) -> pd.DataFrame:
    """One row a card: host, gpu_index, uuid, name, first_time, last_time, sums, energy_wh, peak and total MiB."""
    cards = over.series.cards[["host", "gpu_index", "uuid", "name", "memory_total_mib"]]
    sums = samples.groupby("card").agg(
        first_time=("time", "min"), last_time=("time", "max"), **{name: (name, "sum") for name in SUMS}
    )
    peaks = [
        course.values.max() if len(course.values) else None for course in over.series.courses("memory_used_mib")
    ]
    return cards.join(sums).assign(
        energy_wh=over.power["energy_wh"].to_numpy(), peak_mib=pd.array(peaks, dtype="Int64")
    )


def hour_usage(samples: pd.DataFrame) -> pd.DataFrame:
    """One row a card and hour: host, gpu_index, hour (its start) and :data:`SUMS`."""
    hours = samples["time"].astype("datetime64[us]").dt.floor("h")
    by_hour = samples.assign(hour=hours).groupby(["host", "gpu_index", "hour"], dropna=False)
    return by_hour[SUMS].sum().reset_index()


def process_usage(frames: Frames, samples: pd.DataFrame) -> pd.DataFrame:
    """One row a program and user: host, process_name, user, and the sums of the cards that it was on."""
    listed = per_process(with_index(frames.processes, frames))
    listed = listed[listed["pid"].notna()][["snapshot", "gpu_index", "pid", "process_name"]]
    owners = frames.host_processes.dropna(subset=["pid", "user"]).drop_duplicates("pid", keep="last")
    listed = listed.merge(owners[["pid", "user"]], on="pid", how="left")
    rows = samples.merge(listed, on=["snapshot", "gpu_index"])
    return rows.groupby(["host", "process_name", "user"], dropna=False)[SUMS].sum().reset_index()


def _is_timed(course: Course) -> bool:
    return course.timed and not np.isnan(course.step_s)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *parts])


def _seconds(course: Course) -> Floats:
    steps = np.append(np.diff(course.at), course.step_s)
    ends = np.append(course.broken, True)
    lasts: Floats = np.where(ends | (steps < 0), course.step_s, steps)
    return lasts
