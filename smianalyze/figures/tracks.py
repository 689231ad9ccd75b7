"""What pictures over time draw: the cards of one host, each quantity a track in which the unknown is a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.card_series import CardSeries, Course, Span
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.sampling import GAP_STEPS
from smianalyze.analyses.ticks import Floats
from smianalyze.frames import Frames

UNKNOWN = -np.inf
"""Stands for an unknown value while samples are chosen, so that it keeps its place."""


class Track(NamedTuple):
    """The samples of one quantity of one card in order of time.

    ``at`` are places on the axis, ``values`` are NaN where unknown; a pause longer than ``gap`` is a gap, and
    ``step`` is the usual distance of two samples (1 where there is none).
    """

    at: Floats
    values: Floats
    gap: float = np.inf
    step: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """The cards of one host over time.

    Attributes:
        series: Of the capture.
        numbers: Positions of the host's cards in ``series.cards``.
        cards: Number of each card, None where it was not printed.
        names: Product name of each card, None where it was not printed.
        sources: Names of the inputs with prints of the host.
        start: Time of place 0 as printed; None where the prints have no time, and places are their numbers.
        extent: The first and the last place that is drawn.
        has_gap: Whether a card was not seen for a while, so that samples do not stand for all of the time.
        active: When the job ran; None where nothing ran.
        prints: How many prints are drawn; of inputs that ran side by side those of the one with most.
        untimed: How many are left out, because they have no time while most have one.
        host: Its name, None where it was not printed.
        hosts: How many hosts the capture knows.
    """

    series: CardSeries
    numbers: tuple[int, ...]
    cards: tuple[int | None, ...]
    names: tuple[str | None, ...]
    sources: frozenset[str]
    start: pd.Timestamp | None
    extent: tuple[float, float]
    has_gap: bool
    active: Span | None
    prints: int
    untimed: int
    host: str | None
    hosts: int

    def knows(self, column: str) -> bool:
        """Whether any sample has a value in the column."""
        return any(not np.isnan(track.values).all() for track in self.of(column))

    def of(self, column: str) -> list[Track]:
        """The track of each card; an input that never knows the column says nothing about it."""
        values = self.series.values(column)
        unknown = np.isnan(values)
        if unknown.any():
            source = pd.factorize(self.series.gpus["source"], use_na_sentinel=False)[0]
            # inputs of one print each are one recording, in which the unknown is a gap
            says = (np.bincount(source, ~unknown) > 0) | (np.bincount(source) == 1)
            values = np.where(unknown & says[source], UNKNOWN, values)
        courses = self.series.courses(values)
        return [_track(courses[number]) for number in self.numbers]

    def distinct(self, column: str) -> Floats:
        """The values of the column that are known, each once, ascending."""
        found: Floats = np.unique(
            np.concatenate([np.empty(0), *(pd.unique(track.values) for track in self.of(column))])
        )
        return found[~np.isnan(found)]


def tracks_of(frames: Frames) -> Tracks:
    """The cards of a capture over time, of several hosts those of the first; none where no card was read."""
    over = frames.once(OverTime)
    series, ticks = over.series, over.series.ticks
    host = _first_known(ticks["host"].iloc[:1])
    own, shown, seen = (of_host(frame["host"], host) for frame in (series.cards, series.gpus, ticks))
    numbers = tuple(np.flatnonzero(own).tolist())
    timed = bool(series.cards["timed"][own].any())
    at = series.at[shown]
    every = series.courses(np.zeros(len(series.gpus)))
    courses = [every[number] for number in numbers]
    return Tracks(
        series=series,
        numbers=numbers,
        cards=tuple(None if pd.isna(index) else int(index) for index in series.cards["gpu_index"][own]),
        names=tuple(_first_known(series.gpus["name"].iloc[course.rows]) for course in courses),
        sources=frozenset(ticks["source"][seen].dropna()),
        start=series.time(0).tz_localize(None) if timed else None,
        extent=(float(at.min()), float(at.max())) if at.size else (0.0, 0.0),
        has_gap=any(course.broken.any() for course in courses),
        active=over.spans.of_cards[numbers[0]] if numbers else None,
        prints=max((len(course.rows) for course in courses), default=0),
        untimed=int(ticks["time"][seen].isna().sum()) if timed else 0,
        host=host,
        hosts=len(series.cards["host"].unique()),
    )


def _track(course: Course) -> Track:
    values = np.where(course.values == UNKNOWN, np.nan, course.values)
    if not course.step_s > 0:
        return Track(course.at, values)
    return Track(course.at, values, GAP_STEPS * course.step_s, course.step_s)


def of_host(hosts: pd.Series, host: str | None) -> np.ndarray:
    """Which rows are of the host; one that is unknown is a host too."""
    same = hosts.isna() if host is None else hosts.eq(host).fillna(False)
    return same.to_numpy(dtype=bool)


def _first_known(texts: pd.Series) -> str | None:
    known = texts.dropna()
    return None if known.empty else str(known.iloc[0])
