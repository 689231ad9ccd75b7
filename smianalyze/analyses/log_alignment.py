"""Where the records of a training log stand on the clock of a recording, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.ticks import Floats
from smianalyze.language import say

ZONE_S = 900
"""Time zones differ by whole quarters of an hour."""

MOST_ZONES_S = 26 * 3600
"""The eastmost zone is so far ahead of the westmost."""

END_S = 300
"""A job holds memory so long before its first record, and after its last one: it loads, warms up, saves."""

INSIDE_SHARE = 0.5
"""So many records of a log must stand within a recording for both to have one clock."""

PLATEAU_SHARES = (0.5, 1.1)
"""A log without a clock is laid onto the time in which the job ran only if it is about as long."""

DAY_S = 86_400
BACK_S = DAY_S / 2
"""A clock that goes back by more than this ran across midnight."""

Basis = Literal["clock", "zone", "date", "plateau"]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How a log lies on a recording.

    Attributes:
        source: The log.
        basis: ``clock``: both print the same one. ``zone``: another time zone, as the ends of log and job fit.
            ``date``: the log prints no date, or one without a year; that of the recording fits. ``plateau``: it
            has no clock, and is as long as the job ran. None: it cannot be told.
        offset_s: Seconds added to what the log prints, with its date if it has one; None where it prints no clock.
        uncertainty_s: The records may stand so much earlier or later.
        times: Time of each record by the clock of the recording, with the index of its rows in ``steps``.
    """

    source: str
    basis: Basis | None
    offset_s: float | None
    uncertainty_s: float
    times: pd.Series

    def sentence(self) -> str:
        """What was assumed, for a reader."""
        if self.basis == "clock":
            return say("it prints the clock of the recording")
        if self.basis == "zone":
            hours = -(self.offset_s or 0) / 3600
            return say(
                "its clock differs by {hours:+g} h from that of the recording, as another time zone does",
                hours=hours,
            )
        if self.basis == "date":
            return say("it prints no date, or none with a year; that of the recording fits")
        if self.basis == "plateau":
            return say(
                "it prints no clock; as long as the job ran, it is laid onto that time, ±{seconds:.0f} s",
                seconds=self.uncertainty_s,
            )
        return say("where it stands in the recording cannot be told")


def log_alignments(over: OverTime) -> list[Alignment]:
    """The alignment of each log with records of steps; empty where there is no recording with times.

    Args:
        over: A capture over time; if it holds cards of several hosts, no log can be told to be of one of them.
    """
    steps, times = over.frames.steps, over.series.ticks["time"].dropna()
    if steps.empty or times.empty or len(over.spans.hosts) != 1:
        return []
    span = over.spans.hosts.iloc[0]
    is_job = span["basis"] in ("memory grew", "utilization") and pd.notna(span["start"])
    recorded = (times.min(), times.max())
    ran = (span["start"], span["end"]) if is_job else None
    return [_alignment(str(source), rows, recorded, ran) for source, rows in steps.groupby("source", sort=False)]


Ends = tuple[pd.Timestamp, pd.Timestamp]


def _alignment(source: str, rows: pd.DataFrame, recorded: Ends, ran: Ends | None) -> Alignment:
    """Try what may tell the place of a log, the surest first."""
    unknown = Alignment(source, None, None, 0.0, pd.Series(pd.NaT, rows.index, dtype="datetime64[us]"))
    if rows["time"].notna().any():
        return _by_clock(source, rows["time"], recorded, ran) or unknown
    if rows["printed_time"].notna().any():
        return _by_date(source, rows["printed_time"], recorded) or unknown
    return (_by_plateau(source, rows, ran) if ran else None) or unknown


def _is_inside(times: pd.Series, recorded: Ends) -> bool:
    known = times.dropna()
    return bool(len(known)) and known.between(*recorded).mean() >= INSIDE_SHARE


def _by_clock(source: str, times: pd.Series, recorded: Ends, ran: Ends | None) -> Alignment | None:
    if _is_inside(times, recorded):
        return Alignment(source, "clock", 0.0, 0.0, times)
    if ran is None:
        return None
    shift = round((ran[0] - times.min()).total_seconds() / ZONE_S) * ZONE_S
    moved = times + pd.Timedelta(seconds=shift)
    ends = zip(ran, (moved.min(), moved.max()), strict=True)
    ends_fit = all(abs((job - log).total_seconds()) <= END_S for job, log in ends)
    if not ends_fit or abs(shift) > MOST_ZONES_S:
        return None
    return Alignment(source, "zone", float(shift), 0.0, moved)


def _by_date(source: str, printed: pd.Series, recorded: Ends) -> Alignment | None:
    """Complete times of day, or dates without a year, from the recording; only if one date alone fits."""
    fitting = [times for times in _dated(printed, recorded) if _is_inside(times, recorded)]
    return Alignment(source, "date", 0.0, 0.0, fitting[0]) if len(fitting) == 1 else None


def _dated(printed: pd.Series, recorded: Ends) -> Iterator[pd.Series]:
    """The times with each date, or year, in which the recording may have seen the log begin."""
    parts = printed.str.extract(r"^(?:([0-9]{2})[-/]([0-9]{2}) )?([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,6})?)")
    clock = pd.to_timedelta(parts[2].str.replace(",", "."))
    if parts[0].notna().any():
        is_of_one_year = not (parts[0].astype(float).diff() < 0).any()
        for year in range(recorded[0].year, recorded[1].year + 1) if is_of_one_year else ():
            dates = pd.to_datetime(f"{year}-" + parts[0] + "-" + parts[1], format="%Y-%m-%d", errors="coerce")
            yield (dates + clock).astype("datetime64[us]")
        return
    days = _days_before(np.asarray(clock.dt.total_seconds(), dtype=np.float64))
    for day in pd.date_range(recorded[0].floor("D") - pd.Timedelta(days=1), recorded[1].floor("D")):
        yield (day + clock + pd.to_timedelta(days, unit="s")).astype("datetime64[us]")


def _days_before(seconds: Floats) -> Floats:
    """Seconds of the whole days that went by since the first of some times of day in order."""
    known = ~np.isnan(seconds)
    days = np.zeros(len(seconds))
    days[known] = np.r_[0, np.cumsum(np.diff(seconds[known]) < -BACK_S)]
    return days * DAY_S


def _by_plateau(source: str, rows: pd.DataFrame, ran: Ends) -> Alignment | None:
    """Lay a log onto the time in which the job ran, its middle onto the middle."""
    elapsed = _elapsed(rows)
    duration, plateau = elapsed.max() - elapsed.min(), (ran[1] - ran[0]).total_seconds()
    least, most = (share * plateau for share in PLATEAU_SHARES)
    if not (np.isfinite(duration) and 0 < least <= duration <= most):
        return None
    late = (plateau - duration) / 2
    times = ran[0] + pd.to_timedelta(elapsed - elapsed.min() + late, unit="s")
    return Alignment(source, "plateau", None, abs(late), times.astype("datetime64[us]"))


def _elapsed(rows: pd.DataFrame) -> pd.Series:
    """Seconds since the start at each record: as printed, else steps times the time of a step."""
    printed = rows["elapsed_s"].astype("Float64")
    if printed.notna().all() and printed.is_monotonic_increasing:
        return printed.astype(float)
    done = rows["step"].diff().fillna(0).astype(float)
    each = rows["step_time_s"].fillna(1 / rows["steps_per_s"].where(rows["steps_per_s"] > 0)).astype(float)
    if (done < 0).any() or each.isna().all():
        return pd.Series(np.nan, rows.index)
    return (done * each.fillna(each.median())).cumsum()
