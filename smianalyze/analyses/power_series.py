"""Power of each card over time: level, peak, share of its limit, and the energy it took."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import ActiveSpans
from smianalyze.analyses.card_series import CardSeries, Course, Span
from smianalyze.analyses.result_table import Row, table
from smianalyze.analyses.ticks import Floats

JOULES_PER_WH = 3600

POWER = {
    "host": "string",
    "gpu_index": "Int64",
    "samples": "Int64",
    "mean_w": "Float64",
    "active_mean_w": "Float64",
    "peak_w": "Float64",
    "limit_w": "Float64",
    "mean_share": "Float64",
    "active_mean_share": "Float64",
    "peak_share": "Float64",
    "energy_wh": "Float64",
    "energy_error_wh": "Float64",
    "active_energy_wh": "Float64",
    "counted_s": "Float64",
    "left_out_s": "Float64",
}


def power_over_time(series: CardSeries, spans: ActiveSpans) -> pd.DataFrame:
    """What power each card drew in the course of the recording.

    Energy is the area under the samples joined by straight lines. Nothing is assumed about a gap (see
    :mod:`smianalyze.analyses.sampling`): its time is left out and stated. The error is how far the areas under
    every second sample differ from it: what a recording half as dense would have got wrong. It does not hold
    the error of the sensor, which NVIDIA gives as 5 percent or 5 W.

    Args:
        series: The cards of a capture.
        spans: Their active spans.

    Returns:
        One row a card, by host and index: host, gpu_index, samples, mean_w, active_mean_w, peak_w, limit_w (the
        last one) and the shares of it, energy_wh, energy_error_wh, active_energy_wh, counted_s (the seconds
        that energy is of), left_out_s (in gaps). NA where samples, times or the limit are missing.
    """
    cards = zip(series.cards.index, series.courses("power_draw_w"), spans.of_cards, strict=True)
    return table((_row(series, card, course, span) for card, course, span in cards), POWER)


def _row(series: CardSeries, card: int, course: Course, span: Span | None) -> Row:
    names = series.cards.iloc[card]
    limit = names["power_limit_w"]
    row = {"host": names["host"], "gpu_index": names["gpu_index"], "limit_w": limit}
    if not len(course.values):
        return {**row, "samples": 0}
    mean, peak = float(course.values.mean()), float(course.values.max())
    active = course.within(span) if span else None
    active_mean = float(active.values.mean()) if active is not None and len(active.values) else None
    shares = {"mean_share": mean, "active_mean_share": active_mean, "peak_share": peak}
    return {
        **row,
        "samples": len(course.values),
        "mean_w": mean,
        "active_mean_w": active_mean,
        "peak_w": peak,
        **{name: watt / limit for name, watt in shares.items() if watt is not None and pd.notna(limit) and limit},
        **_energy(course),
        "active_energy_wh": _energy(active).get("energy_wh") if active else None,
    }


def _energy(course: Course) -> Row:
    """The energy of one course, its error, and the time that it is of."""
    if not course.timed or len(course.at) < 2:
        return {}
    at, watts, broken = course.at, course.values, course.broken
    steps = np.diff(at)
    energy = _area(at, watts, ~broken)
    coarse = [_every_second(at, watts, broken, start) for start in (0, 1)]
    return {
        "energy_wh": energy / JOULES_PER_WH,
        "energy_error_wh": max(abs(other - energy) for other in coarse) / JOULES_PER_WH,
        "counted_s": float(steps[~broken].sum()),
        "left_out_s": float(steps[broken & (steps > 0)].sum()),
    }


def _area(at: Floats, watts: Floats, joined: np.ndarray) -> float:
    return float((np.diff(at) * (watts[1:] + watts[:-1]) / 2)[joined].sum())


def _every_second(at: Floats, watts: Floats, broken: np.ndarray, start: int) -> float:
    """The area under every second sample; the ends of each stretch and odd leftovers stay as they are."""
    edge = np.r_[True, broken] | np.r_[broken, True]
    kept = np.flatnonzero(edge | (np.arange(len(at)) % 2 == start))
    joined = ~broken[kept[1:] - 1]
    return _area(at[kept], watts[kept], joined)
