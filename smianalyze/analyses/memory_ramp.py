"""Does a card fill slowly before it does anything?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.card_series import Course
from smianalyze.analyses.memory_series import FULL_SHARE, NOISE_MIB
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.steady_growth import even_growth
from smianalyze.analyses.wording import mib
from smianalyze.findings import Confidence, Evidence, Finding
from smianalyze.language import say
from smianalyze.quantities import duration

SLOW_S = 60
"""A context with all its code takes some seconds; a minute is a fault."""

VERY_SLOW_S = 180
"""From here on each start costs as much as many steps: medium instead of low."""

SLOW_MIB_PER_S = 20
"""Compiled code trickles in at some MiB a second; weights come from the slowest disk faster than this."""

RAMP_MIB = 150
"""The smallest context seen."""


class Ramp(NamedTuple):
    """How a card filled before its first work; it is surer where that work was seen to begin."""

    card: int
    rise_mib: float
    seconds: float
    confidence: Confidence
    evidence: tuple[Evidence, ...]


def memory_ramp_slow(over: OverTime) -> list[Finding]:
    """The cards that took minutes for their first memory while nothing ran on them."""
    memory, use = (over.series.courses(name) for name in ("memory_used_mib", "utilization_gpu_pct"))
    ramps = [_ramp(over, card, course, use[card]) for card, course in enumerate(memory)]
    return [_finding(over, ramp) for ramp in ramps if ramp]


def _ramp(over: OverTime, card: int, memory: Course, use: Course) -> Ramp | None:
    """The slow and steady filling of one card; None if there is none."""
    if not memory.timed or not len(memory.at):
        return None
    empty = memory.values <= memory.values.min() + NOISE_MIB
    before = np.flatnonzero(empty[: memory.values.argmax() + 1])
    if not len(before):
        return None
    start = memory.at[before[-1]]
    work = _first_work(use, start)
    head = _slowest(memory.where((memory.at >= start) & (memory.at < work)))
    rise = head.values - head.values[0]
    head = head.where(np.cumsum(rise >= FULL_SHARE * rise.max()) <= 1)
    seconds, rise_mib = float(np.ptp(head.at)), float(head.values[-1] - head.values[0])
    if rise_mib < RAMP_MIB or seconds < SLOW_S or rise_mib > SLOW_MIB_PER_S * seconds:
        return None
    if even_growth(head.at, head.values) is None:
        return None
    sure = len(use.at) > 0 and work < np.inf
    return Ramp(card, rise_mib, seconds, "medium" if sure else "low", over.ends([head]))


def _slowest(head: Course) -> Course:
    """The longest part without a jump: a context, or the weights, come at once."""
    jumps = np.diff(head.values) > RAMP_MIB + SLOW_MIB_PER_S * np.diff(head.at)
    edges = np.r_[0, 1 + np.flatnonzero(jumps), len(head.at)]
    lengths = head.at[edges[1:] - 1] - head.at[edges[:-1]]
    longest = int(lengths.argmax())
    place = np.arange(len(head.at))
    return head.where((place >= edges[longest]) & (place < edges[longest + 1]))


def _first_work(use: Course, start: float) -> float:
    """When the card first works for two samples on end; never, if it does not."""
    busy = (use.values > IDLE_PCT) & (use.at > start)
    twice = np.flatnonzero(busy[:-1] & busy[1:])
    return float(use.at[twice[0]]) if len(twice) else np.inf


def _finding(over: OverTime, ramp: Ramp) -> Finding:
    cards = over.series.cards.iloc[[ramp.card]]
    return Finding(
        id="memory-ramp-slow",
        severity="medium" if ramp.seconds >= VERY_SLOW_S and ramp.confidence != "low" else "low",
        title=say(
            "{gpus} took {lasted} to fill its first {size} ({rate:.1f} MiB a second), before it did any work.",
            gpus=gpus_named(cards),
            lasted=duration(ramp.seconds),
            size=mib(ramp.rise_mib),
            rate=ramp.rise_mib / ramp.seconds,
        ),
        why=say(
            "So slow and steady a start is mostly the driver that compiles the kernels of a framework which was "
            "built before this card came out; or the weights come from a very slow disk."
        ),
        next_step=say(
            'Compare `nvidia-smi --query-gpu=compute_cap --format=csv` with `python -c "import torch; '
            "print(torch.version.cuda, torch.cuda.get_arch_list())\"`: if the list lacks the card's number (8.6 "
            "is sm_86), install a build of the framework for a newer CUDA."
        ),
        gpus=indexes(cards),
        evidence=ramp.evidence,
        confidence=ramp.confidence,
    )
