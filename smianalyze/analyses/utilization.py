"""How busy each card was over time: level, spread, idle and busy share, switches, rhythm, longest idle stretch."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT, ActiveSpans
from smianalyze.analyses.card_series import CardSeries, Course, Span
from smianalyze.analyses.period import period_of
from smianalyze.analyses.result_table import Row, table

BUSY_PCT = 90
"""From here on a card has hardly a pause."""

LEVELS = {
    "samples": "Int64",
    "mean_pct": "Float64",
    "std_pct": "Float64",
    "variance_pct2": "Float64",
    "variation": "Float64",
    "p5_pct": "Float64",
    "p50_pct": "Float64",
    "p95_pct": "Float64",
    "idle_share": "Float64",
    "busy_share": "Float64",
    "switches": "Int64",
    "switches_per_min": "Float64",
    "longest_idle_s": "Float64",
}
ACTIVE = "active_"
UTILIZATION = {
    "host": "string",
    "gpu_index": "Int64",
    **LEVELS,
    "period_s": "Float64",
    "period_strength": "Float64",
    "period_verdict": "string",
    **{ACTIVE + name: dtype for name, dtype in LEVELS.items()},
}


def utilization(series: CardSeries, spans: ActiveSpans) -> pd.DataFrame:
    """How busy each card was, over the whole recording and (``active_``) while the job ran.

    Args:
        series: The cards of a capture.
        spans: Their active spans; where nothing ran there are no active samples.

    Returns:
        One row a card, by host and index: host, gpu_index, samples (known ones); mean, standard deviation,
        variance and coefficient of variation, percentiles; idle_share (at most ``IDLE_PCT``), busy_share (at
        least ``BUSY_PCT``); switches between idle and not idle, not counted across a gap; longest_idle_s, in
        which a sample lasts until the next one; period_s of the active part with its strength and verdict (see
        :mod:`smianalyze.analyses.period`). NA without samples, or without times where they are needed.
    """
    names = zip(series.cards["host"], series.cards["gpu_index"], strict=True)
    courses = zip(names, series.courses("utilization_gpu_pct"), spans.of_cards, strict=True)
    return table((_row(host, index, course, span) for (host, index), course, span in courses), UTILIZATION)


def _row(host: object, index: object, course: Course, span: Span | None) -> Row:
    whole, active = levels(course), levels(course.within(span)) if span else {"samples": 0}
    period = period_of(course.within(span))
    return {
        "host": host,
        "gpu_index": index,
        **whole,
        "period_s": period.seconds,
        "period_strength": period.strength,
        "period_verdict": period.verdict,
        **{ACTIVE + name: value for name, value in active.items()},
    }


def levels(course: Course) -> Row:
    """The numbers of ``LEVELS`` for one course of utilization."""
    values = course.values
    if not len(values):
        return {"samples": 0}
    idle = values <= IDLE_PCT
    switches = int(np.count_nonzero((idle[1:] != idle[:-1]) & ~course.broken))
    mean, std = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None
    low, middle, high = np.percentile(values, [5, 50, 95])
    minutes = (course.seconds or 0) / 60
    return {
        "samples": len(values),
        "mean_pct": mean,
        "std_pct": std,
        "variance_pct2": None if std is None else std**2,
        "variation": std / mean if std is not None and mean else None,
        "p5_pct": low,
        "p50_pct": middle,
        "p95_pct": high,
        "idle_share": float(idle.mean()),
        "busy_share": float((values >= BUSY_PCT).mean()),
        "switches": switches,
        "switches_per_min": switches / minutes if minutes else None,
        "longest_idle_s": _longest(idle, course),
    }


def _longest(idle: np.ndarray, course: Course) -> float | None:
    """Seconds of the longest run of idle samples; a gap ends it, and its last sample lasts one usual step."""
    step = course.step_s
    if not step > 0:
        return None
    lasting = np.r_[np.where(course.broken, step, np.diff(course.at)), step]
    ends = np.flatnonzero(np.r_[~idle[1:] | ~idle[:-1] | course.broken, True])
    sums = np.diff(np.r_[0.0, np.cumsum(np.where(idle, lasting, 0.0))[ends]])
    return float(sums.max())
