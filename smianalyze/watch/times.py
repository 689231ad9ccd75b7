"""Times of screens, finer than the second that is printed: by the clock of the recording, or spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

LATEST_S = 10.0
"""A screen is complete so many seconds after its printed time at most, or the clocks do not belong together
(a clock was set, summer time began). nvidia-smi takes up to seconds on a busy host."""

Basis = Literal["printed", "recorded", "spread"]


class Moment(NamedTuple):
    """When a table was printed: the printed second, and the seconds since the recording began; None is unknown."""

    printed: datetime | None
    seconds: float | None


def spread_times(printed: datetime | None, count: int) -> list[tuple[datetime | None, Basis]]:
    """The times of so many screens that print this second: spread evenly over it."""
    if printed is None or count == 1:
        return [(printed, "printed")] * count
    return [(printed + timedelta(seconds=index / count), "spread") for index in range(count)]


def recorded_times(moments: Sequence[Moment]) -> list[datetime]:
    """The time of each screen by the clock of the recording; none where it has no clock, or a wrong one.

    The recording tells the steps between screens to the millisecond; no screen was complete before the second that
    it prints, and so the printed times fix where the recording began.
    """
    begin = _begin(moments)
    return [] if begin is None else [begin + timedelta(seconds=moment.seconds or 0.0) for moment in moments]


def _begin(moments: Sequence[Moment]) -> datetime | None:
    """When the recording began; None without times, or where the two clocks disagree."""
    if not moments or any(moment.seconds is None for moment in moments):
        return None
    begins = [
        moment.printed - timedelta(seconds=moment.seconds or 0.0)
        for moment in moments
        if moment.printed is not None
    ]
    if not begins or max(begins) - min(begins) > timedelta(seconds=LATEST_S):
        return None
    return max(begins)
