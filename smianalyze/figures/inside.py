"""The same answers inside axes that the user made: plain lines and bars in the user's own style.

Their words are English, as the fonts are the user's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from smianalyze.cards import Card
from smianalyze.figures import clock, style
from smianalyze.figures.bins import Band, band
from smianalyze.figures.load import Quantity
from smianalyze.figures.records import LOSS, Metric, Records
from smianalyze.figures.timeline import Trace
from smianalyze.figures.tracks import Tracks
from smianalyze.figures.usage import card_label
from smianalyze.language import speaking

BAND_ALPHA = 0.2
PANEL = 0.72
"""Height of a panel, of the step from one to the next; its name stands above it."""
BAR = 0.38
"""Height of a bar, of the step from one card to the next; two stand together."""
BEFORE = 0.6
"""Share of white in the colour of the bar before."""
MOST_LINES = 8
"""More lines could not be told apart."""
ROOM = 1.15
"""The axis ends so much beyond the longest bar, for its number."""


@speaking("en")
def trace_inside(axes: Axes, tracks: Tracks, trace: Trace) -> None:
    """Mean and range of each card over time.

    Args:
        axes: Drawn into.
        tracks: Of a capture.
        trace: What is drawn.
    """
    for card, track in list(zip(tracks.cards, tracks.of(trace.column), strict=True))[:MOST_LINES]:
        _line(axes, band(track), card_label(card), style.card_colour(card))
    if trace.shows:
        axes.set_ylim(bottom=min(trace.shows))
    axes.set_ylabel(f"{trace.name}, {trace.unit}")
    clock.draw_axis(axes, tracks)
    _legend(axes)


@speaking("en")
def panels_inside(axes: Axes, tracks: Tracks, traces: Sequence[Trace]) -> None:
    """One panel for each trace that is known, one below the other, in the place of the axes."""
    axes.set_axis_off()
    known = [trace for trace in traces if tracks.knows(trace.column)]
    height = 1 / max(len(known), 1)
    for number, trace in enumerate(known, start=1):
        panel = axes.inset_axes((0, 1 - number * height, 1, height * PANEL))
        trace_inside(panel, tracks, trace)
        panel.set_title(panel.get_ylabel(), loc="left", fontsize="small")
        panel.set_ylabel("")
        if number > 1 and (legend := panel.get_legend()):
            legend.remove()
        if number < len(known):
            panel.set_xticklabels([])
            panel.set_xlabel("")


@speaking("en")
def bars_inside(axes: Axes, found: Sequence[Card], quantity: Quantity) -> None:
    """A bar for each card, and a pale one above it for the value before where there is one."""
    for row, card in enumerate(found):
        reading, colour = quantity.of(card), style.card_colour(card.gpu_index)
        two = card.state != "present"
        if two and reading.before is not None:
            bar = axes.barh(row - BAR / 2, reading.before, BAR, color=style.paler(colour, by=BEFORE))
            axes.bar_label(bar, fmt="{:,.0f}", padding=2)
        if reading.after is not None:
            bar = axes.barh(row + BAR / 2 * two, reading.after, BAR * (2 - two), color=colour)
            axes.bar_label(bar, fmt="{:,.0f}", padding=2)
    axes.set_yticks(range(len(found)), [card.label for card in found])
    axes.invert_yaxis()
    axes.set_xlim(0, (axes.get_xlim()[1] or 1) * ROOM)
    axes.set_xlabel(f"{quantity.name.lower()}, {quantity.unit}")


@speaking("en")
def records_inside(axes: Axes, records: Records, metrics: Sequence[Metric]) -> None:
    """Metrics over time or over steps, a line for each rank of each log; the axis is named after the first."""
    for metric in metrics:
        column, unit = records.column(metric) or (None, "")
        for line in records.lines(column)[:MOST_LINES] if column else []:
            rank = "" if line.rank is None else f", rank {line.rank}"
            axes.plot(line.track.at, line.track.values, label=f"{metric.name}{rank}")
        if metric is metrics[0]:
            axes.set_ylabel(f"{metric.name}, {unit}" if unit else metric.name)
    if metrics[0] is not LOSS:
        axes.set_ylim(bottom=0)
    clock.draw_axis(axes, records, unit=records.unit)
    _legend(axes)


def _line(axes: Axes, one: Band, name: str, colour: str) -> None:
    if np.isnan(one.mean).all():
        return
    axes.fill_between(one.at, one.low, one.high, color=colour, alpha=BAND_ALPHA, linewidth=0)
    axes.plot(one.at, one.mean, color=colour, label=name)


def _legend(axes: Axes) -> None:
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend()
