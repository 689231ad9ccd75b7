"""Does a power limit, or the power supply, slow a card down?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.held_clocks import HeldClocks, held_clocks
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.findings import Finding, Severity
from smianalyze.language import say, text

CAPPED_SHARE = 0.3
"""Short bursts touch the limit on any card that is well used."""

AT_LIMIT_SHARE = 0.9
"""A card that draws less than this share of its limit is not held by it, whatever the reason says."""

SLOWED_SHARE = 0.9
"""A clock above this share of the full one costs less than a tenth of the speed."""

LOWERED_SHARE = 0.95
"""A limit below this share of the card's default was lowered by somebody."""

BRAKE_SHARE = 0.05
"""The brake of a power supply is no part of normal work, but one sample may be chance."""

POWER, BRAKE = ("sw_power_cap",), ("hw_power_brake_slowdown",)


def power_capped(over: OverTime) -> list[Finding]:
    """The cards whose clocks are down because power is at its limit, or because the power supply brakes them."""
    braked = [one for one in held_clocks(over, BRAKE, "") if one.share >= BRAKE_SHARE]
    besides = {one.card for one in braked}
    capped = [
        one
        for one in held_clocks(over, POWER, "power_violation_pct")
        if one.card not in besides
        and one.share >= CAPPED_SHARE
        and _is_slowed(one)
        and _is_at_limit(over, one.card)
    ]
    return [*(_braked(over, one) for one in braked), *(_capped(over, one) for one in capped)]


def _is_slowed(held: HeldClocks) -> bool:
    return held.clock_share is not None and held.clock_share <= SLOWED_SHARE


def _is_at_limit(over: OverTime, card: int) -> bool:
    """Whether the card draws its limit in half of the samples; without both numbers the reason is believed."""
    watts, limit = over.active("power_draw_w")[card].values, over.series.cards["power_limit_w"].iloc[card]
    return pd.isna(limit) or not len(watts) or bool(np.median(watts) >= AT_LIMIT_SHARE * limit)


def _default_limit(over: OverTime, card: int) -> float | None:
    """The limit that the card was built for; None if no input prints it."""
    printed = over.series.courses("power_default_limit_w")[card].values
    return float(printed[-1]) if len(printed) else None


def _capped(over: OverTime, held: HeldClocks) -> Finding:
    cards = over.series.cards.iloc[[held.card]]
    limit, default = cards["power_limit_w"].iloc[0], _default_limit(over, held.card)
    lowered = default is not None and pd.notna(limit) and limit < LOWERED_SHARE * default
    severity: Severity = "medium" if lowered else "low"
    why = text("The limit stands below the {default:,.0f} W that the card was built for: somebody lowered it.")
    built_so = text(
        "Heavy work takes a card to its limit, and its clock goes down to stay there. That is how it was built; "
        "it is slower than the highest clock, but nothing is broken."
    )
    ask = text(
        "Ask the administrator whether the limit may be raised (`nvidia-smi -i {index} -pl {default:.0f}`)."
    )
    nothing = text(
        "Nothing needs to be done. If all cards of a job are capped, lower precision (bf16) or fewer, larger "
        "kernels give more work for each watt."
    )
    return Finding(
        id="power-capped",
        severity=severity if held.samples >= SERIES_PRINTS else "low",
        title=say(
            "{gpu} runs{clocks} because its power is at the limit{limit}, {how_often}.",
            gpu=gpus_named(cards),
            clocks=held.clocks,
            limit=say(" of {limit:,.0f} W", limit=limit) if pd.notna(limit) else "",
            how_often=held.how_often,
        ),
        why=say(why, default=default) if lowered else say(built_so),
        next_step=say(ask, index=_index(cards), default=default) if lowered else say(nothing),
        gpus=indexes(cards),
        evidence=held.evidence,
        confidence="high" if held.samples >= SERIES_PRINTS else "medium",
    )


def _index(cards: pd.DataFrame) -> str:
    index = cards["gpu_index"].iloc[0]
    return "GPU" if pd.isna(index) else str(index)


def _braked(over: OverTime, held: HeldClocks) -> Finding:
    cards = over.series.cards.iloc[[held.card]]
    return Finding(
        id="power-capped",
        severity="medium",
        title=say(
            "The power supply holds {gpu} back{clocks}, {how_often}.",
            gpu=gpus_named(cards),
            clocks=held.clocks,
            how_often=held.how_often,
        ),
        why=say(
            "The brake signal comes from outside the card: a power supply that is overloaded, failing or not "
            "redundant any more, or a cable that is not seated."
        ),
        next_step=say(
            "Tell the administrator that `hw_power_brake_slowdown` is active; the power supplies and the "
            "power cables of the host need a look."
        ),
        gpus=indexes(cards),
        evidence=held.evidence,
        confidence="high" if held.samples >= SERIES_PRINTS else "medium",
    )
