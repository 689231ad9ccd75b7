"""When the job ran: the part of a series between its idle head and its idle tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from smianalyze.analyses.card_series import CardSeries, Course, Span
from smianalyze.analyses.changes import JOB_MIB
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.result_table import table

GROWTH_SHARE = 0.1
"""A job adds so much of the card's peak; less is what an allocator takes and gives while the job runs."""

BEGUN_SHARE = 0.1
"""The job runs while it holds so much of its growth: before that it opens contexts and loads code."""

IDLE_PCT = 5
"""At most so much utilization is idle: a display, or nvidia-smi itself, makes some percent."""

Basis = Literal["memory grew", "memory held", "utilization"]

SPANS = {
    "host": "string",
    "start": "datetime64[us]",
    "end": "datetime64[us]",
    "duration_s": "Float64",
    "basis": "string",
}


@dataclass(frozen=True, slots=True, eq=False)
class ActiveSpans:
    """The active span of each host, and for each card that of its host (None where nothing ran)."""

    hosts: pd.DataFrame
    of_cards: tuple[Span | None, ...]


def active_spans(series: CardSeries) -> ActiveSpans:
    """When the job ran, for each host over all its cards.

    Memory says it best: from the first to the last sample in which a card holds a tenth of what the job added
    to it. A job that was there before the recording and outlasts it adds nothing: then all of the recording
    counts, if memory is held. Only where memory is unknown, or nobody holds any, utilization decides.

    Args:
        series: The cards of a capture.

    Returns:
        ``hosts``: one row a host: host, start, end, duration_s, basis (memory grew, memory held, utilization);
        all NA where nothing ran.
    """
    memory, busy = series.courses("memory_used_mib"), series.courses("utilization_gpu_pct")
    of_cards: list[Span | None] = [None] * len(series.cards)
    rows = []
    for host, cards in series.cards.groupby("host", dropna=False, sort=False):
        numbers = cards.index.to_list()
        span, basis = _span([memory[card] for card in numbers], [busy[card] for card in numbers])
        row: dict[str, object] = {"host": host, "basis": basis}
        if span is not None and cards["timed"].all():
            ends = [series.time(place) for place in span]
            row |= {"start": ends[0], "end": ends[1], "duration_s": span.last - span.first}
        rows.append(row)
        for card in numbers:
            of_cards[card] = span
    return ActiveSpans(table(rows, SPANS), tuple(of_cards))


def grew(memory: Course) -> np.ndarray:
    """The samples in which a job holds memory that was not held at the card's emptiest moment."""
    if not len(memory.values):
        return np.zeros(0, dtype=bool)
    rest, peak = memory.values.min(), memory.values.max()
    growth = peak - rest
    if growth <= max(JOB_MIB, GROWTH_SHARE * peak):
        return np.zeros(len(memory.values), dtype=bool)
    return np.asarray(memory.values >= rest + BEGUN_SHARE * growth)


def _span(memory: Sequence[Course], busy: Sequence[Course]) -> tuple[Span | None, Basis | None]:
    by_growth = [one.at[grew(one)] for one in memory]
    if any(map(len, by_growth)):
        return _extent(by_growth), "memory grew"
    held = [one.at for one in memory if len(one.at) and np.median(one.values) >= HELD_MIB]
    if held:
        return _extent([one.at for one in memory]), "memory held"
    worked = [one.at[one.values > IDLE_PCT] for one in busy]
    return (_extent(worked), "utilization") if any(map(len, worked)) else (None, None)


def _extent(places: Sequence[np.ndarray]) -> Span:
    joined = np.concatenate(places)
    return Span(float(joined.min()), float(joined.max()))
