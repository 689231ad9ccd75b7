"""A capture as a course in time: everything that its series says, each part computed when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import pandas as pd

from smianalyze.analyses.active_span import ActiveSpans, active_spans
from smianalyze.analyses.between_cards import between_cards
from smianalyze.analyses.card_series import CardSeries, Course, card_series
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.held_memory import holds_memory
from smianalyze.analyses.memory_series import memory_over_time
from smianalyze.analyses.power_series import power_over_time
from smianalyze.analyses.process_series import processes_over_time
from smianalyze.analyses.sampling import breaks, sampling
from smianalyze.analyses.throttling import throttling
from smianalyze.analyses.ticks import Floats
from smianalyze.analyses.utilization import utilization
from smianalyze.analyses.wording import named, places
from smianalyze.findings import Evidence
from smianalyze.frames import Frames
from smianalyze.language import say

ANOTHER_RUN_S = 2 * 86_400
"""A log that ends so long before a recording, or begins after it, is of another run: no time zone explains it."""


class OverTime:
    """What a capture says over time; the functions behind the properties describe their frames.

    Args:
        frames: A capture.
    """

    def __init__(self, frames: Frames) -> None:
        self.frames = replace(frames)  # a capture keeps this, which must not keep it: both would stay in memory

    @property
    def is_series(self) -> bool:
        """Whether so many prints have cards that they were not taken by hand."""
        return self.frames.gpus["snapshot"].nunique() >= SERIES_PRINTS

    @cached_property
    def series(self) -> CardSeries:
        """The samples of each card."""
        return card_series(self.frames)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The records of the logs that may be of the recorded run: all but those of other days."""
        steps, times = self.frames.steps, self.series.ticks["time"].dropna()
        if times.empty or steps["time"].isna().all():
            return steps
        logs = steps.groupby("source")["time"]
        early = (times.min() - logs.transform("max")).dt.total_seconds()
        late = (logs.transform("min") - times.max()).dt.total_seconds()
        near: pd.DataFrame = steps[~(early.gt(ANOTHER_RUN_S) | late.gt(ANOTHER_RUN_S))]
        return near

    @cached_property
    def spans(self) -> ActiveSpans:
        """When the job ran."""
        return active_spans(self.series)

    def active(self, quantity: str | Floats) -> list[Course]:
        """The course of each card while the job ran (see :meth:`CardSeries.courses`); empty where nothing ran."""
        courses = zip(self.series.courses(quantity), self.spans.of_cards, strict=True)
        return [course.within(span) if span else course.where(course.at < course.at) for course, span in courses]

    def ends(self, courses: Iterable[Course]) -> tuple[Evidence, ...]:
        """Where the first and the last sample of some courses stand in the inputs."""
        return places(self.series.gpus.iloc[[row for course in courses for row in course.rows[[0, -1]]]])

    @cached_property
    def sampling(self) -> pd.DataFrame:
        """How regularly each input was recorded."""
        return sampling(self.series.ticks)

    @cached_property
    def breaks(self) -> pd.DataFrame:
        """Where a recording stops for a while, or its clock goes back."""
        return breaks(self.series.ticks)

    @cached_property
    def utilization(self) -> pd.DataFrame:
        """How busy each card was."""
        return utilization(self.series, self.spans)

    @cached_property
    def memory(self) -> pd.DataFrame:
        """What memory each card held."""
        return memory_over_time(self.series, self.spans)

    @cached_property
    def holds_memory(self) -> pd.Series:
        """Whether somebody holds memory on each card while the job runs."""
        return holds_memory(self.frames, self.series, self.active("memory_used_mib"))

    @cached_property
    def power(self) -> pd.DataFrame:
        """What power each card drew."""
        return power_over_time(self.series, self.spans)

    @cached_property
    def throttling(self) -> pd.DataFrame:
        """What held the clocks of each card."""
        return throttling(self.series, self.spans)

    @cached_property
    def between_cards(self) -> pd.DataFrame:
        """How the cards of the job differ."""
        return between_cards(self.series, self.spans)

    @cached_property
    def processes(self) -> pd.DataFrame:
        """When each process was seen, and what it held."""
        return processes_over_time(self.frames, self.series)


def indexes(cards: pd.DataFrame) -> tuple[int, ...]:
    """The GPU numbers of some cards, as far as they are known."""
    return tuple(int(gpu) for gpu in cards["gpu_index"].dropna())


def gpus_named(cards: pd.DataFrame) -> str:
    """Some cards in a sentence; ``A GPU`` where no input says its number."""
    return named("GPU", indexes(cards)) if len(indexes(cards)) else say("A GPU")
