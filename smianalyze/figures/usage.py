"""How much of the time each card was idle or busy, and the sentence that says so."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.ticks import Floats
from smianalyze.analyses.utilization import BUSY_PCT
from smianalyze.figures import style
from smianalyze.figures.clock import length
from smianalyze.figures.tracks import Tracks
from smianalyze.language import say, text
from smianalyze.quantities import counted, share, whole

CLASSES = (
    text("idle (≤ {idle} %)"),
    text("{idle} to 50 %"),
    text("50 to {busy} %"),
    text("busy (≥ {busy} %)"),
)
_LOWEST_OF_CLASS = (math.nextafter(IDLE_PCT, BUSY_PCT), 50, BUSY_PCT)

NOTABLE = 0.1
"""Share of idle samples from which a title speaks of them, and difference by which one card stands out."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One card over all the time.

    Attributes:
        card: Its number, None where it was not printed.
        counts: How many samples are in each of the classes.
        unknown: How many have no utilization.
        mean_pct: Mean utilization; NaN where it is never known.
        peak_mib: Most memory in use; NaN where it is never known.
        was_used: Whether it ever worked or held memory; True where that is not known.
    """

    card: int | None
    counts: tuple[int, ...]
    unknown: int
    mean_pct: float
    peak_mib: float
    was_used: bool

    @property
    def known(self) -> int:
        """Samples with a utilization."""
        return sum(self.counts)

    @property
    def idle(self) -> float:
        """Share of the known samples in which it was idle; NaN where none is known."""
        return self.counts[0] / self.known if self.known else math.nan

    @property
    def busy(self) -> float:
        """Share of the known samples in which it was busy; NaN where none is known."""
        return self.counts[-1] / self.known if self.known else math.nan

    @property
    def label(self) -> str:
        """Its name in a picture."""
        return card_label(self.card)


class State(NamedTuple):
    """How it is said that cards were in a state for a share of the time: all alike, one of them, and one never."""

    alike: str
    one: str
    never: str


IDLE = State(
    text("{count:,} cards were idle {share} of {over}"),
    text("{gpu} was idle {share} of {over}"),
    text("{gpu} was never idle in {over}"),
)
BUSY = State(
    text("{count:,} cards were busy {share} of {over}"),
    text("{gpu} was busy {share} of {over}"),
    text("{gpu} was never busy in {over}"),
)


class Statement(NamedTuple):
    """A title, and the card that it is about where it is about one."""

    text: str
    card: int | None = None


def card_label(card: int | None) -> str:
    """``GPU 0``; a card whose number was not printed is ``GPU ?``."""
    return f"GPU {'?' if card is None else card}"


def class_names() -> list[str]:
    """The classes of utilization in words."""
    return [say(name, idle=IDLE_PCT, busy=BUSY_PCT) for name in CLASSES]


def usages(tracks: Tracks) -> tuple[Usage, ...]:
    """How each card was used, in the order of the tracks."""
    utilization = tracks.of("utilization_gpu_pct")
    memory = tracks.of("memory_used_mib")
    return tuple(
        _usage(card, pct.values, mib.values)
        for card, pct, mib in zip(tracks.cards, utilization, memory, strict=True)
    )


def idleness(tracks: Tracks, found: Sequence[Usage]) -> Statement:
    """Which card was idle and for how much of the time; of cards that were hardly idle, how hard they worked."""
    over = length(tracks)
    known = [usage for usage in found if usage.known]
    used = [usage for usage in known if usage.was_used]
    if not known:
        return _unknown(found, over)
    if not used:
        if len(known) == 1:
            return Statement(say("{gpu} stayed idle for {over}", gpu=known[0].label, over=over))
        return Statement(say("All {count:,} cards stayed idle for {over}", count=len(known), over=over))
    if max(usage.idle for usage in used) >= NOTABLE:
        statement = _compared(used, IDLE, lambda usage: usage.idle, over)
    else:
        statement = Statement(_worked(used, over))
    unused = [usage.label for usage in known if not usage.was_used]
    if not unused:
        return statement
    if len(unused) == 1:
        return statement._replace(text=say("{said}; {gpu} was not used", said=statement.text, gpu=unused[0]))
    and_others = say("{said}; {count:,} cards were not used", said=statement.text, count=len(unused))
    return statement._replace(text=and_others)


def busyness(tracks: Tracks, found: Sequence[Usage]) -> Statement:
    """Which card was busy and for how much of the time."""
    over = length(tracks)
    known = [usage for usage in found if usage.known]
    if not known:
        return _unknown(found, over)
    if any(usage.busy for usage in known):
        return _compared(known, BUSY, lambda usage: usage.busy, over)
    if len(known) == 1:
        return Statement(say(BUSY.never, gpu=known[0].label, over=over))
    return Statement(say("None of {count:,} cards was ever busy in {over}", count=len(known), over=over))


def describe(tracks: Tracks, *, most: int) -> str:
    """What was recorded, for the line below a title.

    Args:
        tracks: What is drawn.
        most: So many cards are drawn at most.
    """
    parts = [style.kinds(tracks.names, most=most), counted(tracks.prints, "sample")]
    if tracks.hosts > 1:
        parts.append(say("first of {hosts:,} hosts", hosts=tracks.hosts))
    if tracks.untimed:
        parts.append(say("{samples} without a time left out", samples=counted(tracks.untimed, "sample")))
    return say("; ").join(parts)


def _worked(used: Sequence[Usage], over: str) -> str:
    """How hard some cards worked."""
    means = _range([usage.mean_pct / 100 for usage in used])
    if len(used) == 1:
        return say("{gpu} worked at {means} on average over {over}", gpu=used[0].label, means=means, over=over)
    said = text("{count:,} cards worked at {means} on average over {over}")
    return say(said, count=len(used), means=means, over=over)


def _unknown(found: Sequence[Usage], over: str) -> Statement:
    """What can be said without any utilization."""
    if not found:
        return Statement(say("No card was read"))
    held = [usage for usage in found if usage.peak_mib >= 0]
    if not held:
        cards = counted(len(found), "card")
        return Statement(say("Utilization of {cards} is not known over {over}", cards=cards, over=over))
    lead = max(held, key=lambda usage: usage.peak_mib)
    said = text("{gpu} held up to {size} MiB over {over}; utilization is not known")
    return Statement(say(said, gpu=lead.label, size=whole(lead.peak_mib), over=over))


def _compared(found: Sequence[Usage], state: State, of: Callable[[Usage], float], over: str) -> Statement:
    """How much of the time the cards were in a state; the one that is farthest from the others is named."""
    every = [of(usage) for usage in found]
    middle = statistics.median(every)
    lead = max(found, key=lambda usage: (round(abs(of(usage) - middle), 6), of(usage)))
    others = [usage for usage in found if usage is not lead]
    if others and max(every) - min(every) < NOTABLE:
        return Statement(say(state.alike, count=len(found), share=_range(every), over=over))
    said = say(state.one if of(lead) else state.never, gpu=lead.label, share=_range([of(lead)]), over=over)
    if not others:
        return Statement(said, lead.card)
    rest = [of(usage) for usage in others]
    who = others[0].label if len(others) == 1 else say("the {count:,} others", count=len(others))
    share_of_rest = _range(rest) if any(rest) else say("never")
    return Statement(say("{said}, {who} {share}", said=said, who=who, share=share_of_rest), lead.card)


def _range(shares: Sequence[float]) -> str:
    """The range of shares in percent, such as ``3 to 52 %``, or the percentage that all have."""
    low, high = share(min(shares), 1), share(max(shares), 1)
    return low if low == high else say("{low} to {high}", low=low.removesuffix(" %"), high=high)


def _usage(card: int | None, pct: Floats, mib: Floats) -> Usage:
    known = pct[~np.isnan(pct)]
    counts = np.bincount(np.searchsorted(_LOWEST_OF_CLASS, known, side="right"), minlength=len(CLASSES))
    peak_mib = float(np.fmax.reduce(mib, initial=np.nan))
    return Usage(
        card=card,
        counts=tuple(counts.tolist()),
        unknown=pct.size - known.size,
        mean_pct=float(known.mean()) if known.size else math.nan,
        peak_mib=peak_mib,
        was_used=bool(counts[0] < known.size) or not peak_mib < HELD_MIB,
    )
