"""When each process held memory of a card: a bar for each, on the time axis of the cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from smianalyze import safe
from smianalyze.analyses.over_time import OverTime
from smianalyze.figures import style
from smianalyze.figures.bars_in_time import ROW_IN, Bar, draw_bars
from smianalyze.figures.tracks import Tracks, of_host
from smianalyze.figures.usage import card_label
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.masking import Masker
from smianalyze.quantities import whole

MOST_PROCESSES = 8
"""Those that held most; more would push the cards off the page."""


class Lifetime(NamedTuple):
    """One process on one card: places on the axis where it was first and last listed, and what it held at most."""

    card: int | None
    first: float
    last: float
    pid: int
    name: str
    peak_mib: int | None

    @property
    def label(self) -> str:
        """Such as ``PID 813 python, 15,836 MiB``."""
        held = "" if self.peak_mib is None else f", {whole(self.peak_mib)} MiB"
        return f"PID {self.pid} {self.name}{held}"


def lifetimes(frames: Frames, tracks: Tracks, *, masker: Masker) -> list[Lifetime]:
    """The processes of the cards that are drawn, by card and start.

    None where the prints have no time, and none of so many cards that their colours do not tell them apart.
    """
    if tracks.start is None or len(tracks.cards) > style.MOST_COLOURED:
        return []
    seen = frames.once(OverTime).processes.dropna(subset=["gpu_index", "first_seen"])
    if tracks.hosts > 1:
        seen = seen[of_host(seen["host"], tracks.host)]
    first, last = (
        (seen[column].dt.tz_localize(None) - tracks.start).dt.total_seconds()
        for column in ("first_seen", "last_seen")
    )
    rows = zip(seen["gpu_index"], first, last, seen["pid"], seen["process_name"], seen["peak_mib"], strict=True)
    return [
        Lifetime(int(card), begin, end, int(pid), _name(name, masker), None if pd.isna(mib) else int(mib))
        for card, begin, end, pid, name, mib in rows
    ]


def drawn(found: Sequence[Lifetime]) -> list[Lifetime]:
    """Those that held most, by card and start."""
    most = sorted(found, key=lambda one: one.peak_mib or 0, reverse=True)[:MOST_PROCESSES]
    return sorted(most, key=lambda one: (one.card or 0, one.first, one.pid))


def heading(found: Sequence[Lifetime]) -> str:
    """What the panel shows, and how many processes it leaves out."""
    left = len(found) - MOST_PROCESSES
    if left <= 0:
        return say("processes and the most memory each held")
    return say("processes and the most memory each held ({left:,} smaller ones left out)", left=left)


def draw_lifetimes(axes: Axes, found: Sequence[Lifetime]) -> None:
    """A bar in the colour of its card for each process; the cards are named beside theirs."""
    draw_bars(axes, [Bar(one.first, one.last, one.label, style.card_colour(one.card)) for one in found])
    high = axes.get_xlim()[1]
    for card in dict.fromkeys(one.card for one in found):
        rows = [row for row, one in enumerate(found) if one.card == card]
        name = style.after(axes, card_label(card), x=high, y=(rows[0] + rows[-1] + 1) / 2 * ROW_IN)
        name.set(color=style.INK, fontweight="bold")


def _name(name: object, masker: Masker) -> str:
    return safe.label(masker.process_name(name)) if isinstance(name, str) else ""
