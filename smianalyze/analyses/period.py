"""Whether utilization goes up and down in a steady rhythm, and how long one cycle is."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from smianalyze.analyses.card_series import Course
from smianalyze.analyses.ticks import Floats

STEPS_A_CYCLE = 4
"""A cycle of fewer samples cannot be told from a slower one that the samples feign."""

CYCLES = 4
"""So many cycles must be seen: two spikes always have a distance."""

SMOOTHED = 3
"""Samples that are averaged first: cycles of a job differ by a tenth, and a spike may fill one sample only."""

STRENGTH = 0.4
"""Autocorrelation of a rhythm: a starved job has 0.48, one with loader workers that come by chance 0.17."""

SAME_PEAK = 0.8
"""Multiples of a period correlate nearly as much as itself: the first peak of this share of the best counts."""

STEADY_PCT = 5
"""Changes by so little are no rhythm."""

FAST_SHARE = 1 / 3
"""Of dice half of all neighbours are on both sides of the mean: from here on phases are shorter than a step."""

Verdict = Literal["periodic", "irregular", "steady", "too fast for the samples", "too few samples", "no times"]


class Period(NamedTuple):
    """One cycle in seconds, how strong it is (autocorrelation, 0 to 1), and what could be said.

    ``seconds`` is None unless the verdict is ``periodic``; ``strength`` is None where none was tried.
    """

    seconds: float | None
    strength: float | None
    verdict: Verdict


def period_of(course: Course) -> Period:
    """The rhythm of the longest stretch without a gap.

    Args:
        course: Utilization of one card.
    """
    if not course.timed:
        return Period(None, None, "no times")
    values, step = _even(course)
    if len(values) < STEPS_A_CYCLE * CYCLES + SMOOTHED:
        return Period(None, None, "too few samples")
    if np.ptp(values) <= STEADY_PCT:
        return Period(None, None, "steady")
    smooth = np.convolve(values, np.full(SMOOTHED, 1 / SMOOTHED), "valid")
    if np.ptp(smooth) <= STEADY_PCT:
        return Period(None, None, "too fast for the samples")
    deviation = smooth - smooth.mean()
    likeness = _autocorrelation(deviation)[: len(smooth) // CYCLES + 1]
    lag = _first_peak(likeness)
    strength = float(likeness[lag]) if lag else 0.0
    rises = np.count_nonzero(np.diff((deviation > 0).astype(int)) > 0)
    if lag >= STEPS_A_CYCLE and strength >= STRENGTH and rises >= CYCLES:
        return Period(lag * step, strength, "periodic")
    flips = np.diff(values > values.mean()).mean()
    return Period(None, strength, "too fast for the samples" if flips >= FAST_SHARE else "irregular")


def _even(course: Course) -> tuple[Floats, float]:
    """The longest stretch without a gap at even steps (each the last sample before it), and the step."""
    edges = np.r_[0, 1 + np.flatnonzero(course.broken), len(course.at)]
    longest = int(np.diff(edges).argmax())
    stretch = slice(edges[longest], edges[longest + 1])
    at, values, step = course.at[stretch], course.values[stretch], course.step_s
    if len(at) < 2 or not step > 0:
        return values, step
    even = np.arange(at[0], at[-1] + step / 2, step)
    return values[np.searchsorted(at, even + step / 2) - 1], step


def _autocorrelation(deviation: Floats) -> Floats:
    """How alike the course is to itself, by lag in steps; 1 at lag 0, less at long lags for want of overlap."""
    padded = 1 << (2 * len(deviation) - 1).bit_length()  # some other lengths take many times as long
    spectrum = np.fft.rfft(deviation, padded)
    likeness = np.fft.irfft(np.abs(spectrum) ** 2)[: len(deviation)]
    return np.asarray(likeness / likeness[0], dtype=np.float64)


def _first_peak(likeness: Floats) -> int:
    """The lag of the first peak that is nearly the best one, behind the first dip; 0 if there is none."""
    inner = likeness[1:-1]
    peaks = 1 + np.flatnonzero((inner > likeness[:-2]) & (inner >= likeness[2:]) & (inner > 0))
    peaks = peaks[peaks > np.argmax(np.diff(likeness) > 0)]
    if not len(peaks):
        return 0
    return int(peaks[likeness[peaks] >= SAME_PEAK * likeness[peaks].max()][0])
