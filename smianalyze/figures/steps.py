"""What a training log says about its steps: loss, time of a step and the part that waits for data, throughput."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from smianalyze import safe
from smianalyze.analyses.data_time import data_time
from smianalyze.figures import clock, style
from smianalyze.figures.bins import band
from smianalyze.figures.ends import NAME_IN, End, name_ends
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.records import (
    DATA_TIME,
    LEARNING_RATE,
    LOSS,
    MEMORY,
    STEP_TIME,
    THROUGHPUT,
    Line,
    Records,
    records_of,
)
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import counted, span

PANELS = (LOSS, LEARNING_RATE, STEP_TIME, DATA_TIME, THROUGHPUT, MEMORY)
LEFT_IN, RIGHT_IN = 0.68, 1.3
"""Room for the numbers of the axes, and for the names at the ends of the lines."""
HEADER_IN, PANEL_IN, AXIS_IN = 0.25, 1.15, 0.5
MOST_LINES = 8
"""Ranks drawn; ranks of one job print nearly the same."""
FEW_RECORDS = 20
"""So few records of a rank are marked one by one."""
WHOLE_FROM, WHOLE_TO = 1e3, 1e9
"""Values that are written without decimals, so that MiB stay readable."""
MARGIN = 0.06
"""Share of an axis left free below and above what it shows."""


@speaking_as_drawn()
def steps(frames: Frames, *, masker: Masker) -> Figure:
    """Each metric that is known over time, or over steps where the log has no times: mean and range.

    Args:
        frames: Of a capture.
        masker: Names the logs.
    """
    records = records_of(frames.steps)
    known = [(metric, *found) for metric in PANELS if (found := records.column(metric))]
    top = style.TITLE_IN + style.SUBTITLE_IN
    height = top + len(known) * (HEADER_IN + PANEL_IN) + AXIS_IN
    with style.plain_style():
        figure = style.sheet(_title(records), _subtitle(records), height_in=height)
        for metric, column, unit in known:
            top += HEADER_IN
            width = style.WIDTH_IN - LEFT_IN - RIGHT_IN
            axes = style.panel(figure, left=LEFT_IN, top=top, width=width, height=PANEL_IN)
            lines = _some_of_each_log(records.lines(column))
            _scale(axes, lines, from_zero=metric is not LOSS)
            clock.draw_axis(axes, records, unit=records.unit, with_labels=metric is known[-1][0])
            axes.text(0, 1 + 0.06 / PANEL_IN, metric.header(unit), transform=axes.transAxes, color=style.QUIET)
            names = (_name(line, lines, masker) for line in lines)
            ends = [
                _draw(axes, line, name, style.card_colour(number))
                for number, (line, name) in enumerate(zip(lines, names, strict=True))
            ]
            name_ends(axes, ends, height=PANEL_IN)
            top += PANEL_IN
    return figure


def _some_of_each_log(lines: Sequence[Line]) -> list[Line]:
    """The lines that are drawn: where they are too many, the first ranks of each log."""
    sources = [line.source for line in lines]
    of_its_log = [sources[:place].count(source) for place, source in enumerate(sources)]
    first = sorted(range(len(lines)), key=lambda place: of_its_log[place])[:MOST_LINES]
    return [lines[place] for place in sorted(first)]


def _scale(axes: Axes, lines: Sequence[Line], *, from_zero: bool) -> None:
    values = np.concatenate([line.track.values[np.isfinite(line.track.values)] for line in lines] or [np.empty(0)])
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    low = min(low, 0.0) if from_zero else low
    room = (high - low or abs(high) or 1) * MARGIN
    axes.set_ylim(low - room, high + room)
    ticks = MaxNLocator(nbins=4, steps=(1, 2, 2.5, 5, 10)).tick_values(low, high)
    places = [float(tick) for tick in ticks if low - room <= tick <= high + room]
    axes.set_yticks(places, [f"{place:,.6g}" for place in places])
    axes.tick_params(axis="y", colors=style.QUIET, length=0)
    axes.grid(visible=False, axis="x")
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)


def _draw(axes: Axes, line: Line, name: str, colour: str) -> End:
    one = band(line.track)
    axes.fill_between(one.at, one.low, one.high, color=colour, alpha=0.25, linewidth=0)
    marker = "o" if line.track.at.size <= FEW_RECORDS else ""
    axes.plot(one.at, one.mean, color=colour, linewidth=1.2, marker=marker, markersize=2.5)
    known = one.mean[np.isfinite(one.mean)]
    return End(float(known[-1]) if known.size else 0.0, name, colour, "-")


def _name(line: Line, beside: Sequence[Line], masker: Masker) -> str:
    """What tells the line from the others; of one line its last value does."""
    several = len({other.source for other in beside}) > 1
    log = [safe.label(masker.source(line.source))] if several else []
    ranks = {other.rank for other in beside if other.source == line.source}
    rank = [f"rank {line.rank}"] if line.rank is not None and len(ranks) > 1 else []
    name = " ".join([*log, *rank]) or _last_value(line)
    return style.fitted(name, RIGHT_IN - NAME_IN, weight="bold")


def _last_value(line: Line) -> str:
    last = line.track.values[-1]
    return f"{last:,.0f}" if WHOLE_FROM <= abs(last) < WHOLE_TO else f"{last:,.4g}"


def _title(records: Records) -> str:
    if records.steps.empty:
        return say("No record of a training log was read")
    logs = [data_time(steps) for _, steps in records.steps.groupby("source", sort=False)]
    waits = [round(100 * log.share) for log in logs if log]
    if waits:
        one = text("{share} % of the time of a step waits for data")
        several = text("{share} % of the time of a step waits for data in {logs} logs")
        return say(several if len(waits) > 1 else one, share=span(waits), logs=len(waits))
    lines = records.lines(LOSS.columns[0][0])
    if len(lines) == 1 and lines[0].track.values.size > 1:
        first, last = lines[0].track.values[[0, -1]]
        return say("Loss was {first:,.4g} at first and {last:,.4g} at last", first=first, last=last)
    return say("{records} of training", records=counted(len(records.steps), "record"))


def _subtitle(records: Records) -> str:
    logs = counted(records.steps["source"].nunique(), "log")
    ranks = records.steps[["source", "rank"]].drop_duplicates()
    parts = [logs, counted(len(records.steps), "record")]
    if len(ranks) > MOST_LINES:
        parts.append(say("{shown} of {ranks} ranks shown", shown=MOST_LINES, ranks=len(ranks)))
    return say(", ").join(parts)
