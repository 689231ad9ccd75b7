"""Does one rank wait for another while both look busy?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.between_cards import side_by_side
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.one_job import one_job
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.ticks import Floats
from smianalyze.analyses.utilization import BUSY_PCT
from smianalyze.findings import Confidence, Finding
from smianalyze.language import say, sentences, text
from smianalyze.quantities import counted, span

COOL_SHARE = 0.75
"""Equal cards at equal work draw within 15 % of each other, as chips and cooling differ."""

MUCH_COOLER_SHARE = 0.6
"""A rank that only waits draws half of one that works: high instead of medium."""

CLOCK_SHARE = 0.9
"""A cool card whose clock is below this share of the hot one's is held back, it does not wait."""

LIMIT_SHARE = 0.98
"""Power limits that differ by more make the power differ."""


class Ranks(NamedTuple):
    """The cards of one job while all of them are busy: medians of each, and how sure it is that it is one job."""

    cards: pd.DataFrame
    percent: Floats
    watts: Floats
    prints: int
    confidence: Confidence

    @property
    def cool(self) -> np.ndarray:
        """Which cards draw less than halfway between the coolest and the hottest."""
        return np.asarray(self.watts < (self.watts.min() + self.watts.max()) / 2)

    @property
    def share(self) -> float:
        """Power of the coolest card, as a part of that of the hottest."""
        return float(self.watts.min() / self.watts.max())


def rank_imbalance(over: OverTime) -> list[Finding]:
    """The jobs whose cards are equally busy and draw unequal power: waiting in a collective counts as busy."""
    hosts = [_ranks(over, cards) for _, cards in job_cards(over).groupby("host", dropna=False)]
    return [_finding(over, ranks) for ranks in hosts if ranks and ranks.share <= COOL_SHARE]


def _ranks(over: OverTime, cards: pd.DataFrame) -> Ranks | None:
    """The cards of one host; None if they are no equal ranks of one job, or hardly ever all busy."""
    confidence = one_job(over, cards)
    if confidence is None or not _alike(cards):
        return None
    use, power = (over.active(quantity) for quantity in ("utilization_gpu_pct", "power_draw_w"))
    told = side_by_side(
        over.series, [*(use[card] for card in cards.index), *(power[card] for card in cards.index)]
    )
    busy = told[(told[:, : len(cards)] >= BUSY_PCT).all(axis=1)]
    if len(busy) < max(SERIES_PRINTS, len(told) / 2):
        return None
    percent, watts = np.split(np.median(busy, axis=0), 2)
    cool, hot = cards.index[int(watts.argmin())], cards.index[int(watts.argmax())]
    if _held_back(over, cool, hot):
        return None
    return Ranks(cards, percent, watts, len(busy), confidence)


def _alike(cards: pd.DataFrame) -> bool:
    """Whether the cards are of one model, with one power limit, as far as both are known."""
    limits = cards["power_limit_w"].dropna()
    same_limit = limits.empty or limits.min() >= LIMIT_SHARE * limits.max()
    return cards["name"].nunique() <= 1 and bool(same_limit)


def _held_back(over: OverTime, cool: int, hot: int) -> bool:
    """Whether the clock of the cool card is the lower one: heat or a cap holds it, and it does not wait."""
    courses = over.active("clocks_current_sm_mhz")
    slow, fast = (courses[card].values for card in (cool, hot))
    return bool(len(slow) and len(fast) and np.median(slow) < CLOCK_SHARE * np.median(fast))


def _finding(over: OverTime, ranks: Ranks) -> Finding:
    return Finding(
        id="rank-imbalance",
        severity="high" if ranks.share <= MUCH_COOLER_SHARE else "medium",
        title=_title(ranks),
        why=sentences(
            say(
                "All ranks meet in each step to exchange gradients. A rank that is there early waits in a kernel, "
                "which counts as utilization but hardly draws power. So the ranks have unequal work, and the "
                "slowest one sets the pace."
            ),
            say(
                "The numbers are medians of {prints} in which all cards were at least {busy} % busy.",
                prints=counted(ranks.prints, "print"),
                busy=BUSY_PCT,
            ),
        ),
        next_step=say(
            "Give the ranks equal work: let each rank print how many samples it has in a step, how long "
            "they are, and how long its forward and backward pass takes. Split the data evenly "
            "(`DistributedSampler`, batches by length), and move what only one rank does out of the step."
        ),
        gpus=indexes(ranks.cards),
        evidence=over.ends(over.active("power_draw_w")[card] for card in ranks.cards.index),
        confidence=ranks.confidence,
    )


def _title(ranks: Ranks) -> str:
    cool, hot = ranks.cards[ranks.cool], ranks.cards[~ranks.cool]
    low, high = ranks.watts[ranks.cool], ranks.watts[~ranks.cool]
    one = text(
        "{cool} draws {low} W and {hot} {high} W at the same utilization ({percent} %): {cool} waits for {hot}."
    )
    some = text(
        "{cool} draw {low} W and {hot} {high} W at the same utilization ({percent} %): {cool} wait for {hot}."
    )
    return say(
        one if len(cool) == 1 else some,
        cool=gpus_named(cool),
        low=span(list(low)),
        hot=gpus_named(hot),
        high=span(list(high)),
        percent=span(list(ranks.percent)),
    )
