"""Times of screens, finer than the second that is printed: by the clock of the recording, or spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal, NamedTuple

LATEST_S = 10.0
"""A screen is complete so many seconds after its printed time at most, or the clocks do not belong together
(a clock was set, summer time began). nvidia-smi takes up to seconds on a busy host."""

Basis = Literal["printed", "recorded", "spread"]


class Moment(NamedTuple):
    """When a table was printed: the printed second, and the seconds since the recording began; None is unknown."""

    printed: datetime | None
    seconds: float | None


def screen_times(moments: Sequence[Moment]) -> list[tuple[datetime | None, Basis]]:
    """The time of each screen, and how it is known.

    A recording with times tells the steps between screens to the millisecond; no screen was complete before the
    second that it prints, and so the printed times fix where the recording began. Without times, the screens of
    one printed second are spread evenly over it.
    """
    begin = _begin(moments)
    if begin is not None:
        return [(begin + timedelta(seconds=moment.seconds or 0.0), "recorded") for moment in moments]
    times: list[tuple[datetime | None, Basis]] = []
    for printed, group in groupby(moment.printed for moment in moments):
        count = len(list(group))
        if printed is None or count == 1:
            times += [(printed, "printed")] * count
        else:
            times += [(printed + timedelta(seconds=index / count), "spread") for index in range(count)]
    return times


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
