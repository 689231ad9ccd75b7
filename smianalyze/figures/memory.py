"""Who holds the memory of each card: one bar a snapshot, one piece a process."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.primary_card import Primary
from smianalyze.cards import Card, cards, more_than_peers
from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.pieces import Bar, bars
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.masking import Masker
from smianalyze.quantities import counted, share, span, whole

BAR_IN = 0.2
STEP_IN = 0.25
"""From one bar to the next; a letter of 8 points is 0.11 inches high."""
GAP_IN = 0.14
NOTE_IN = 0.22
"""Room under the card that stands out, for the words about it."""
LEFT_IN = 1.2
AXIS_IN = 0.5
END_IN = 1.4
"""Room right of a bar for ``143,771 MiB (100 %)``."""
CAPACITY_IN_SIGHT = 2.5
"""Capacity is drawn up to this multiple of the largest use; beyond, it would flatten the bars."""


@speaking_as_drawn()
def memory(frames: Frames, comparison: Comparison | None = None, *, masker: Masker) -> Figure:
    """Memory of each card by process, before and after where there are two snapshots.

    Args:
        frames: Of a capture; without a comparison its last snapshot is drawn.
        comparison: Before and after.
        masker: Names the processes.
    """
    found = cards(frames, comparison)
    shown = found[: style.MOST_CARDS]
    primary = comparison.primary if comparison else None
    rows = [bars(card, primary, masker=masker) for card in shown]
    noted = [primary is not None and card.gpu_index == primary.gpu_index for card in shown]
    heights = [len(row) * STEP_IN + GAP_IN + NOTE_IN * note for row, note in zip(rows, noted, strict=True)]
    height = sum(heights) or STEP_IN
    top = style.TITLE_IN + style.SUBTITLE_IN
    with style.plain_style():
        figure = style.sheet(_title(found, primary), _subtitle(found), height_in=top + height + AXIS_IN)
        width = style.WIDTH_IN - LEFT_IN - style.MARGIN_IN
        axes = style.panel(figure, left=LEFT_IN, top=top, width=width, height=height)
        in_sight = _scale(axes, shown, rows)
        y = GAP_IN / 2
        for card, row, note, taken in zip(shown, rows, noted, heights, strict=True):
            _draw_card(axes, card, row, y=y, in_sight=in_sight)
            if note and primary is not None:
                _annotate(axes, row[-1], _surplus(primary), y=y + len(row) * STEP_IN)
            y += taken
    return figure


def _scale(axes: Axes, shown: Sequence[Card], rows: Sequence[Sequence[Bar]]) -> bool:
    """Set the x axis; whether the capacity of the cards is in sight."""
    longest = max((bar.end_mib for row in rows for bar in row), default=0)
    installed = [card.memory_total_mib for card in shown if card.memory_total_mib]
    capacity = max(installed, default=0)
    in_sight = 0 < capacity <= CAPACITY_IN_SIGHT * longest
    unit = say("memory used, MiB")
    if installed:
        unit = say("memory used, MiB (capacity {capacity} MiB)", capacity=span(installed))
    end = max(longest, capacity) if in_sight else longest
    style.scale(axes, 0, end or capacity or 1, right_in=END_IN, unit=unit)
    return in_sight


def _draw_card(axes: Axes, card: Card, row: Sequence[Bar], *, y: float, in_sight: bool) -> None:
    middle = y + len(row) * STEP_IN / 2
    style.card_name(axes, card.label, y=middle, left_in=LEFT_IN)
    for number, bar in enumerate(row):
        at = y + (number + 0.5) * STEP_IN
        style.beside(axes, bar.name and say(bar.name), y=at, inches=0.08).set_color(style.QUIET)
        _draw_bar(axes, bar, y=at)
        end = bar.end_mib
        if in_sight and card.memory_total_mib and bar.used_mib is not None:
            end = max(end, card.memory_total_mib)
            axes.plot([card.memory_total_mib] * 2, [at - BAR_IN / 2, at + BAR_IN / 2], color=style.QUIET, lw=0.8)
        words = style.after(axes, _end_text(card, bar), x=end, y=at)
        words.set_color(style.QUIET if bar.used_mib is None else style.INK)


def _draw_bar(axes: Axes, bar: Bar, *, y: float) -> None:
    start: float = 0
    for piece in bar.pieces:
        axes.barh(y, piece.mib, BAR_IN, left=start, color=piece.colour, edgecolor="white", linewidth=0.6)
        text = style.first_that_fits(axes, piece.texts, span=piece.mib)
        axes.text(
            start + piece.mib / 2,
            y,
            text,
            ha="center",
            va="center_baseline",
            color=style.ink_on(piece.colour),
        )
        start += piece.mib


def _end_text(card: Card, bar: Bar) -> str:
    if bar.used_mib is not None:
        return f"{whole(bar.used_mib)} MiB ({share(bar.used_mib, card.memory_total_mib)})"
    if (bar.name, card.state) in {("before", "appeared"), ("after", "vanished")}:
        return say("card not in this print")
    return say("unknown")


def _annotate(axes: Axes, bar: Bar, words: str, *, y: float) -> None:
    """Say in words what the red piece of the bar is, with a line to it."""
    start: float = 0
    for piece in bar.pieces:
        if piece.colour == style.SURPLUS:
            axes.annotate(
                words,
                xy=(start + piece.mib / 2, y - (STEP_IN - BAR_IN) / 2),
                xytext=(start + piece.mib, y + NOTE_IN / 2),
                ha="right" if start > axes.get_xlim()[1] / 2 else "left",
                va="center",
                color=style.SURPLUS,
                arrowprops={
                    "arrowstyle": "-",
                    "color": style.SURPLUS,
                    "linewidth": 0.8,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
            )
        start += piece.mib


def _surplus(primary: Primary) -> str:
    """What the red piece is, such as ``context of PID 813: 612 MiB``."""
    contexts = primary.extra_contexts
    if not contexts:
        return more_than_peers(primary)
    size = whole(sum(context.used_gpu_memory_mib for context in contexts))
    if len(contexts) == 1:
        return say("a context of PID {pid}: {size} MiB", pid=contexts[0].pid, size=size)
    return say("contexts of {count} processes of other cards: {size} MiB", count=len(contexts), size=size)


def _title(found: Sequence[Card], primary: Primary | None) -> str:
    if primary and primary.extra_contexts:
        return say("GPU {gpu} also holds {surplus}", gpu=primary.gpu_index, surplus=_surplus(primary))
    if primary:
        return _more_of_the_job(primary)
    known = [card for card in found if card.memory.after is not None]
    if not known:
        return say("Memory in use is not known")
    fullest = max(known, key=lambda card: card.memory.after or 0)
    if fullest.memory.after == 0:
        return say("No memory is in use on {cards}", cards=counted(len(known), "card"))
    said = say(
        "{gpu} holds {size} MiB" if len(found) == 1 else "{gpu} holds most memory: {size} MiB",
        gpu=fullest.label,
        size=whole(fullest.memory.after),
    )
    if fullest.memory.before is None:
        return said
    return say("{said}, {size} MiB before", said=said, size=whole(fullest.memory.before))


def _more_of_the_job(primary: Primary) -> str:
    gpu, size = primary.gpu_index, whole(primary.overhead_mib)
    if len(primary.peers) == 1:
        peer = primary.peers[0]
        return say("GPU {gpu} holds {size} MiB more of the job than GPU {peer}", gpu=gpu, size=size, peer=peer)
    return say("GPU {gpu} holds {size} MiB more of the job than its peers", gpu=gpu, size=size)


def _subtitle(found: Sequence[Card]) -> str:
    kinds = style.kinds(card.name for card in found)
    if all(card.state == "present" for card in found):
        return say("{kinds}; a piece is a process, the palest is held by none that is listed", kinds=kinds)
    return say("{kinds}; grey was there before, colour is new or has changed", kinds=kinds)
