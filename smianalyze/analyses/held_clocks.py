"""For how much of its work something held the clocks of a card, and how far down they were."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.throttling import SINGLE, told_reasons
from smianalyze.analyses.ticks import Floats
from smianalyze.findings import Evidence
from smianalyze.language import say


class HeldClocks(NamedTuple):
    """One card while it works.

    ``card`` is its number; ``share`` the part of ``samples`` in which a reason held the clocks; ``mhz`` the median
    SM clock meanwhile and ``full_mhz`` the highest one of the card, None where unknown.
    """

    card: int
    share: float
    samples: int
    mhz: float | None
    full_mhz: float | None
    evidence: tuple[Evidence, ...]

    @property
    def clock_share(self) -> float | None:
        """The clock as a part of the full one; None if unknown."""
        return self.mhz / self.full_mhz if self.mhz and self.full_mhz else None

    @property
    def how_often(self) -> str:
        """In words, such as ``in 90 % of 30 samples``; a few prints show moments only."""
        if self.samples < SERIES_PRINTS:
            return say("at that moment")
        return say("in {share:.0f} % of {samples:,} samples", share=100 * self.share, samples=self.samples)

    @property
    def clocks(self) -> str:
        """The clock in words, such as ``at 1,200 of 1,980 MHz``; empty if unknown."""
        if not self.mhz or not self.full_mhz:
            return ""
        return say(" at {mhz:,.0f} of {full:,.0f} MHz", mhz=self.mhz, full=self.full_mhz)


def held_clocks(over: OverTime, reasons: Collection[str], violation: str) -> list[HeldClocks]:
    """The cards whose clocks were held at least once while they worked.

    Args:
        over: The series of a capture.
        reasons: nvidia-smi's names of the reasons that count.
        violation: Column of ``dmon`` that says the same; more than 0 is held.

    Returns:
        One entry a card, in order; a sample whose utilization is unknown counts as work.
    """
    gpus = over.frames.gpus
    if gpus[[name for name in gpus if name == violation or str(name).startswith(SINGLE)]].isna().all(axis=None):
        return []
    told = [values for reason, values in told_reasons(over.series) if reason.name in reasons]
    held = np.fmax.reduce([*told, np.sign(over.series.values(violation))])
    idle = over.series.values("utilization_gpu_pct") <= IDLE_PCT
    clocks = over.series.values("clocks_current_sm_mhz")
    found = []
    for card, course in enumerate(over.active(np.where(idle, np.nan, held))):
        if not (course.values > 0).any():
            continue
        while_held = course.where(course.values > 0)
        found.append(
            HeldClocks(
                card=card,
                share=float(course.values.mean()),
                samples=len(course.values),
                mhz=_middle(clocks[while_held.rows]),
                full_mhz=_highest(over, card),
                evidence=over.ends([while_held]),
            )
        )
    return found


def _middle(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None


def _highest(over: OverTime, card: int) -> float | None:
    """The highest SM clock of a card: the printed one, or else the highest that it ever had."""
    names = ("clocks_max_sm_mhz", "clocks_current_sm_mhz")
    known = [values for name in names if len(values := over.series.courses(name)[card].values)]
    return float(known[0].max()) if known else None
