"""What each card, hour and process of a capture took, as sums that add up over any number of captures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.card_series import CardSeries, Course
from smianalyze.analyses.matching import per_process, with_index
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.ticks import Floats
from smianalyze.columns import FRAMES
from smianalyze.frames import Frames

HOUR_S = 3600
SUMS = ["recorded_s", "active_s", "held_idle_s", "utilization_s"]
"""Seconds that samples stand for, of those the active and the held but idle ones, and all by their utilization."""


Usage = dict[str, pd.DataFrame]
"""Sums by frame: ``card_usage``, ``hour_usage`` and ``process_usage``."""

_KEYS = {
    "card_usage": ["host", "gpu_index", "uuid", "name"],
    "hour_usage": ["host", "gpu_index", "hour"],
    "process_usage": ["host", "process_name", "user"],
}
_ENDS = {"first_time": "min", "last_time": "max", "peak_mib": "max", "memory_total_mib": "max"}


def usage_of(frames: Frames, *, before: Frames | None = None) -> Usage:
    """All sums of a capture, or of a section of it.

    Args:
        frames: Their frames.
        before: The last print of the section before, which counts there; energy goes on from it.
    """
    over = OverTime(frames if before is None else _joined_frames(before, frames))
    samples = samples_of(over.series)
    if before is not None:
        samples = samples[~samples["snapshot"].isin(before.snapshots["snapshot"])]
    return {
        "card_usage": card_usage(over, samples),
        "hour_usage": hour_usage(samples),
        "process_usage": process_usage(frames, samples),
    }


def last_print(frames: Frames) -> Frames:
    """The rows of the last snapshot; all other frames are empty."""
    last = frames.snapshots["snapshot"].max()
    whole = {name: getattr(frames, name) for name in FRAMES}
    return Frames(
        **{
            name: rows[rows["snapshot"].eq(last)] if "snapshot" in rows else rows[:0]
            for name, rows in whole.items()
        }
    )


def _joined_frames(before: Frames, frames: Frames) -> Frames:
    pairs = {name: (getattr(before, name), getattr(frames, name)) for name in FRAMES}
    return Frames(
        **{
            name: pd.concat([one, other], ignore_index=True) if len(one) else other
            for name, (one, other) in pairs.items()
        }
    )


def joined_usage(parts: Sequence[Usage]) -> Usage:
    """The sums of all sections of a capture."""
    return parts[0] if len(parts) == 1 else {name: _added([part[name] for part in parts], name) for name in _KEYS}


def _added(parts: Sequence[pd.DataFrame], frame: str) -> pd.DataFrame:
    rows, keys = pd.concat(parts, ignore_index=True), _KEYS[frame]
    groups = rows.groupby(keys, dropna=False, sort=False)
    sums = {name: (name, partial(pd.Series.sum, min_count=1)) for name in [*SUMS, "energy_wh"] if name in rows}
    ends = {name: (name, how) for name, how in _ENDS.items() if name in rows}
    return groups.agg(**sums, **ends).reset_index()


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
