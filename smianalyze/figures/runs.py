"""Two whole runs side by side: for each quantity two bars, each pair on a scale of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes

from smianalyze.analyses.run_comparison import Change, pace
from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.language import say, text

BAR_IN = 0.15
PAIR_IN = 0.46
LEFT_IN = 1.75
WORDS_IN = 1.6
"""Right of a bar of full length, for its value."""
COLOURS = (style.OTHERS, style.card_colour(0))
SIDES = (text("before"), text("after"))


@speaking_as_drawn()
def runs(found: Sequence[Change], written: Callable[[Change, float | None], str]) -> style.Sheet:
    """What changed from one run to another, with the pace as title.

    Args:
        found: The quantities; one that a run does not tell has a word in place of its bar.
        written: Writes a value of a quantity.
    """
    top = style.TITLE_IN + style.SUBTITLE_IN
    height = max(len(found), 1) * PAIR_IN
    width = style.WIDTH_IN - LEFT_IN - style.MARGIN_IN
    with style.plain_style():
        subtitle = say(
            "grey: before, blue: after; each quantity has a scale of its own, from 0 to the larger of the two"
        )
        figure = style.sheet(pace(found), subtitle, height_in=top + height + style.MARGIN_IN)
        axes = style.panel(figure, left=LEFT_IN, top=top, width=width, height=height)
        axes.set_xlim(0, width / (width - WORDS_IN))
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        for row, change in enumerate(found):
            _pair(axes, change, y=(row + 0.5) * PAIR_IN, written=written)
    return figure


def _pair(axes: Axes, change: Change, *, y: float, written: Callable[[Change, float | None], str]) -> None:
    style.card_name(axes, change.label, y=y, left_in=LEFT_IN)
    values = (change.before, change.after)
    largest = max([value for value in values if value is not None], default=0) or 1
    for side, value, colour, place in zip(SIDES, values, COLOURS, (y - BAR_IN / 2, y + BAR_IN / 2), strict=True):
        length = max(value or 0, 0) / largest
        axes.barh(place, length, BAR_IN * 0.9, color=colour)
        known = say("unknown") if value is None else written(change, value)
        style.after(axes, say("{side}: {value}", side=say(side), value=known), x=length, y=place).set_color(
            style.QUIET if value is None else style.INK
        )
