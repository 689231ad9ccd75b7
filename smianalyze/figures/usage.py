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
from smianalyze.quantities import counted, share, whole

CLASSES = (f"idle (≤ {IDLE_PCT} %)", f"{IDLE_PCT} to 50 %", f"50 to {BUSY_PCT} %", f"busy (≥ {BUSY_PCT} %)")
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


class Statement(NamedTuple):
    """A title, and the card that it is about where it is about one."""

    text: str
    card: int | None = None


def card_label(card: int | None) -> str:
    """``GPU 0``; a card whose number was not printed is ``GPU ?``."""
    return f"GPU {'?' if card is None else card}"


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
        cards = known[0].label if len(known) == 1 else f"All {len(known):,} cards"
        return Statement(f"{cards} stayed idle for {over}")
    if max(usage.idle for usage in used) >= NOTABLE:
        statement = _compared(used, "idle", lambda usage: usage.idle, over)
    else:
        who = used[0].label if len(used) == 1 else f"{len(used):,} cards"
        means = _range([usage.mean_pct / 100 for usage in used])
        statement = Statement(f"{who} worked at {means} on average over {over}")
    unused = [usage.label for usage in known if not usage.was_used]
    if not unused:
        return statement
    who = f"{unused[0]} was" if len(unused) == 1 else f"{len(unused):,} cards were"
    return statement._replace(text=f"{statement.text}; {who} not used")


def busyness(tracks: Tracks, found: Sequence[Usage]) -> Statement:
    """Which card was busy and for how much of the time."""
    over = length(tracks)
    known = [usage for usage in found if usage.known]
    if not known:
        return _unknown(found, over)
    if any(usage.busy for usage in known):
        return _compared(known, "busy", lambda usage: usage.busy, over)
    who = f"{known[0].label} was never" if len(known) == 1 else f"None of {len(known):,} cards was ever"
    return Statement(f"{who} busy in {over}")


def describe(tracks: Tracks, *, most: int) -> str:
    """What was recorded, for the line below a title.

    Args:
        tracks: What is drawn.
        most: So many cards are drawn at most.
    """
    parts = [style.kinds(tracks.names, most=most), counted(tracks.prints, "sample")]
    if tracks.hosts > 1:
        parts.append(f"first of {tracks.hosts:,} hosts")
    if tracks.untimed:
        parts.append(f"{counted(tracks.untimed, 'sample')} without a time left out")
    return "; ".join(parts)


def _unknown(found: Sequence[Usage], over: str) -> Statement:
    """What can be said without any utilization."""
    if not found:
        return Statement("No card was read")
    held = [usage for usage in found if usage.peak_mib >= 0]
    if not held:
        return Statement(f"Utilization of {counted(len(found), 'card')} is not known over {over}")
    lead = max(held, key=lambda usage: usage.peak_mib)
    return Statement(f"{lead.label} held up to {whole(lead.peak_mib)} MiB over {over}; utilization is not known")


def _compared(found: Sequence[Usage], state: str, of: Callable[[Usage], float], over: str) -> Statement:
    """How much of the time the cards were in a state; the one that is farthest from the others is named."""
    every = [of(usage) for usage in found]
    middle = statistics.median(every)
    lead = max(found, key=lambda usage: (round(abs(of(usage) - middle), 6), of(usage)))
    others = [usage for usage in found if usage is not lead]
    if others and max(every) - min(every) < NOTABLE:
        return Statement(f"{len(found):,} cards were {state} {_range(every)} of {over}")
    how = f"{state} {_range([of(lead)])} of" if of(lead) else f"never {state} in"
    text = f"{lead.label} was {how} {over}"
    if not others:
        return Statement(text, lead.card)
    rest = [of(usage) for usage in others]
    who = others[0].label if len(others) == 1 else f"the {len(others):,} others"
    return Statement(f"{text}, {who} {_range(rest) if any(rest) else 'never'}", lead.card)


def _range(shares: Sequence[float]) -> str:
    """The range of shares in percent, such as ``3 to 52 %``, or the percentage that all have."""
    low, high = share(min(shares), 1), share(max(shares), 1)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


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
