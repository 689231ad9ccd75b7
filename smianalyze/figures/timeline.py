"""Utilization, memory with its processes, power and temperature of each card over time, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from smianalyze.analyses.ticks import Floats
from smianalyze.figures import clock, style
from smianalyze.figures.bars_in_time import ROW_IN, Bar, draw_bars
from smianalyze.figures.bins import DRAWN_AS_IS, Band, band
from smianalyze.figures.ends import Dashes, End, name_ends
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.figures.found import COLOURS, found_bars
from smianalyze.figures.lifetimes import Lifetime, draw_lifetimes, drawn, heading, lifetimes
from smianalyze.figures.marks import draw_marks, marks
from smianalyze.figures.tracks import Tracks, tracks_of
from smianalyze.figures.usage import Statement, card_label, describe, idleness, usages
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import span, whole

LEFT_IN = 0.68
RIGHT_IN = 0.8
"""Room for the names of the cards at the ends of their lines."""
HEADER_IN = 0.25
EVENTS_IN = 0.16
AXIS_IN = 0.5
BELOW_ROWS_IN = 0.06
MOST_LINES = 64
"""More quiet lines would only cover each other."""
LIMIT_IN_SIGHT = 2.5
"""A limit is drawn up to this multiple of the largest value; beyond, it would flatten the lines."""
MOST_LIMITS = 4
FEW_SAMPLES = 20
"""So few samples of a card are marked one by one."""
WIDE, NARROW = 1.3, 0.9
"""Widths of a line in points: of up to four cards, and of more."""
BAND_ALPHA = 0.25
"""Opacity of one band, divided by the root of the number of cards: several lie over each other."""
QUIET_ALPHA = 1.6
"""Likewise of a quiet line."""
MARGIN = 0.04
"""Share of an axis left free below and above what it must show."""
MOST_SHADED = 0.95
"""A job that ran for more of the time needs no shade."""
DASHES: tuple[Dashes, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)))
"""Of cards that share a colour, as there are fewer colours than cards."""


class Trace(NamedTuple):
    """One panel: English name, unit and column, what the axis always shows, its height, and its limit if any."""

    name: str
    unit: str
    column: str
    shows: tuple[float, ...]
    height_in: float
    limit: str = ""
    limit_column: str = ""


UTILIZATION = Trace(text("utilization"), "%", "utilization_gpu_pct", (0, 100), 1.4)
MEMORY = Trace(text("memory used"), "MiB", "memory_used_mib", (0,), 1.15, text("capacity"), "memory_total_mib")
POWER = Trace(text("power"), "W", "power_draw_w", (0,), 1.15, text("limit"), "power_limit_w")
TRACES = (UTILIZATION, MEMORY, POWER, Trace(text("temperature"), "°C", "temperature_gpu_c", (), 1.05))
MOST_LEADS = 4
"""Of many cards so many at most are in colour."""
LEAST_RANGE = 10
"""Degrees on the axis of temperature at least, so that a flat line looks flat."""


class Panel(NamedTuple):
    """A trace with the band of each card, the range of its axis, and the limits drawn and printed."""

    trace: Trace
    bands: tuple[Band, ...]
    low: float
    high: float
    drawn_limits: Floats
    limits: Floats


@speaking_as_drawn()
def timeline(
    frames: Frames,
    *,
    masker: Masker,
    tracks: Tracks | None = None,
    traces: Sequence[Trace] = TRACES,
    findings: Sequence[Finding] = (),
) -> Figure:
    """Each trace that is known over time: mean and range of each card, its processes, and what happened.

    Args:
        frames: Of a capture; of several hosts the first one is drawn.
        masker: Names the processes.
        tracks: Of these frames, where they are at hand.
        traces: What is drawn.
        findings: Are marked for the time that they are read from, the first ones first.
    """
    tracks = tracks or tracks_of(frames)
    title = _title(tracks, traces)
    panels = [panel for panel in (_panel(tracks, trace) for trace in traces) if panel]
    happened, found = (marks(frames, tracks), found_bars(findings, frames, tracks)) if panels else ([], [])
    listed = lifetimes(frames, tracks, masker=masker)
    rows = _height_of_rows(len(drawn(listed))) if any(map(_is_memory, panels)) else 0
    top = style.TITLE_IN + style.SUBTITLE_IN + EVENTS_IN * bool(happened) + _height_of_rows(len(found))
    height_in = top + sum(HEADER_IN + panel.trace.height_in for panel in panels) + rows + AXIS_IN
    with style.plain_style():
        figure = style.sheet(title.text, _subtitle(tracks), height_in=height_in)
        _draw_found(figure, tracks, found, top=top - _height_of_rows(len(found)))
        for panel in panels:
            top += HEADER_IN
            axes = _axes(figure, panel, top=top)
            _draw_time(axes, tracks, with_labels=panel is panels[-1] and not (rows and _is_memory(panel)))
            _draw(axes, tracks, panel, leads=_leads(title.card, findings))
            top += panel.trace.height_in
            if rows and _is_memory(panel):
                _draw_processes(figure, tracks, listed, top=top, with_labels=panel is panels[-1])
                top += rows
        draw_marks(figure.axes, happened)
    return figure


def _draw_found(figure: Figure, tracks: Tracks, found: Sequence[Bar], *, top: float) -> None:
    """The findings, if there are any, from ``top`` on."""
    if found:
        axes = _axes_of_rows(figure, len(found), say("findings, from their first to their last evidence"), top=top)
        _draw_time(axes, tracks, with_labels=False)
        draw_bars(axes, found)


def _title(tracks: Tracks, traces: Sequence[Trace]) -> Statement:
    return idleness(tracks, usages(tracks)) if UTILIZATION in traces else _height(tracks, traces[0])


def _draw_processes(
    figure: Figure, tracks: Tracks, listed: Sequence[Lifetime], *, top: float, with_labels: bool
) -> None:
    """The processes that held most, from ``top`` on."""
    axes = _axes_of_rows(figure, len(drawn(listed)), heading(listed), top=top)
    _draw_time(axes, tracks, with_labels=with_labels)
    draw_lifetimes(axes, drawn(listed))


def _height(tracks: Tracks, trace: Trace) -> Statement:
    """How high the trace was, for a picture of it alone."""
    courses = [track.values[~np.isnan(track.values)] for track in tracks.of(trace.column)]
    courses = [values for values in courses if values.size]
    name = say(trace.name.capitalize())
    if not courses:
        return Statement(say("{name} is not known", name=name))
    means, peak = [float(values.mean()) for values in courses], max(float(values.max()) for values in courses)
    said = text("{name}: {means} {unit} on average, {peak} {unit} at most")
    return Statement(say(said, name=name, means=span(means), peak=whole(peak), unit=trace.unit))


def _panel(tracks: Tracks, trace: Trace) -> Panel | None:
    """The trace with its bands and scale; None where no value of it is known."""
    bands = tuple(band(track) for track in tracks.of(trace.column))
    values = np.concatenate([np.empty(0), *(one.low for one in bands), *(one.high for one in bands)])
    known = values[~np.isnan(values)]
    if not known.size:
        return None
    limits = tracks.distinct(trace.limit_column) if trace.limit_column else np.empty(0)
    limits = limits[limits > 0]
    near = limits[limits <= LIMIT_IN_SIGHT * known.max()]
    drawn = near if near.size <= MOST_LIMITS else near[:0]
    shown = np.concatenate([known, drawn, trace.shows])
    middle = (shown.min() + shown.max()) / 2
    half = max(np.ptp(shown), LEAST_RANGE) / 2
    low = min(trace.shows, default=middle - half)
    return Panel(trace, bands, low, middle + half, drawn, limits)


def _is_memory(panel: Panel) -> bool:
    return panel.trace.column == "memory_used_mib"


def _draw_time(axes: Axes, tracks: Tracks, *, with_labels: bool) -> None:
    """The time axis, and a shade where the job ran in a part of the time."""
    clock.draw_axis(axes, tracks, with_labels=with_labels)
    if tracks.active and _is_part(tracks):
        axes.axvspan(tracks.active.first, tracks.active.last, color=style.SHADE, linewidth=0, zorder=0)


def _height_of_rows(number: int) -> float:
    """The height of a panel of bars with its header."""
    return HEADER_IN + ROW_IN * number + BELOW_ROWS_IN if number else 0


def _axes_of_rows(figure: Figure, number: int, header: str, *, top: float) -> Axes:
    """Axes for so many bars, whose header begins at ``top``."""
    height, top = _height_of_rows(number) - HEADER_IN, top + HEADER_IN
    axes = style.panel(figure, left=LEFT_IN, top=top, width=style.WIDTH_IN - LEFT_IN - RIGHT_IN, height=height)
    axes.text(0, 1 + 0.06 / height, header, transform=axes.transAxes, color=style.QUIET)
    return axes


def _is_part(tracks: Tracks) -> bool:
    """Whether the job ran in a part of the time only, which is then shaded."""
    low, high = tracks.extent
    return tracks.active is not None and tracks.active.last - tracks.active.first < MOST_SHADED * (high - low)


def _axes(figure: Figure, panel: Panel, *, top: float) -> Axes:
    height = panel.trace.height_in
    axes = style.panel(figure, left=LEFT_IN, top=top, width=style.WIDTH_IN - LEFT_IN - RIGHT_IN, height=height)
    margin = (panel.high - panel.low) * MARGIN
    axes.set_ylim(panel.low - margin, panel.high + margin)
    ticks = MaxNLocator(nbins=4, integer=True, steps=(1, 2, 2.5, 5, 10)).tick_values(panel.low, panel.high)
    places = [float(tick) for tick in ticks if panel.low <= tick <= panel.high]
    axes.set_yticks(places, [whole(place) for place in places])
    axes.tick_params(axis="y", colors=style.QUIET, length=0)
    axes.grid(visible=False, axis="x")
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.text(0, 1 + 0.06 / height, _header(panel), transform=axes.transAxes, color=style.QUIET)
    for limit in panel.drawn_limits:
        axes.axhline(limit, color=style.QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
    return axes


def _header(panel: Panel) -> str:
    trace = panel.trace
    if not panel.limits.size:
        return say("{name}, {unit}", name=say(trace.name), unit=trace.unit)
    plain = text("{name}, {unit} ({limit} {value} {unit})")
    dashed = text("{name}, {unit} ({limit} {value} {unit}, dashed)")
    return say(
        dashed if panel.drawn_limits.size else plain,
        name=say(trace.name),
        unit=trace.unit,
        limit=say(trace.limit),
        value=span(panel.limits.tolist()),
    )


def _leads(of_title: int | None, findings: Sequence[Finding]) -> list[int]:
    """The cards that a picture of many is about: those that findings name, and that of its title."""
    named = [finding.gpus for finding in findings if finding.severity in COLOURS]
    few = [gpu for gpus in named if len(gpus) < MOST_LEADS for gpu in gpus]
    title = [] if of_title is None else [of_title]
    return [*dict.fromkeys([*few[: MOST_LEADS - 1], *title])]


def _draw(axes: Axes, tracks: Tracks, panel: Panel, *, leads: Sequence[int]) -> None:
    """The lines of all cards: of a few each in its colour, of many those that the picture is about."""
    lines = list(zip(tracks.cards, panel.bands, strict=True))
    told = lines
    if len(lines) > style.MOST_COLOURED:
        told = [(card, one) for card, one in lines if card in leads]
        quiet = lines[:MOST_LINES]
        for _, one in quiet:
            axes.plot(one.at, one.mean, color=style.QUIET, linewidth=0.5, alpha=QUIET_ALPHA / len(quiet) ** 0.5)
    ends: list[End] = []
    colours = [style.card_colour(card) for card, _ in told]
    for number, (card, one) in enumerate(told):
        known = one.mean[~np.isnan(one.mean)]
        if known.size:
            dashes = DASHES[colours[:number].count(colours[number]) % len(DASHES)]
            ends.append(End(float(known[-1]), card_label(card), colours[number], dashes))
            _draw_card(axes, one, ends[-1], of=len(told))
    name_ends(axes, ends, height=panel.trace.height_in)


def _draw_card(axes: Axes, one: Band, end: End, *, of: int) -> None:
    """The band and the line of one card of so many; a sample between two gaps is a dot."""
    width = WIDE if of <= 4 else NARROW
    known = ~np.isnan(one.mean)
    beside = np.pad(known, 1)
    alone = known & ~beside[:-2] & ~beside[2:]
    if (one.high > one.low).any():
        axes.fill_between(one.at, one.low, one.high, color=end.colour, alpha=BAND_ALPHA / of**0.5, linewidth=0)
        axes.vlines(one.at[alone], one.low[alone], one.high[alone], color=end.colour, linewidth=width / 2)
    axes.plot(one.at, one.mean, color=end.colour, linewidth=width, linestyle=end.dashes)
    dots = known if known.sum() <= FEW_SAMPLES else alone
    axes.plot(one.at[dots], one.mean[dots], color=end.colour, linestyle="none", marker="o", markersize=2.5)


def _subtitle(tracks: Tracks) -> str:
    parts = [describe(tracks, most=MOST_LINES)]
    if _is_part(tracks):
        parts.append(say("shaded: the job ran"))
    if tracks.prints > DRAWN_AS_IS:
        parts.append(say("line: mean, band: lowest to highest"))
    if len(tracks.cards) > style.MOST_COLOURED:
        parts.append(say("grey: the other cards"))
    return say("; ").join(parts)
