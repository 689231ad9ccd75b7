"""Utilization of hosts over hours as a picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from smianalyze import safe
from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.heatmap import AXIS_IN, KEY_IN, NAME_IN, ROW_IN, ROWS_IN, draw_key, paint
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import counted

LEFT_IN = 1.5
RIGHT_IN = 0.35
UNNAMED = text("host not named")
MOST_TICKS = 6
MOST_CELLS = 500
"""In a row; of more hours several share a cell."""
IDLE_PCT = 50
"""A host below it, on average, is counted in the title."""


@speaking_as_drawn()
def hours_heatmap(hours: pd.DataFrame, *, masker: Masker) -> Figure:
    """Mean utilization of each host in each hour; what is not known is grey and hatched.

    Args:
        hours: See :attr:`smianalyze.fleet.summary.Summary.hours`; one row or more.
        masker: Names the hosts.
    """
    values = _fewer(hours).to_numpy(dtype=float)
    row = min(ROW_IN, ROWS_IN / len(hours))
    height, top = row * len(hours), style.TITLE_IN + style.SUBTITLE_IN
    low = int((hours.mean(axis=1) < IDLE_PCT).sum())
    hosts, shown = counted(len(hours), "host"), counted(hours.shape[1], "hour")
    title = say("{low:,} of {hosts} below {pct} % utilization on average", low=low, hosts=hosts, pct=IDLE_PCT)
    subtitle = say("mean utilization of all cards of a host; {hours}", hours=shown)
    with style.plain_style():
        figure = style.sheet(title, subtitle, height_in=top + KEY_IN + height + AXIS_IN)
        draw_key(figure, top=top)
        width = style.WIDTH_IN - LEFT_IN - RIGHT_IN
        axes = style.panel(figure, left=LEFT_IN, top=top + KEY_IN, width=width, height=height)
        axes.grid(visible=False)
        style.make_unknown(axes.patch)
        axes.set_xlim(0, hours.shape[1])
        paint(axes, values, (0, hours.shape[1], height, 0))
        every = int(np.ceil(hours.shape[1] / MOST_TICKS))
        places = range(0, hours.shape[1], every)
        axes.set_xticks([*places], [f"{hours.columns[place]:%m-%d %H:%M}" for place in places])
        names = [say(UNNAMED) if pd.isna(host) else safe.label(masker.host(str(host))) for host in hours.index]
        for number in range(0, len(hours), int(np.ceil(NAME_IN / row))):
            name = style.fitted(names[number], LEFT_IN - 2 * style.MARGIN_IN, weight="bold")
            style.card_name(axes, name, y=(number + 0.5) * row, left_in=LEFT_IN)
    return figure


def _fewer(hours: pd.DataFrame) -> pd.DataFrame:
    """At most so many columns as can be seen, each the mean of its hours."""
    every = int(np.ceil(hours.shape[1] / MOST_CELLS))
    return hours if every == 1 else hours.T.groupby(np.arange(hours.shape[1]) // every).mean().T
