"""Names at the right end of lines, moved apart where lines end close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from smianalyze.analyses.ticks import Floats
from smianalyze.figures import style

LETTERS_IN = 0.125
"""From one name to the next; a letter of 8 points is 0.11 inches high."""
KEY_IN = (0.06, 0.22)
"""Right of the axes, where a piece of the line is drawn again: a name far from its line needs it."""
NAME_IN = 0.27


Dashes = str | tuple[int, tuple[float, ...]]


class End(NamedTuple):
    """The last known value of a line, what to call it, and how it looks."""

    value: float
    text: str
    colour: str
    dashes: Dashes


def name_ends(axes: Axes, ends: Sequence[End], *, height: float) -> None:
    """Write the names right of axes of a height in inches, each as near to its value as the others allow."""
    low, high = axes.get_ylim()
    width = axes.get_position().width * style.WIDTH_IN
    upwards = sorted(range(len(ends)), key=lambda number: (ends[number].value, -number))
    ends = [ends[number] for number in upwards]  # of equal ones the first is highest
    wanted = np.array([(end.value - low) / (high - low) * height for end in ends])
    for end, place in zip(ends, spread(wanted, least=LETTERS_IN, room=height), strict=True):
        axes.plot(
            [1 + KEY_IN[0] / width, 1 + KEY_IN[1] / width],
            [place / height] * 2,
            color=end.colour,
            linewidth=1.6,
            linestyle=end.dashes,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.annotate(
            end.text,
            (1, place / height),
            (NAME_IN * style.POINTS_PER_IN, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center_baseline",
            fontweight="bold",
            annotation_clip=False,
        )


def spread(wanted: Floats, *, least: float, room: float) -> Floats:
    """Places in ascending order that are near to the wanted ones and at least so far from each other.

    Args:
        wanted: In ascending order.
        least: Smallest distance of two places.
        room: Places lie between 0 and this where it is enough for all; where it is not, they start at 0.
    """
    steps = least * np.arange(wanted.size)
    upwards = np.maximum.accumulate(wanted - steps) + steps
    downwards = np.minimum.accumulate((wanted - steps)[::-1])[::-1] + steps
    middle = (upwards + downwards) / 2
    within: Floats = np.minimum(middle, room - steps[::-1])
    places: Floats = np.maximum(within, steps)
    return places
