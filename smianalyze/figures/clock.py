"""The time axis: ticks at round times of day as printed, and a duration in words."""

from __future__ import annotations

import math
from typing import Protocol

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from smianalyze.figures.tracks import Tracks
from smianalyze.language import say, text
from smianalyze.quantities import counted, whole

MOST_TICKS = 7
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400
# so many seconds from tick to tick that they fall on round times of day
STEPS_S = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30),
    *(MINUTE_S * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(HOUR_S * hours for hours in (1, 2, 3, 6, 12)),
    *(DAY_S * days for days in (1, 2, 7, 14, 28, 91, 364)),
)
SAMPLE = text("sample number")
MARGIN = 0.01
"""Share of the axis left free at both ends, so that the first and last sample are seen whole."""


class Timed(Protocol):
    """What has a place on the axis from first to last; ``start`` is the time of place 0, None for numbers."""

    @property
    def start(self) -> pd.Timestamp | None: ...  # noqa: D102 - said above

    @property
    def extent(self) -> tuple[float, float]: ...  # noqa: D102 - said above


def draw_axis(axes: Axes, tracks: Timed, *, unit: str = SAMPLE, with_labels: bool = True) -> None:
    """Scale the x axis to all the time and set its ticks; the unit is that of places that are no times."""
    low, high = tracks.extent
    margin = (high - low) * MARGIN or 0.5
    axes.set_xlim(low - margin, high + margin)
    places, labels = _by_number(low, high) if tracks.start is None else _by_time(tracks.start, low, high)
    axes.set_xticks(places, labels if with_labels else [""] * len(labels))
    if with_labels:
        axes.set_xlabel(say(unit) if tracks.start is None else _dates(tracks.start, low, high), loc="left")


def duration(seconds: float) -> str:
    """A span of time in its two largest units, such as ``3 min 12 s`` and ``2 days 5 h``."""
    total = round(seconds)
    if total < 1:
        return say("{seconds:.1f} s", seconds=seconds)
    days, rest = divmod(total, DAY_S)
    hours, rest = divmod(rest, HOUR_S)
    minutes, rest = divmod(rest, MINUTE_S)
    of_days = text("{number} day") if days == 1 else text("{number} days")
    units = (
        (days, of_days),
        (hours, text("{number} h")),
        (minutes, text("{number} min")),
        (rest, text("{number} s")),
    )
    first = next(place for place, (number, _) in enumerate(units) if number)
    return " ".join(say(unit, number=number) for number, unit in units[first : first + 2] if number)


def length(tracks: Tracks) -> str:
    """What shares are shares of: ``3 min 12 s``, or the samples where they leave gaps or have no time."""
    low, high = tracks.extent
    samples = counted(tracks.prints, "sample")
    if tracks.start is None:
        return samples
    lasted = duration(high - low)
    return say("{samples} in {lasted}", samples=samples, lasted=lasted) if tracks.has_gap else lasted


def _by_time(start: pd.Timestamp, low: float, high: float) -> tuple[list[float], list[str]]:
    span = high - low
    step = next((step for step in STEPS_S if span / step < MOST_TICKS), STEPS_S[-1])
    step *= math.ceil(span / step / MOST_TICKS) or 1
    since_midnight = (start - start.normalize()).total_seconds()
    first, last = math.ceil((since_midnight + low) / step), math.floor((since_midnight + high) / step)
    places = [number * step - since_midnight for number in range(first, last + 1)]
    several_days = since_midnight + high >= DAY_S
    return places, [_label(start + pd.Timedelta(seconds=place), step, several_days) for place in places]


def _label(time: pd.Timestamp, step: float, several_days: bool) -> str:
    time = time.round("ms")
    if several_days and time == time.normalize():
        return f"{time:%Y-%m-%d}" if step > 28 * DAY_S else f"{time:%m-%d}"
    if step < 1:
        return f"{time:%H:%M:%S}.{time.microsecond // 100_000}"
    return f"{time:%H:%M:%S}" if step < MINUTE_S else f"{time:%H:%M}"


def _by_number(low: float, high: float) -> tuple[list[float], list[str]]:
    ticks = MaxNLocator(nbins=MOST_TICKS, integer=True).tick_values(low, high)
    places = [float(tick) for tick in ticks if low <= tick <= high]
    return places, [whole(place) for place in places]


def _dates(start: pd.Timestamp, low: float, high: float) -> str:
    first, end = (start + pd.Timedelta(seconds=place) for place in (low, high))
    dates = list(dict.fromkeys(f"{time:%Y-%m-%d}" for time in (first, end)))
    shown = say("{low} to {high}", low=dates[0], high=dates[1]) if len(dates) > 1 else dates[0]
    return say("time as printed, {dates}", dates=shown)
