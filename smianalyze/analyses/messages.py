"""Messages of one kind among the events of a capture, and how a finding counts and shows them."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.matching import known_true
from smianalyze.analyses.wording import named, places
from smianalyze.findings import Evidence
from smianalyze.language import say

MAX_PLACES = 6
"""Ranks, retries and watchdogs repeat a message; so many places are evidence enough."""


def of_kind(events: pd.DataFrame, *kinds: str) -> pd.DataFrame:
    """The events of these kinds, in their order."""
    return events[known_true(events["kind"].isin(kinds))]


def says(events: pd.DataFrame, words: str) -> pd.Series:
    """Which events say it in their message; unknown messages say nothing.

    Args:
        events: Have message.
        words: A regular expression.
    """
    return known_true(events["message"].str.contains(words, regex=True))


def evidence(events: pd.DataFrame) -> tuple[Evidence, ...]:
    """Where the first of some messages stand."""
    return places(events.head(MAX_PLACES))


def numbers(events: pd.DataFrame, column: str) -> list[int]:
    """The known numbers of a column, each once, sorted."""
    return sorted({int(value) for value in events[column].dropna()})


def times(events: pd.DataFrame) -> str:
    """How often it was said, in brackets behind a name; empty for a single message."""
    return say(" ({number:,} messages)", number=len(events)) if len(events) > 1 else ""


def processes(events: pd.DataFrame) -> str:
    """The processes that some messages name, in brackets; empty if they name none."""
    pids = numbers(events, "pid")
    return say(" ({pids})", pids=named("PID", pids)) if pids else ""
