"""How the utilization of each card was distributed over its samples: idle, low, high, busy."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.tracks import Tracks, tracks_of
from smianalyze.figures.usage import Usage, busyness, class_names, describe, usages
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.quantities import share, whole

MOST_CARDS = 128
MANY_CARDS = 24
"""From here on rows are as low as their letters allow."""
ROW_IN, LOW_ROW_IN = 0.28, 0.15
BAR = 0.72
"""Share of a row that its bar takes."""
LEFT_IN = 0.75
RIGHT_IN = 0.9
"""Room for ``mean 100 %``."""
KEY_IN = 0.34
BLOCK_IN = (0.3, 0.13)
BETWEEN_IN = 0.3
AXIS_IN = 0.5
FULL = 100

SHADES = (0.82, 0.55, 0.28, 0.0)
"""Share of white in the colour of a card, for each of the classes."""


@speaking_as_drawn()
def distribution(frames: Frames, *, tracks: Tracks | None = None) -> Figure:
    """Share of the samples of each card in each class of utilization, and its mean.

    Args:
        frames: Of a capture; of several hosts the first one is drawn.
        tracks: Of these frames, where they are at hand.
    """
    tracks = tracks or tracks_of(frames)
    found = usages(tracks)
    title = busyness(tracks, found)
    shown = found[:MOST_CARDS]
    row = ROW_IN if len(shown) < MANY_CARDS else LOW_ROW_IN
    height = max(len(shown), 1) * row
    top = style.TITLE_IN + style.SUBTITLE_IN
    with style.plain_style():
        subtitle = describe(tracks, most=MOST_CARDS)
        figure = style.sheet(title.text, subtitle, height_in=top + KEY_IN + height + AXIS_IN)
        _draw_key(figure, shown, top=top)
        width = style.WIDTH_IN - LEFT_IN - RIGHT_IN
        axes = style.panel(figure, left=LEFT_IN, top=top + KEY_IN, width=width, height=height)
        axes.set_xlim(0, FULL)
        axes.set_xlabel(say("share of samples, %"), loc="left")
        for number, usage in enumerate(shown):
            y = (number + 0.5) * row
            style.card_name(axes, usage.label, y=y, left_in=LEFT_IN)
            told = len(found) <= style.MOST_COLOURED or usage.card == title.card
            colour = style.card_colour(usage.card) if told else style.QUIET
            _draw(axes, usage, colour, y=y, height_in=row * BAR)
    return figure


def _draw(axes: Axes, usage: Usage, colour: str, *, y: float, height_in: float) -> None:
    if not usage.known:
        style.after(axes, say("unknown"), x=0, y=y).set_color(style.QUIET)
        return
    samples, start = usage.known + usage.unknown, 0.0
    for count, white in zip(usage.counts, SHADES, strict=True):
        shade = style.paler(colour, by=white)
        width = FULL * count / samples
        axes.barh(y, width, height_in, left=start, color=shade, edgecolor="white", linewidth=0.5)
        if height_in > style.SMALL_PT / style.POINTS_PER_IN:
            text = style.first_that_fits(axes, [share(count, samples)], span=width)
            axes.text(start + width / 2, y, text, ha="center", va="center_baseline", color=style.ink_on(shade))
        start += width
    if usage.unknown:
        style.make_unknown(axes.barh(y, FULL - start, height_in, left=start)[0])
    style.after(axes, say("mean {pct} %", pct=whole(usage.mean_pct)), x=FULL, y=y)


def _draw_key(figure: Figure, found: Sequence[Usage], *, top: float) -> None:
    """The shades and the class that each stands for, in grey as each card has a colour of its own."""
    axes = style.panel(figure, left=LEFT_IN, top=top, width=style.WIDTH_IN - LEFT_IN, height=KEY_IN)
    axes.set_axis_off()
    axes.set_xlim(0, style.WIDTH_IN - LEFT_IN)
    names = (*class_names(), *([say("unknown")] if any(usage.unknown for usage in found) else []))
    x, y = 0.0, KEY_IN / 2
    for number, name in enumerate(names):
        patch = axes.barh(y, BLOCK_IN[0], BLOCK_IN[1], left=x)[0]
        if number < len(SHADES):
            patch.set_color(style.paler(style.QUIET, by=SHADES[number]))
        else:
            style.make_unknown(patch)
        style.after(axes, name, x=x + BLOCK_IN[0], y=y).set_color(style.QUIET)
        x += BLOCK_IN[0] + style.width_in(name) + BETWEEN_IN
