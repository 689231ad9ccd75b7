"""Events on a time axis: a thin line each, with its kind where there is room for the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from smianalyze import safe
from smianalyze.figures import style
from smianalyze.figures.tracks import Tracks
from smianalyze.frames import Frames

FACTS = frozenset(("device_map", "rank", "rank_memory", "rank_pid", "runtime_versions", "train_summary"))
"""Kinds of messages that say how things are; nothing happened at their time."""
MOST_LINES = 200
"""Lines across the page: more would hide what is behind them."""
WORDS_IN = 1.4
"""Room for the kinds of the events that follow; a longer list is cut."""
BETWEEN_IN = 0.12
ABOVE_IN = 0.26
"""Where the words stand above the axes, over the name of the quantity."""


class Mark(NamedTuple):
    """Where something happened on the axis, and its kind in words."""

    at: float
    kind: str


def marks(frames: Frames, tracks: Tracks) -> list[Mark]:
    """What happened while the prints were made, in order of time; nothing where they have no time.

    Of several hosts only events are taken that stand in an input of the host that is drawn.
    """
    events = frames.events[~frames.events["kind"].isin(FACTS)].dropna(subset=["time", "kind"])
    if tracks.start is None or events.empty:
        return []
    if tracks.hosts > 1:
        events = events[events["source"].isin(tracks.sources)]
    places = (events["time"].dt.tz_localize(None) - tracks.start).dt.total_seconds()
    low, high = tracks.extent
    inside = places.between(low, high)
    kinds = events["kind"][inside].str.replace("_", " ")
    return sorted(map(Mark, places[inside], kinds))


def draw_marks(page: Sequence[Axes], found: Sequence[Mark]) -> None:
    """A line for each mark through all axes of a page, which share one x axis, and words above the first."""
    if not found:
        return
    low, high = page[0].get_xlim()
    box = page[0].get_position()
    width, left = box.width * style.WIDTH_IN, box.x0 * style.WIDTH_IN
    placed = [((mark.at - low) / (high - low) * width, mark) for mark in found]
    lines = {int(inches / width * MOST_LINES): mark.at for inches, mark in placed}
    for axes in page:
        for at in lines.values():
            axes.axvline(at, color=style.SURPLUS, linewidth=0.8, linestyle=(0, (3, 2)))
    for inches, kinds in _groups(placed):
        page[0].annotate(
            style.fitted(_words(kinds), min(WORDS_IN, style.WIDTH_IN - style.MARGIN_IN - left - inches)),
            (inches / width, 1),
            (0, ABOVE_IN * style.POINTS_PER_IN),
            xycoords="axes fraction",
            textcoords="offset points",
            color=style.SURPLUS,
        )


def _groups(placed: Sequence[tuple[float, Mark]]) -> list[tuple[float, Counter[str]]]:
    """Marks that share their words, because those of each would touch: where the words begin, and the kinds."""
    groups: list[tuple[float, Counter[str]]] = []
    for inches, mark in placed:
        if not groups or inches > groups[-1][0] + WORDS_IN + BETWEEN_IN:
            groups.append((inches, Counter()))
        groups[-1][1][mark.kind] += 1
    return groups


def _words(kinds: Counter[str]) -> str:
    """The kinds, the most frequent first, each with its number if it is not alone."""
    shown = (safe.label(kind) + (f" ({number:,})" if number > 1 else "") for kind, number in kinds.most_common())
    return ", ".join(shown)
