"""Do the cards of a job wait for one another without end?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.between_cards import side_by_side
from smianalyze.analyses.card_series import Span
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.one_job import one_job
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.ticks import Floats, seconds_of
from smianalyze.analyses.wording import places
from smianalyze.findings import Confidence, Evidence, Finding, Severity
from smianalyze.language import say, sentences, text
from smianalyze.quantities import duration, span

STUCK_PCT = 95
"""A kernel that waits for other ranks keeps its card at 99 to 100 %."""

STUCK_SHARE = 0.35
"""Waiting draws up to a third of the power limit: 130 of 700 W, 100 of 400 W; even light training draws more."""

SHORTEST_S = 60
"""Saving a checkpoint on one rank makes the others wait for some seconds."""

CERTAIN_S = 300
"""No checkpoint and no evaluation of one rank alone should take five minutes."""

END_S = 30
"""The job is killed, or the recording ends, within so many seconds after the last sample of a hang."""

EARLIER_SHARE = 0.6
"""A card that drew much more before has stopped working; one that never did may have light work."""


RECORDS_WITHIN = 2
"""A log that goes on for so many records is not stuck; one record may be written late."""

SILENT_STEPS = 3
"""A log is silent if it pauses for so many of the longest steps before."""


class Hang(NamedTuple):
    """The last stretch of a job, in which some cards wait busily and the others are idle.

    ``watts`` are medians of the stretch, ``earlier_watts`` those of the working time before it (NaN if there is
    none), one for each card.
    """

    cards: pd.DataFrame
    stuck: np.ndarray
    watts: Floats
    earlier_watts: Floats
    span: Span

    @property
    def seconds(self) -> float:
        """How long it lasted, as far as recorded."""
        return self.span.last - self.span.first

    @property
    def worked_before(self) -> bool:
        """Whether the cards that are stuck drew much more before."""
        return bool((self.watts <= EARLIER_SHARE * self.earlier_watts)[self.stuck].any())


class Witnesses(NamedTuple):
    """What else speaks for a hang: a log that is silent meanwhile, and a timeout in it."""

    silent_log: tuple[Evidence, ...]
    timeout: tuple[Evidence, ...]


def collective_hang(over: OverTime) -> list[Finding]:
    """The jobs that ended, or were still, in a collective that does not come back."""
    hangs = [_hang(over, cards) for _, cards in job_cards(over).groupby("host", dropna=False)]
    return [finding for hang in hangs if hang and (finding := _judged(over, hang))]


def _hang(over: OverTime, cards: pd.DataFrame) -> Hang | None:
    """The last stretch in which each card either waits busily or is idle, and none changes over."""
    use, power = (over.active(quantity) for quantity in ("utilization_gpu_pct", "power_draw_w"))
    told = [*(use[card] for card in cards.index), *(power[card] for card in cards.index)]
    size = len(cards)
    if size < 2 or not all(course.timed and len(course.at) for course in told):
        return None
    together = side_by_side(over.series, [told[0]._replace(values=told[0].at), *told])
    at, percent, watts = together[:, 0], together[:, 1 : 1 + size], together[:, 1 + size :]
    limits = cards["power_limit_w"].to_numpy(dtype=float, na_value=np.nan)
    stuck = (percent >= STUCK_PCT) & (watts <= STUCK_SHARE * limits)
    still = (stuck | (percent <= IDLE_PCT)).all(axis=1) & stuck.any(axis=1)
    if not still.any() or at[still][-1] < at[-1] - END_S:
        return None
    last = int(np.flatnonzero(still)[-1])
    broken = np.flatnonzero(~(still & (stuck == stuck[last]).all(axis=1))[: last + 1])
    first = int(broken[-1]) + 1 if len(broken) else 0
    if last - first + 1 < SERIES_PRINTS or at[last] - at[first] < SHORTEST_S:
        return None
    before = np.where(percent[:first] > IDLE_PCT, watts[:first], np.nan)
    earlier = pd.DataFrame(before).median().to_numpy()
    middle = np.median(watts[first : last + 1], axis=0)
    return Hang(cards, stuck[last], middle, earlier, Span(float(at[first]), float(at[last])))


def _witnesses(over: OverTime, hang: Hang) -> Witnesses | None:
    """What the logs say; None if they go on meanwhile, so that it is no hang."""
    steps, events = over.steps, over.frames.events
    timed = steps[steps["time"].notna()]
    at = np.sort(seconds_of(timed["time"], over.series.ticks["time"].min()))
    before, within = at[at <= hang.span.first], at[(at > hang.span.first) & (at < hang.span.last)]
    if len(within) >= RECORDS_WITHIN:
        return None
    usual = np.diff(before).max() if len(before) > RECORDS_WITHIN else np.inf
    silent = timed.tail(1) if hang.seconds >= SILENT_STEPS * usual else timed[:0]
    return Witnesses(places(silent), places(events[known_true(events["kind"].eq("nccl_timeout"))]))


def _judged(over: OverTime, hang: Hang) -> Finding | None:
    """The finding; None where light work, or jobs that have nothing to do with each other, may look so."""
    told = _witnesses(over, hang)
    together = one_job(over, hang.cards)
    if told is None or not (together or told.timeout):
        return None
    strong = [bool(told.timeout), bool(told.silent_log), not hang.stuck.all()]
    if not any(strong) and not hang.worked_before:
        return None
    number = sum(strong) + hang.worked_before
    confidence: Confidence = "high" if number > 1 else "medium" if any(strong) else "low"
    sure = any(strong) and (hang.seconds >= CERTAIN_S or bool(told.timeout))
    return _finding(over, hang, told, severity="high" if sure else "medium", confidence=confidence)


def _finding(
    over: OverTime, hang: Hang, told: Witnesses, *, severity: Severity, confidence: Confidence
) -> Finding:
    power = [over.active("power_draw_w")[card].within(hang.span) for card in hang.cards.index]
    return Finding(
        id="collective-hang",
        severity=severity,
        title=_title(hang),
        why=sentences(
            say(
                "A card that waits for the other ranks in a collective (all-reduce, barrier) looks busy and "
                "hardly draws power. One rank has not come: it failed, it is in another branch of the program, or "
                "the link to it is broken."
            ),
            say("The log has no step from then on.") if told.silent_log else "",
            say("NCCL gave up waiting in the log.") if told.timeout else "",
        ),
        next_step=say(
            "Run `py-spy dump --pid PID` for each rank (the PIDs stand in nvidia-smi): the rank whose stack "
            "differs from the others is the one that they wait for. Then look at the end of that rank's log."
        ),
        gpus=indexes(hang.cards),
        evidence=(*over.ends(power), *told.silent_log, *told.timeout),
        confidence=confidence,
    )


def _title(hang: Hang) -> str:
    stuck, idle = hang.cards[hang.stuck], hang.cards[~hang.stuck]
    one = text("{gpus} hangs: for the last {lasted} it shows 100 % utilization at {watts} W{before}{beside}.")
    some = text("{gpus} hang: for the last {lasted} they show 100 % utilization at {watts} W{before}{beside}.")
    one_idle, some_idle = text(", while {gpus} is idle"), text(", while {gpus} are idle")
    earlier = [float(watt) for watt in hang.earlier_watts[hang.stuck] if not np.isnan(watt)]
    return say(
        one if len(stuck) == 1 else some,
        gpus=gpus_named(stuck),
        lasted=duration(hang.seconds),
        watts=span(list(hang.watts[hang.stuck])),
        before=say(", after {watts} W before", watts=span(earlier)) if hang.worked_before else "",
        beside=say(one_idle if len(idle) == 1 else some_idle, gpus=gpus_named(idle)) if len(idle) else "",
    )
