"""Utilization of many cards over time: one row a card, one cell a stretch of time."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from smianalyze.analyses.ticks import Floats
from smianalyze.figures import clock, style
from smianalyze.figures.bins import cells
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.tracks import Tracks, tracks_of
from smianalyze.figures.usage import Usage, card_label, describe, usages
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.quantities import counted

MOST_CELLS = 500
"""In a row; two dots of the picture each."""
MOST_ROWS = 512
LEFT_IN = 0.68
RIGHT_IN = 0.35
"""Half of a time of day may stand under the end of the axis."""
AXIS_IN = 0.5
KEY_IN = 0.34
"""Height kept for the scale of colours and its words."""
SCALE_IN, UNKNOWN_AT_IN, SWATCH_IN, BLOCK_IN = 1.6, 4.2, 0.3, 0.13
"""In it the end of the scale, the begin and the width of the block for the unknown, the height of both."""
ROW_IN = 0.2
"""Height of a row, where all together are not higher than the next."""
ROWS_IN = 8.0
NAME_IN = 0.14
"""From one name of a card to the next at least."""
FULL = 100

COLOURS = LinearSegmentedColormap.from_list("utilization", ("#f3f7fb", "#a6c9e2", "#3584bb", "#08306b"))
"""From pale to dark, so that it reads for colour-blind readers and in grey print."""
MOST_NAMED = 4
"""Idle cards named in the title; the rows show more."""
MOST = 0.5
"""A card that was idle for a larger share of its samples was idle most of the time."""


@speaking_as_drawn()
def heatmap(frames: Frames, *, tracks: Tracks | None = None) -> Figure:
    """Mean utilization of each card in each stretch of time; what is not known is grey and hatched.

    Args:
        frames: Of a capture; of several hosts the first one is drawn.
        tracks: Of these frames, where they are at hand.
    """
    tracks = tracks or tracks_of(frames)
    shown = tracks.cards[:MOST_ROWS]
    row = min(ROW_IN, ROWS_IN / max(len(shown), 1))
    height = row * max(len(shown), 1)
    top = style.TITLE_IN + style.SUBTITLE_IN
    with style.plain_style():
        subtitle = describe(tracks, most=MOST_ROWS)
        figure = style.sheet(_title(tracks, usages(tracks)), subtitle, height_in=top + KEY_IN + height + AXIS_IN)
        draw_key(figure, top=top)
        width = style.WIDTH_IN - LEFT_IN - RIGHT_IN
        axes = style.panel(figure, left=LEFT_IN, top=top + KEY_IN, width=width, height=height)
        _draw_rows(axes, tracks, len(shown), height_in=height)
        every = int(np.ceil(NAME_IN / row))
        for number in range(0, len(shown), every):
            style.card_name(axes, card_label(shown[number]), y=(number + 0.5) * row, left_in=LEFT_IN)
    return figure


def _draw_rows(axes: Axes, tracks: Tracks, rows: int, *, height_in: float) -> None:
    axes.grid(visible=False)
    style.make_unknown(axes.patch)
    clock.draw_axis(axes, tracks)
    if not rows:
        return
    found = tracks.of("utilization_gpu_pct")[:rows]
    (low, high), step = tracks.extent, statistics.median(track.step for track in found)
    count = min(round((high - low) / step) + 1, MOST_CELLS)
    edges = np.linspace(low - step / 2, high + step / 2, count + 1)
    values = np.array([cells(track, edges) for track in found])
    axes.set_xlim(edges[0], edges[-1])
    paint(axes, values, (edges[0], edges[-1], height_in, 0))


def paint(axes: Axes, values: Floats, extent: tuple[float, float, float, float]) -> None:
    """Cells between left, right, bottom and top, with what is NaN left open."""
    axes.imshow(
        values, cmap=COLOURS, vmin=0, vmax=FULL, extent=extent, aspect="auto", interpolation="nearest", zorder=1
    )


def draw_key(figure: Figure, *, top: float) -> None:
    """The scale of colours, and how the unknown looks."""
    axes = style.panel(figure, left=LEFT_IN, top=top, width=style.WIDTH_IN - LEFT_IN, height=KEY_IN)
    axes.set_axis_off()
    axes.set_xlim(0, style.WIDTH_IN - LEFT_IN)
    end, middle, half = SCALE_IN, KEY_IN / 2, BLOCK_IN / 2
    paint(axes, np.linspace(0, FULL, 256)[np.newaxis], (0, end, middle + half, middle - half))
    style.after(axes, say("0 to 100 % utilization, pale to dark"), x=end, y=middle).set_color(style.QUIET)
    style.make_unknown(axes.add_patch(Rectangle((UNKNOWN_AT_IN, middle - half), SWATCH_IN, BLOCK_IN)))
    unknown = style.after(axes, say("unknown, or no sample"), x=UNKNOWN_AT_IN + SWATCH_IN, y=middle)
    unknown.set_color(style.QUIET)


def _title(tracks: Tracks, found: Sequence[Usage]) -> str:
    idle = [usage.label for usage in found if usage.idle > MOST]
    over, cards = clock.length(tracks), counted(len(found), "card")
    if not any(usage.known for usage in found):
        return say("{cards} over {over}, utilization is not known", cards=cards, over=over)
    if not idle:
        return say("None of {cards} was idle most of {over}", cards=cards, over=over)
    if len(idle) == len(found):
        return say("All {cards} were idle most of {over}", cards=cards, over=over)
    said = say(
        "{idle:,} of {cards} was idle most of {over}"
        if len(idle) == 1
        else "{idle:,} of {cards} were idle most of {over}",
        idle=len(idle),
        cards=cards,
        over=over,
    )
    return say("{said}: {cards}", said=said, cards=say(", ").join(idle)) if len(idle) <= MOST_NAMED else said
