"""Does heat slow a card down?"""

from __future__ import annotations

import numpy as np

from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.held_clocks import HeldClocks, held_clocks
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.findings import Finding, Severity
from smianalyze.language import say, sentences

HOT_SHARE = 0.05
"""A card that is cooled well enough is never too hot; a single sample may be the peak of a warm day."""

MOSTLY_SHARE = 0.5
"""Too hot for half of its work: a lasting loss, if the clock is down by much."""

MUCH_SLOWED_SHARE = 0.8
"""A clock below this share of the full one costs a fifth of the speed or more."""

HEAT = ("sw_thermal_slowdown", "hw_thermal_slowdown")


def thermal_slowdown(over: OverTime) -> list[Finding]:
    """The cards whose clocks were held because of their temperature while they worked."""
    return [
        _finding(over, held) for held in held_clocks(over, HEAT, "thermal_violation") if held.share >= HOT_SHARE
    ]


def _severity(held: HeldClocks) -> Severity:
    """How much it costs; a few prints show a moment only."""
    if held.samples < SERIES_PRINTS:
        return "low"
    slowed = held.clock_share is not None and held.clock_share <= MUCH_SLOWED_SHARE
    return "high" if slowed and held.share >= MOSTLY_SHARE else "medium"


def _finding(over: OverTime, held: HeldClocks) -> Finding:
    cards = over.series.cards.iloc[[held.card]]
    celsius = over.active("temperature_gpu_c")[held.card].values
    fan = over.active("fan_speed_pct")[held.card].values
    return Finding(
        id="thermal-slowdown",
        severity=_severity(held),
        title=say(
            "Heat slows {gpu} down{clocks}, {how_often}{hottest}.",
            gpu=gpus_named(cards),
            clocks=held.clocks,
            how_often=held.how_often,
            hottest=say(", up to {celsius:.0f} °C", celsius=celsius.max()) if len(celsius) else "",
        ),
        why=sentences(
            say(
                "The card lowers its clock by itself so that it does not overheat; its utilization stays the "
                "same, and everything takes longer. In a job of several cards all of them wait for the hot one."
            ),
            say("Its fan runs at {fan:.0f} %.", fan=np.median(fan)) if len(fan) else "",
        ),
        next_step=say(
            "Let somebody look at the cooling: dust, a fan that stands still, a hot room, cards without air "
            "between them. Until then a lower power limit (`nvidia-smi -pl WATT`) keeps the speed even."
        ),
        gpus=indexes(cards),
        evidence=held.evidence,
        confidence="high" if held.samples >= SERIES_PRINTS else "medium",
    )
