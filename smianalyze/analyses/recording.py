"""Is the recording dense and whole enough to say how the cards behaved?"""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.oscillation import COARSE_S
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.ticks import SERIES
from smianalyze.analyses.wording import places
from smianalyze.findings import Finding
from smianalyze.language import say, text
from smianalyze.quantities import counted, span

SOMETIMES_IDLE = 0.1
"""Idle in fewer samples, or busy in fewer, a card does not swing."""

FLIP_SHARE = 1 / 3
"""So many pairs of neighbours on both sides of idle are nearly those of dice (at most a half)."""

REGULAR_SHARE = 0.8
"""A recording with fewer even steps was made by hand and has pauses, not gaps."""

SHORTEST_GAP_S = 5
"""A driver that starts up, or a busy host, holds nvidia-smi up for some seconds."""

SMALL_SHARE = 0.01
"""Gaps of less than this share of the recording change no number: info instead of low."""

MAX_PLACES = 8
"""So many gaps are evidence enough."""

DENSER = text(
    "Record again with `nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw "
    "--format=csv -lms 200`."
)


def sampling_too_coarse(over: OverTime) -> list[Finding]:
    """Whether the prints are too far apart to say how the cards behaved while the job ran."""
    return [*_few_prints(over), *_unresolved(over)]


def gap_in_series(over: OverTime) -> list[Finding]:
    """The recordings that stop for a while, or whose clock goes back."""
    table = over.sampling
    series = known_true(table["prints"] >= SERIES_PRINTS) & known_true(table["regular_share"] >= REGULAR_SHARE)
    found = over.breaks[known_true(over.breaks["length_s"].abs() >= SHORTEST_GAP_S)]
    found = found.merge(table.loc[series, [*SERIES, "duration_s"]], on=SERIES)
    return [_gap(breaks) for _, breaks in found.groupby(SERIES, dropna=False)]


def _few_prints(over: OverTime) -> list[Finding]:
    """Hosts whose job came and went between a few prints."""
    cards = over.utilization.merge(over.spans.hosts, on="host", how="left")
    most = cards.groupby("host", dropna=False)["active_samples"].transform("max")
    few = cards[known_true(cards["basis"].eq("memory grew") & most.gt(0) & most.lt(SERIES_PRINTS))]
    return [_brief(over, rows) for _, rows in few.groupby("host", dropna=False)]


def _brief(over: OverTime, cards: pd.DataFrame) -> Finding:
    seconds, most = cards["duration_s"].iloc[0], cards["active_samples"].max()
    known = pd.notna(seconds)
    timed = text("Only {prints} fell into the {seconds} in which the job ran.")
    untimed = text("Only {prints} fell into the time in which the job ran.")
    return _coarse(
        over,
        cards[cards["active_samples"].eq(most)],
        title=say(
            timed if known else untimed,
            prints=counted(int(most), "print"),
            seconds=counted(round(seconds), "second") if known else "",
        ),
        why=say("So few samples give a mean, but not how utilization varied."),
    )


def _unresolved(over: OverTime) -> list[Finding]:
    """Cards that are idle in one print and busy in the next, so that their phases are shorter than a step."""
    table = over.utilization
    idle, pairs = table["active_idle_share"], table["active_samples"] - 1
    swings = known_true((idle >= SOMETIMES_IDLE) & (idle <= 1 - SOMETIMES_IDLE))
    flips = known_true((table["active_switches"] >= FLIP_SHARE * pairs) & (pairs + 1 >= SERIES_PRINTS))
    step = pd.Series([course.step_s for course in over.active("utilization_gpu_pct")], dtype="float64")
    rows = table[swings & flips & (step >= COARSE_S) & ~known_true(over.holds_memory.eq(False))]
    return [_swinging(over, cards, step[cards.index].max()) for _, cards in rows.groupby("host", dropna=False)]


def _swinging(over: OverTime, cards: pd.DataFrame, step_s: float) -> Finding:
    one = text(
        "{gpus} goes on and off from one print to the next, {switches} times in {samples} prints: too fast for "
        "prints {step:.1f} seconds apart."
    )
    some = text(
        "{gpus} go on and off from one print to the next, {switches} times in {samples} prints: too fast for "
        "prints {step:.1f} seconds apart."
    )
    return _coarse(
        over,
        cards,
        title=say(
            one if len(cards) == 1 else some,
            gpus=gpus_named(cards),
            switches=span(cards["active_switches"].to_list()),
            samples=span(cards["active_samples"].to_list()),
            step=step_s,
        ),
        why=say(
            "Phases shorter than the step are hit by chance: the mean is right, how long the card waits cannot be "
            "told."
        ),
    )


def _coarse(over: OverTime, cards: pd.DataFrame, *, title: str, why: str) -> Finding:
    active = over.active("utilization_gpu_pct")
    return Finding(
        id="sampling-too-coarse",
        severity="info",
        title=title,
        why=why,
        next_step=say(DENSER),
        gpus=indexes(cards),
        evidence=over.ends(active[card] for card in cards.index),
    )


def _gap(breaks: pd.DataFrame) -> Finding:
    """The finding for one recording."""
    duration_s = float(breaks["duration_s"].iloc[0])
    gaps, jumps = breaks[breaks["kind"].eq("gap")], breaks[breaks["kind"].eq("clock jump")]
    missing = float(gaps["length_s"].sum())
    pauses, back = _pauses(gaps["length_s"], duration_s), _steps_back(jumps["length_s"])
    if pauses and back:
        title = say("{pauses} and {back}.", pauses=pauses, back=back)
    else:
        title = say("{clause}.", clause=pauses or back)
    return Finding(
        id="gap-in-series",
        severity="info" if jumps.empty and missing < SMALL_SHARE * duration_s else "low",
        title=f"{title[0].upper()}{title[1:]}",
        why=say(
            "The recorder was stopped, or the host or its driver did not answer; several recordings in one file, "
            "and a clock that was set, look the same. Means, energy and cycles do not count that time."
        ),
        next_step=say("Look at what the host did then (`dmesg -T`); record again if that time matters."),
        evidence=places(breaks)[:MAX_PLACES],
    )


def _pauses(lengths: pd.Series, duration_s: float) -> str:
    """For how long nothing is recorded, as a clause; empty without gaps."""
    if lengths.empty:
        return ""
    longest = say(", the longest {seconds:,.0f} seconds", seconds=lengths.max()) if len(lengths) > 1 else ""
    return say(
        "nothing is recorded for {missing:,.0f} of {duration:,.0f} seconds ({gaps}{longest})",
        missing=lengths.sum(),
        duration=duration_s,
        gaps=counted(len(lengths), "gap"),
        longest=longest,
    )


def _steps_back(lengths: pd.Series) -> str:
    """How often the clock goes back, as a clause; empty where it does not."""
    if lengths.empty:
        return ""
    return say(
        "the clock goes back {times}, by up to {seconds:,.0f} seconds",
        times=counted(len(lengths), "time"),
        seconds=-lengths.min(),
    )
