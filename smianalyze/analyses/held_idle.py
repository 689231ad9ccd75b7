"""Does a card hold memory while nothing runs on it?"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.held_memory import held_from
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.wording import places
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text
from smianalyze.quantities import counted, span

IDLE_THROUGH = 0.9
"""A card that is idle in so many samples does next to nothing: a starved job shows a spike in one of ten."""

SHORTEST_S = 20
"""Any job is idle for some seconds, while it loads or saves."""

CERTAIN_S = 60
"""Loading takes longer only for very large models."""

LOADED_SHARE = 0.8
"""A card that holds less than this share of its last memory for half of the time is one that is being loaded."""

QUANTITIES = ("utilization_gpu_pct", "memory_used_mib")

COSTLY_S = 600
"""Ten idle minutes are no pause: high instead of medium."""


def held_but_idle(over: OverTime, besides: Collection[int] = ()) -> list[Finding]:
    """The cards of each host that hold memory and are idle while the job runs.

    Args:
        over: The series of a capture.
        besides: Numbers of the cards of which another finding says so already.
    """
    table = over.utilization
    idle = known_true(table["active_samples"] >= SERIES_PRINTS) & known_true(
        table["active_idle_share"] >= IDLE_THROUGH
    )
    idle &= over.holds_memory.eq(True) & _long_enough(over) & ~_fills(over) & ~table.index.isin(list(besides))
    return [_idle(over, cards) for _, cards in table[idle].groupby("host", dropna=False)]


def held_at_that_moment(frames: Frames) -> list[Finding]:
    """The cards that hold memory and are idle in the last print of each host, which is only one moment."""
    gpus = frames.gpus.dropna(subset=["snapshot", "gpu_index"])
    last = gpus.groupby("host", dropna=False)["snapshot"].transform("max")
    rows = gpus[gpus["snapshot"].eq(last) & known_true(gpus["utilization_gpu_pct"] <= IDLE_PCT)]
    rows = rows[known_true(rows["memory_used_mib"] >= held_from(frames, rows))]
    return [_moment(cards) for _, cards in rows.groupby("host", dropna=False)]


def _long_enough(over: OverTime) -> np.ndarray:
    """Which cards have an active span that is longer than a job loads; without times the samples must do."""
    spans = zip(over.spans.of_cards, over.series.cards["timed"], strict=True)
    long = [part is not None and (not timed or part.last - part.first >= SHORTEST_S) for part, timed in spans]
    return np.array(long, dtype=bool)


def _fills(over: OverTime) -> np.ndarray:
    """Which cards are still being loaded at the end: they are idle for a reason."""
    courses = over.active("memory_used_mib")
    return np.array(
        [bool(len(one.values)) and bool(np.median(one.values) < LOADED_SHARE * one.values[-1]) for one in courses],
        dtype=bool,
    )


def _idle(over: OverTime, cards: pd.DataFrame) -> Finding:
    use, memory = ([over.active(name)[card] for card in cards.index] for name in QUANTITIES)
    seconds = use[0].recorded_s
    spikes = max(float(course.values.max()) for course in use)
    return Finding(
        id="held-but-idle",
        severity="high" if seconds is not None and seconds >= COSTLY_S else "medium",
        title=_title(cards, [float(np.median(course.values)) for course in memory], seconds),
        why=sentences(
            say(
                "Memory is held while next to nothing runs: the job waits (for data, another rank, a user), or it "
                "ended without giving its memory back."
            ),
            say("Between the idle samples stand spikes of up to {spikes:.0f} %.", spikes=spikes)
            if spikes > IDLE_PCT
            else "",
        ),
        next_step=say(
            "Look at what the process waits for (`py-spy dump --pid PID` shows its Python stack); end it if "
            "nobody needs it."
        ),
        gpus=indexes(cards),
        evidence=over.ends(use),
        confidence="high" if seconds is not None and seconds >= CERTAIN_S else "medium",
    )


def _title(cards: pd.DataFrame, held_mib: Sequence[float], seconds: float | None) -> str:
    one = text(
        "{gpus} holds {memory} MiB and is idle: at most {idle_pct} % busy in {share} % of {samples} "
        "samples{lasted}."
    )
    some = text(
        "{gpus} hold {memory} MiB and are idle: at most {idle_pct} % busy in {share} % of {samples} "
        "samples{lasted}."
    )
    return say(
        one if len(cards) == 1 else some,
        gpus=gpus_named(cards),
        memory=span(held_mib),
        idle_pct=IDLE_PCT,
        share=span((100 * cards["active_idle_share"]).to_list()),
        samples=span(cards["active_samples"].to_list()),
        lasted="" if seconds is None else say(" over {seconds}", seconds=counted(round(seconds), "second")),
    )


def _moment(cards: pd.DataFrame) -> Finding:
    memory, use = (span(cards[name].to_list()) for name in reversed(QUANTITIES))
    one = text("{gpus} holds {memory} MiB at {use} % utilization at that moment.")
    some = text("{gpus} hold {memory} MiB at {use} % utilization at that moment.")
    return Finding(
        id="held-but-idle",
        severity="low",
        title=say(one if len(cards) == 1 else some, gpus=gpus_named(cards), memory=memory, use=use),
        why=say(
            "One print shows one moment: a card that is busy on the whole may be idle between two steps, while it "
            "loads data or saves a checkpoint."
        ),
        next_step=say(
            "Record a minute of the run with `nvidia-smi "
            "--query-gpu=timestamp,index,utilization.gpu,memory.used --format=csv -lms 500`."
        ),
        gpus=indexes(cards),
        evidence=places(cards),
        confidence="low",
    )
