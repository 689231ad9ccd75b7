"""Does a card go on and off, so that it could do more if it were fed?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.matching import known_true
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.period import CYCLES
from smianalyze.findings import Finding, Severity
from smianalyze.language import say, sentences, text
from smianalyze.quantities import span

IDLE_SHARE = 0.3
"""Idle less often, a card loses less than what evaluation and checkpoints cost anyway."""

COARSE_S = 0.5
"""The driver averages over 0.2 to 1 s: prints more often than this show no more, rarer ones may miss a cycle."""

MUCH_IDLE_SHARE = 0.5
"""From here on the job could run twice as fast: medium instead of low."""

RESOLVED_SAMPLES = 3
"""Phases of fewer samples on average are shorter than the samples can show."""


def oscillating(over: OverTime) -> pd.DataFrame:
    """The rows of ``over.utilization`` whose card goes on and off while the job runs, by more than chance.

    Either in a steady rhythm, or irregularly in phases that several samples show. A card that certainly holds
    no memory has no job.
    """
    table = over.utilization
    phases = table["active_switches"] + 1
    often = known_true(table["active_switches"] >= 2 * CYCLES)
    shown = table["period_s"].notna() | known_true(table["active_samples"] >= RESOLVED_SAMPLES * phases)
    idle = known_true(table["active_idle_share"] >= IDLE_SHARE)
    return table[often & shown & idle & ~known_true(over.holds_memory.eq(False))]


def utilization_oscillates(over: OverTime) -> list[Finding]:
    """The cards of each host that go on and off, those with a rhythm apart from those without."""
    rows = oscillating(over)
    kinds = rows.groupby([rows["host"], rows["period_s"].notna()], dropna=False)
    return [_finding(over, cards) for _, cards in kinds]


def _finding(over: OverTime, cards: pd.DataFrame) -> Finding:
    use = [over.active("utilization_gpu_pct")[card] for card in cards.index]
    coarse = max(course.step_s for course in use) >= COARSE_S
    steady = bool(cards["period_s"].notna().all())
    one = text("{gpus} works in bursts: idle in {share} % of {samples} samples, {switches} switches, {rhythm}.")
    some = text("{gpus} work in bursts: idle in {share} % of {samples} samples, {switches} switches, {rhythm}.")
    return Finding(
        id="utilization-oscillates",
        severity=_severity(cards, steady=steady),
        title=say(
            one if len(cards) == 1 else some,
            gpus=gpus_named(cards),
            share=span((100 * cards["active_idle_share"]).to_list()),
            samples=span(cards["active_samples"].to_list()),
            switches=span(cards["active_switches"].to_list()),
            rhythm=say("one cycle each {cycle} seconds", cycle=_seconds(cards["period_s"]))
            if steady
            else say("at irregular times"),
        ),
        why=sentences(
            say(
                "On and off means that the card waits between two pieces of work: for data, for the CPU, for "
                "another rank, or for requests."
            ),
            say("At steps of {coarse} seconds or more a faster rhythm can look like a slow one.", coarse=COARSE_S)
            if coarse
            else "",
        ),
        next_step=say(
            "Compare the cycle with the step time and data time in the log; if data time is most of it, "
            "give the loader more workers."
        ),
        gpus=indexes(cards),
        evidence=over.ends(use),
        confidence="high" if steady and not coarse else "medium",
    )


def _severity(cards: pd.DataFrame, *, steady: bool) -> Severity:
    return "medium" if steady and cards["active_idle_share"].max() >= MUCH_IDLE_SHARE else "low"


def _seconds(periods: pd.Series) -> str:
    low, high = np.round([periods.min(), periods.max()], 1)
    return f"{low:,.1f}" if low == high else say("{low} to {high}", low=f"{low:,.1f}", high=f"{high:,.1f}")
