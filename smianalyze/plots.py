"""The pictures of a capture, one call each: ``capture.plot.timeline()``."""

from __future__ import annotations

from functools import cached_property

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smianalyze.analyses.comparison import SERIES_PRINTS, Comparison
from smianalyze.analyses.over_time import OverTime
from smianalyze.cards import cards
from smianalyze.figures import load, memory, timeline
from smianalyze.figures.inside import bars_inside, panels_inside, records_inside, trace_inside
from smianalyze.figures.load import POWER, UTILIZATION, Quantity
from smianalyze.figures.records import DATA_TIME, LOSS, STEP_TIME, records_of
from smianalyze.figures.steps import steps
from smianalyze.figures.timeline import MEMORY as MEMORY_TRACE
from smianalyze.figures.timeline import POWER as POWER_TRACE
from smianalyze.figures.timeline import TRACES, Trace
from smianalyze.figures.timeline import UTILIZATION as UTILIZATION_TRACE
from smianalyze.figures.tracks import Tracks, tracks_of
from smianalyze.frames import Frames
from smianalyze.language import text
from smianalyze.masking import Masker

MEMORY = Quantity(text("Memory used"), "MiB", lambda card: card.memory, lambda card: card.memory_total_mib)


class Plots:
    """Pictures of what was read, in the language that is spoken: English outside of ``language.speaking``.

    Each call returns a ``matplotlib.figure.Figure``. Without ``ax`` it is a page of its own with the answer in
    its title; with ``ax`` the same numbers are drawn into those axes, and their figure is returned. A series of
    prints is drawn over time, a few prints as bars. Words inside ``ax`` are English, as its fonts are the user's.
    """

    def __init__(self, frames: Frames, comparison: Comparison | None) -> None:
        self._frames = frames
        self._comparison = comparison

    def timeline(self, *, ax: Axes | None = None) -> Figure:
        """Utilization, memory, power and temperature of each card over time, on one axis of time.

        Args:
            ax: Its place is taken by one panel for each quantity.
        """
        tracks = tracks_of(self._frames)
        if ax is None:
            return timeline(self._frames, masker=Masker(), tracks=tracks)
        panels_inside(ax, tracks, TRACES)
        return _figure_of(ax)

    def memory(self, *, ax: Axes | None = None) -> Figure:
        """Memory in use of each card: over time, or by process where there are few prints."""
        if ax is None and self._tracks is None:
            return memory(self._frames, self._comparison, masker=Masker())
        return self._draw(MEMORY_TRACE, MEMORY, ax)

    def utilization(self, *, ax: Axes | None = None) -> Figure:
        """Utilization of each card: over time, or in the last print and the one before."""
        return self._draw(UTILIZATION_TRACE, UTILIZATION, ax)

    def power(self, *, ax: Axes | None = None) -> Figure:
        """Power draw of each card: over time, or in the last print and the one before."""
        return self._draw(POWER_TRACE, POWER, ax)

    def steps(self, *, ax: Axes | None = None) -> Figure:
        """What the training log says of its steps: loss, time and wait for data, throughput, memory.

        Args:
            ax: Takes the time of a step and what of it waits for data; the loss where the log tells no times.
        """
        if ax is None:
            return steps(self._frames, masker=Masker())
        records = records_of(self._frames.steps)
        records_inside(ax, records, (STEP_TIME, DATA_TIME) if records.column(STEP_TIME) else (LOSS,))
        return _figure_of(ax)

    def comparison(self, *, ax: Axes | None = None) -> Figure:
        """Memory of each card before and after, by process; of one print alone that print."""
        if ax is None:
            return memory(self._frames, self._comparison, masker=Masker())
        bars_inside(ax, cards(self._frames, self._comparison), MEMORY)
        return _figure_of(ax)

    @cached_property
    def _tracks(self) -> Tracks | None:
        """The cards over time; None where a few prints were taken by hand."""
        if not self._frames.once(OverTime).is_series:
            return None
        tracks = tracks_of(self._frames)
        return tracks if tracks.prints >= SERIES_PRINTS else None

    def _draw(self, trace: Trace, quantity: Quantity, ax: Axes | None) -> Figure:
        if self._tracks is None:
            if ax is None:
                return load(self._frames, self._comparison, quantities=(quantity,))
            bars_inside(ax, cards(self._frames, self._comparison), quantity)
        elif ax is None:
            return timeline(self._frames, masker=Masker(), tracks=self._tracks, traces=(trace,))
        else:
            trace_inside(ax, self._tracks, trace)
        return _figure_of(ax)


def _figure_of(ax: Axes) -> Figure:
    """The figure that the axes are in, also where they are in a part of it."""
    return ax.figure.canvas.figure
