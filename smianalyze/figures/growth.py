"""How much each card's memory grew, and which card grew by more than its peers."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smianalyze.analyses.comparison import Comparison
from smianalyze.cards import Card, cards, more_than_peers
from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.quantities import Number, signed, signed_span

BAR_IN = 0.2
STEP_IN = 0.3
LEFT_IN = 0.75
AXIS_IN = 0.5
WORDS_IN = 1.0
"""Right of the longest bar, for ``+143,771 MiB``."""
SURPLUS_WORDS_IN = 1.7
"""More room where a card stands out, for ``, 1,088 MiB more than its peers``."""


@speaking_as_drawn()
def growth(frames: Frames, comparison: Comparison) -> Figure:
    """Change of the memory of each card, with what the primary card has over its peers set apart.

    Args:
        frames: Of the capture.
        comparison: Before and after.
    """
    found = cards(frames, comparison)
    shown = found[: style.MOST_CARDS]
    primary = comparison.primary
    if primary is not None and primary.basis != "delta":
        primary = None  # it stands out by its processes, not by the growth drawn here
    more = more_than_peers(primary) if primary else ""
    top = style.TITLE_IN + style.SUBTITLE_IN
    height = max(len(shown), 1) * STEP_IN
    width = style.WIDTH_IN - LEFT_IN - style.MARGIN_IN
    with style.plain_style():
        title = say("GPU {gpu} grew by {more}", gpu=primary.gpu_index, more=more) if primary else _title(found)
        figure = style.sheet(title, _subtitle(found), height_in=top + height + AXIS_IN)
        axes = style.panel(figure, left=LEFT_IN, top=top, width=width, height=height)
        _scale(axes, shown, right_in=WORDS_IN + (SURPLUS_WORDS_IN if primary else 0))
        for row, card in enumerate(shown):
            y = (row + 0.5) * STEP_IN
            style.card_name(axes, card.label, y=y, left_in=LEFT_IN)
            if primary and primary.gpu_index == card.gpu_index:
                _draw(axes, card, y=y, surplus_mib=primary.overhead_mib, more=more)
            else:
                _draw(axes, card, y=y)
    return figure


def _scale(axes: Axes, shown: Sequence[Card], *, right_in: float) -> None:
    deltas = [card.memory.delta for card in shown if card.memory.delta is not None]
    low, high = min([0, *deltas]), max([0, *deltas])
    style.scale(axes, low, high if high > low else 1, right_in=right_in, unit=say("growth of memory used, MiB"))
    axes.axvline(0, color=style.QUIET, linewidth=0.6)


def _draw(axes: Axes, card: Card, *, y: float, surplus_mib: Number = 0, more: str = "") -> None:
    delta = card.memory.delta
    if delta is None:
        style.after(axes, say("unknown"), x=0, y=y).set_color(style.QUIET)
        return
    colour = style.OTHERS if card.used_by_job is False else style.card_colour(card.gpu_index)
    axes.barh(y, delta, BAR_IN, color=colour)
    surplus = max(min(surplus_mib, delta), 0)
    axes.barh(y, surplus, BAR_IN, left=delta - surplus, color=style.SURPLUS)
    by = f"{signed(delta)} MiB"
    words = style.after(axes, say("{by}, {more}", by=by, more=more) if more else by, x=max(delta, 0), y=y)
    words.set_color(style.SURPLUS if more else style.INK)


def _title(found: Sequence[Card]) -> str:
    moved = [card for card in found if card.memory.delta]
    if not moved:
        return say("Memory did not change")
    by = signed_span([card.memory.delta for card in moved if card.memory.delta is not None])
    if len(moved) == 1:
        return say("Memory changed by {by} MiB on {gpu}", by=by, gpu=moved[0].label)
    return say("Memory changed by {by} MiB on {moved} of {cards} cards", by=by, moved=len(moved), cards=len(found))


def _subtitle(found: Sequence[Card]) -> str:
    kinds = style.kinds(card.name for card in found)
    not_ours = any(card.used_by_job is False for card in found)
    return say("{kinds}; grey cards do not belong to the job", kinds=kinds) if not_ours else kinds
