"""Does the memory of a card grow on and on while the job works?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.steady_growth import even_growth
from smianalyze.analyses.wording import mib, places
from smianalyze.findings import Confidence, Evidence, Finding, Severity
from smianalyze.language import say, sentences, text
from smianalyze.quantities import duration

GROWN_MIB = 200
"""Less is a few blocks of an allocator, which takes 2 to 20 MiB at a time."""

FULL_SHARE = 0.97
"""A card is full from here on: what is left is less than the next block."""

SOON_S = 3600
"""Full within an hour: it ends this run."""

TODAY_S = 24 * SOON_S
"""Full within a day: it ends a long run."""

SOME_DAY_S = 7 * TODAY_S
"""Full in a week or later: few runs take so long."""

WATCHED_S = 600
"""Growth through ten minutes is no start-up any more."""

RECORDS_A_PART = 2
"""A framework counts its own memory exactly: two records are enough for the floor of a part."""

AGREEING = 0.5
"""A card agrees with its log if it rises by this part of what the log reports: its first sample comes late."""

TRAINED_RECORDS = 10
"""So many records of a log show that the job is past loading."""


KEPT = text(
    "Memory rises evenly while the job works, long after its first steps, and is not given back: something is "
    "kept from step to step, such as a loss that is summed up with its graph, or a list of outputs."
)
NEXT_STEP = text(
    "Print `torch.cuda.memory_allocated()` each 100 steps. If it grows, look for tensors that outlive their step, "
    "and keep plain numbers instead: `total += loss.item()`, `outputs.append(x.detach().cpu())`."
)


class Growth(NamedTuple):
    """How a card fills: first and last MiB in how many seconds, how fast, and the seconds until it is full.

    ``recorded_s`` are the seconds without gaps.
    """

    card: int
    first_mib: float
    last_mib: float
    seconds: float
    recorded_s: float
    mib_per_s: float
    left_s: float | None
    evidence: tuple[Evidence, ...]


class LogGrowth(NamedTuple):
    """How the memory that the framework reports grows, and where it says so."""

    first_mib: float
    last_mib: float
    records: int
    evidence: tuple[Evidence, ...]


def memory_grows(over: OverTime) -> list[Finding]:
    """The cards that fill evenly while the job works on them.

    Where the prints are too few to show it, a log that says so, and the only card of the job if it grew as well.
    """
    log = log_growth(over.steps)
    found = _by_course(over, log) if over.is_series else []
    if found or log is None:
        return found
    cards = job_cards(over)
    if over.is_series:
        return [_by_log_and_card(over, cards, log)] if len(cards) == 1 and _rises(over, cards, log) else []
    return [_by_log(log)]


def _by_course(over: OverTime, log: LogGrowth | None) -> list[Finding]:
    """The cards whose course in time shows it."""
    working = ~known_true(over.utilization["active_mean_pct"] <= IDLE_PCT)
    growths = [growth for card in np.flatnonzero(working) if (growth := _growth(over, int(card)))]
    rated = [(growth, _severity(growth)) for growth in growths]
    return [_finding(over, growth, log, severity) for growth, severity in rated if severity]


def log_growth(steps: pd.DataFrame) -> LogGrowth | None:
    """The growth of the memory that a log reports; None if no log says so.

    Args:
        steps: The metric records of a capture.
    """
    told = steps[steps["gpu_mem_mib"].notna()]
    for _, rows in told.groupby(["source", "rank"], dropna=False):
        values = rows["gpu_mem_mib"].to_numpy(dtype=float)
        at = np.arange(len(values), dtype=float)
        growth = even_growth(at, values, samples_a_part=RECORDS_A_PART)
        if growth is not None and growth.rise >= GROWN_MIB:
            return LogGrowth(values[0], values[-1], len(values), places(rows.iloc[[0, -1]]))
    return None


def _growth(over: OverTime, card: int) -> Growth | None:
    """How one card fills, until it is full; None where it does not, or its times are unknown."""
    course = over.active("memory_used_mib")[card]
    total = over.series.cards["memory_total_mib"].iloc[card]
    if not course.timed or not len(course.at):
        return None
    if pd.notna(total):
        full = course.values >= FULL_SHARE * total
        course = course.where(np.cumsum(full) <= full)  # up to the first full sample
    growth = even_growth(course.at, course.values)
    if growth is None or growth.rise < GROWN_MIB:
        return None
    first, last = float(course.values[0]), float(course.values[-1])
    left = None if pd.isna(total) else max(0.0, FULL_SHARE * float(total) - last) / growth.rate
    recorded = course.recorded_s or 0.0
    return Growth(card, first, last, float(np.ptp(course.at)), recorded, growth.rate, left, over.ends([course]))


def _severity(growth: Growth) -> Severity | None:
    """How much it costs; None where the card is full in many days only."""
    if growth.left_s is None:
        return "low"
    limits: tuple[tuple[float, Severity], ...] = ((SOON_S, "high"), (TODAY_S, "medium"), (SOME_DAY_S, "low"))
    return next((severity for limit, severity in limits if growth.left_s <= limit), None)


def _confidence(over: OverTime, growth: Growth, log: LogGrowth | None) -> Confidence:
    if log or growth.recorded_s >= WATCHED_S:
        return "high"
    return "medium" if len(over.steps) >= TRAINED_RECORDS else "low"


def _finding(over: OverTime, growth: Growth, log: LogGrowth | None, severity: Severity) -> Finding:
    cards = over.series.cards.iloc[[growth.card]]
    confidence = _confidence(over, growth, log)
    return Finding(
        id="memory-grows",
        severity="medium" if severity == "high" and confidence == "low" else severity,
        title=say(
            "{gpus} fills up steadily: from {first:,.0f} to {last} in {lasted}{left}.",
            gpus=gpus_named(cards),
            first=growth.first_mib,
            last=mib(growth.last_mib),
            lasted=duration(growth.seconds),
            left=_left(growth),
        ),
        why=sentences(say(KEPT), say("The log says so too: {growth}.", growth=_from_to(log)) if log else ""),
        next_step=say(NEXT_STEP),
        gpus=indexes(cards),
        evidence=(*growth.evidence, *(log.evidence if log else ())),
        confidence=confidence,
    )


def _rises(over: OverTime, cards: pd.DataFrame, log: LogGrowth) -> bool:
    """Whether the card takes up much of the growth that the log reports; what was held before does not show."""
    values = over.active("memory_used_mib")[cards.index[0]].values
    growth = log.last_mib - log.first_mib
    return len(values) > 0 and bool(values.max() - values[0] >= AGREEING * growth)


def _by_log_and_card(over: OverTime, cards: pd.DataFrame, log: LogGrowth) -> Finding:
    course, total = over.active("memory_used_mib")[cards.index[0]], cards["memory_total_mib"].iloc[0]
    most = float(course.values.max())
    full = pd.notna(total) and most >= FULL_SHARE * total
    return Finding(
        id="memory-grows",
        severity="high" if full else "medium",
        title=say(
            "{gpus} fills up: the log reports {growth}, and the card holds {most} at most.",
            gpus=gpus_named(cards),
            growth=_from_to(log),
            most=say("{part} of {total}", part=mib(most), total=mib(total)) if pd.notna(total) else mib(most),
        ),
        why=sentences(say(KEPT), say("The prints are too few to show how evenly it goes; the log shows it.")),
        next_step=say(NEXT_STEP),
        gpus=indexes(cards),
        evidence=(*over.ends([course]), *log.evidence),
        confidence="medium",
    )


def _by_log(log: LogGrowth) -> Finding:
    return Finding(
        id="memory-grows",
        severity="low",
        title=say("The memory that the log reports grows steadily: {growth}.", growth=_from_to(log)),
        why=sentences(
            say(KEPT),
            say(
                "Many logs print the most that was ever held, which longer inputs raise as well; no recording of "
                "the card goes with it."
            ),
        ),
        next_step=say(NEXT_STEP),
        evidence=log.evidence,
        confidence="low",
    )


def _from_to(log: LogGrowth) -> str:
    return say(
        "{first:,.0f} to {last} in {records:,} records",
        first=log.first_mib,
        last=mib(log.last_mib),
        records=log.records,
    )


def _left(growth: Growth) -> str:
    if growth.left_s is None:
        return ""
    if not growth.left_s:
        return say(", and is full then")
    return say(", and would be full {lasted} later", lasted=duration(growth.left_s))
