"""Memory of each card over time: peak, growth after warm-up, and how fast it filled at the start."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import ActiveSpans
from smianalyze.analyses.card_series import CardSeries, Course, Span
from smianalyze.analyses.result_table import Row, table

WARM_UP_SHARE = 0.2
"""The first fifth of the active span is warm-up: workspaces, optimizer state and caches are still filled."""

SLOPE_SAMPLES = 200
"""All pairs of so many samples give the slope (19,900 of them); more samples are thinned evenly."""

FEWEST_SAMPLES = 5
"""With fewer samples after warm-up a slope is a guess."""

NOISE_MIB = 50
"""A card without processes moves by 4 to 25 MiB when its driver wakes up; from here on somebody fills it."""

FULL_SHARE = 0.9
"""Filling ends here: the last MiB of a context may come minutes later."""

MEMORY = {
    "host": "string",
    "gpu_index": "Int64",
    "samples": "Int64",
    "rest_mib": "Float64",
    "mean_mib": "Float64",
    "peak_mib": "Float64",
    "peak_time": "datetime64[us]",
    "total_mib": "Int64",
    "peak_share": "Float64",
    "slope_mib_per_s": "Float64",
    "rising_share": "Float64",
    "slope_samples": "Int64",
    "slope_s": "Float64",
    "fill_mib": "Float64",
    "fill_s": "Float64",
    "fill_mib_per_s": "Float64",
    "source": "string",
    "line": "Int64",
}


def memory_over_time(series: CardSeries, spans: ActiveSpans) -> pd.DataFrame:
    """What memory each card held in the course of the recording.

    Args:
        series: The cards of a capture.
        spans: Their active spans.

    Returns:
        One row a card, by host and index: host, gpu_index, samples; rest_mib (least), mean_mib (of the active
        span), peak_mib with its first time, source and line, peak_share of total_mib. slope_mib_per_s, the
        median slope of all pairs of samples after warm-up (Theil and Sen: single jumps do not move it), with
        the share of pairs that rise, the number of samples and the seconds behind it. fill_mib, fill_s and
        fill_mib_per_s: what was filled in before the active span (a context, code), and how fast. NA
        where samples or times are missing.
    """
    cards = zip(series.cards.index, series.courses("memory_used_mib"), spans.of_cards, strict=True)
    return table((_row(series, card, course, span) for card, course, span in cards), MEMORY)


def _row(series: CardSeries, card: int, course: Course, span: Span | None) -> Row:
    names = series.cards.iloc[card]
    row = {"host": names["host"], "gpu_index": names["gpu_index"], "total_mib": names["memory_total_mib"]}
    if not len(course.values):
        return {**row, "samples": 0}
    top = int(course.values.argmax())
    peak, place = float(course.values[top]), series.gpus.iloc[course.rows[top]]
    active = course.within(span)
    return {
        **row,
        "samples": len(course.values),
        "rest_mib": course.values.min(),
        "mean_mib": active.values.mean() if len(active.values) else None,
        "peak_mib": peak,
        "peak_time": place["time"],
        "peak_share": peak / row["total_mib"] if pd.notna(row["total_mib"]) and row["total_mib"] else None,
        "source": place["source"],
        "line": place["line"],
        **_slope(active),
        **(_fill(course, span) if span else {}),
    }


def _slope(active: Course) -> Row:
    """The slope of what follows warm-up."""
    if not active.timed or not len(active.at):
        return {}
    warm = active.at >= active.at[0] + WARM_UP_SHARE * np.ptp(active.at)
    at, values = active.at[warm], active.values[warm]
    if len(at) < FEWEST_SAMPLES:
        return {"slope_samples": len(at)}
    thin = np.unique(np.linspace(0, len(at) - 1, min(len(at), SLOPE_SAMPLES)).astype(int))
    first, second = np.triu_indices(len(thin), 1)
    run, rise = np.diff(at[thin][[first, second]], axis=0)[0], np.diff(values[thin][[first, second]], axis=0)[0]
    forward = run > 0
    if not forward.any():
        return {"slope_samples": len(at)}
    return {
        "slope_mib_per_s": float(np.median(rise[forward] / run[forward])),
        "rising_share": float((rise[forward] > 0).mean()),
        "slope_samples": len(at),
        "slope_s": float(np.ptp(at)),
    }


def _fill(course: Course, span: Span) -> Row:
    """How the card filled before the active span: from its last sample at rest to nine tenths of the rise."""
    head = course.where(course.at < span.first)
    filled = head.values > course.values.min() + NOISE_MIB
    if not course.timed or not filled.any() or filled.all() or not filled[-1]:
        return {}
    rest = int(np.flatnonzero(~filled)[-1])
    at, values = head.at[rest:] - head.at[rest], head.values[rest:] - head.values[rest]
    full = int(np.argmax(values >= FULL_SHARE * values[-1]))
    if not at[full] > 0:
        return {}
    return {"fill_mib": values[-1], "fill_s": at[full], "fill_mib_per_s": values[full] / at[full]}
