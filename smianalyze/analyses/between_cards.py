"""How the cards of a job differ from one another, and whether they go up and down together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT, ActiveSpans, grew
from smianalyze.analyses.card_series import CardSeries, Course
from smianalyze.analyses.result_table import Row, table
from smianalyze.analyses.ticks import Floats

QUANTITIES = ("utilization_gpu_pct", "memory_used_mib", "power_draw_w")

FEWEST_PRINTS = 10
"""A correlation of fewer prints is chance."""

BETWEEN = {
    "host": "string",
    "quantity": "string",
    "cards": "Int64",
    "prints": "Int64",
    "spread_mean": "Float64",
    "spread_of_means": "Float64",
    "lowest_gpu": "Int64",
    "lowest_mean": "Float64",
    "highest_gpu": "Int64",
    "highest_mean": "Float64",
    "correlation_mean": "Float64",
    "correlation_least": "Float64",
}


def between_cards(series: CardSeries, spans: ActiveSpans) -> pd.DataFrame:
    """The differences between the cards that work for the job, while it runs.

    Args:
        series: The cards of a capture.
        spans: Their active spans. A card works for the job if its memory grew, or if it was not idle all the
            time.

    Returns:
        One row a host and quantity (``QUANTITIES``) that two or more such cards have: host, quantity, cards,
        prints (that tell it of all of them); spread_mean, the mean distance of the highest card from the
        lowest in a print; spread_of_means, the same of their means, with those cards and means; correlation
        over all pairs of cards (Pearson), mean and least, NA for under ``FEWEST_PRINTS`` prints and where a
        card stands still.
    """
    working = np.flatnonzero(_working(series, spans))
    rows: list[Row] = []
    for name in QUANTITIES:
        courses = series.courses(name)
        for host, cards in series.cards.iloc[working].groupby("host", dropna=False, sort=False):
            inside = {card: courses[card].within(spans.of_cards[card]) for card in cards.index}
            rows += [{"host": host, "quantity": name, **row} for row in _compared(series, inside)]
    return table(rows, BETWEEN)


def side_by_side(series: CardSeries, courses: Sequence[Course]) -> Floats:
    """One row for each print that tells all of some courses, one column a course.

    Args:
        series: The cards of a capture.
        courses: Of several cards, or of several quantities.
    """
    numbers = series.gpus["snapshot"].to_numpy(dtype=np.int64)
    prints = reduce(np.union1d, (numbers[course.rows] for course in courses), numbers[:0])
    cells = np.full((len(prints), len(courses)), np.nan)
    for column, course in enumerate(courses):
        cells[np.searchsorted(prints, numbers[course.rows]), column] = course.values
    told = ~np.isnan(cells).any(axis=1)
    return cells if told.all() else np.asarray(cells[told])


def _working(series: CardSeries, spans: ActiveSpans) -> np.ndarray:
    """Which cards take part in the job."""
    busy, memory = series.courses("utilization_gpu_pct"), series.courses("memory_used_mib")
    cards = zip(busy, memory, spans.of_cards, strict=True)
    return np.array(
        [
            span is not None and (bool((use.within(span).values > IDLE_PCT).any()) or bool(grew(held).any()))
            for use, held, span in cards
        ],
        dtype=bool,
    )


def _compared(series: CardSeries, courses: Mapping[int, Course]) -> list[Row]:
    """The row of one host and quantity; none for fewer than two cards that tell it in the same prints."""
    told = {card: course for card, course in courses.items() if len(course.at)}
    together = side_by_side(series, list(told.values()))
    if len(told) < 2 or not len(together):
        return []
    means = together.mean(axis=0)
    index = series.cards["gpu_index"].loc[list(told)]
    low, high = int(means.argmin()), int(means.argmax())
    return [
        {
            "cards": len(told),
            "prints": len(together),
            "spread_mean": float(np.ptp(together, axis=1).mean()),
            "spread_of_means": float(np.ptp(means)),
            "lowest_gpu": index.iloc[low],
            "lowest_mean": float(means[low]),
            "highest_gpu": index.iloc[high],
            "highest_mean": float(means[high]),
            **_correlation(together),
        }
    ]


def _correlation(together: Floats) -> Row:
    """Mean and least correlation of all pairs of columns."""
    if len(together) < FEWEST_PRINTS or (np.ptp(together, axis=0) == 0).any():
        return {}
    matrix = np.atleast_2d(np.corrcoef(together, rowvar=False))
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    return {"correlation_mean": float(pairs.mean()), "correlation_least": float(pairs.min())}
