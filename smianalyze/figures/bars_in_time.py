"""A bar for each thing that lasted, on an axis of time, with its words above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from smianalyze.figures import style

ROW_IN = 0.26
BAR_IN = 0.07
LEAST_SHARE = 0.004
"""Width of the axis that the bar of a moment gets, so that it can be seen."""


class Bar(NamedTuple):
    """Where something began and ended on the axis, its words, and its colour."""

    first: float
    last: float
    label: str
    colour: str


def draw_bars(axes: Axes, bars: Sequence[Bar]) -> None:
    """One row for each bar; y runs downwards in inches."""
    low, high = axes.get_xlim()
    width_in = axes.get_position().width * style.WIDTH_IN
    axes.grid(visible=False)
    for row, bar in enumerate(bars):
        length = max(bar.last - bar.first, LEAST_SHARE * (high - low))
        axes.barh((row + 1) * ROW_IN - BAR_IN / 2, length, BAR_IN, left=bar.first, color=bar.colour)
        begin = (bar.first - low) / (high - low) * width_in
        text = style.fitted(bar.label, width_in)
        room = width_in - style.width_in(text)
        axes.text(
            low + max(0.0, min(begin, room)) / width_in * (high - low),
            (row + 1) * ROW_IN - BAR_IN - 0.02,
            text,
            va="bottom",
            color=style.INK,
        )
