"""Frames to pictures: each function answers one question with one figure, its title says the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from smianalyze.analyses.comparison import SERIES_PRINTS, Comparison
from smianalyze.analyses.over_time import OverTime
from smianalyze.cards import cards
from smianalyze.figures import style
from smianalyze.figures.distribution import distribution
from smianalyze.figures.fonts import drawn_language, speaking_as_drawn
from smianalyze.figures.growth import growth
from smianalyze.figures.heatmap import heatmap
from smianalyze.figures.load import QUANTITIES, is_known, load
from smianalyze.figures.memory import memory
from smianalyze.figures.records import records_of
from smianalyze.figures.steps import PANELS, steps
from smianalyze.figures.style import png
from smianalyze.figures.timeline import TRACES, timeline
from smianalyze.figures.tracks import tracks_of
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.masking import Masker

__all__ = [
    "Picture",
    "distribution",
    "drawn_language",
    "growth",
    "heatmap",
    "load",
    "memory",
    "pictures",
    "png",
    "steps",
    "timeline",
]


class Picture(NamedTuple):
    """A figure with the name of its file."""

    file_name: str
    figure: Figure

    @property
    def title(self) -> str:
        """The statement above the figure, also its text for readers who cannot see it."""
        return self.figure.get_suptitle()


@speaking_as_drawn()
def pictures(
    frames: Frames, comparison: Comparison | None, *, masker: Masker, findings: Sequence[Finding] = ()
) -> tuple[Picture, ...]:
    """The pictures of a report; one for which no value is known is left out.

    Args:
        frames: Of a capture.
        comparison: Before and after, where there are two snapshots.
        masker: Names the processes.
        findings: Are marked on the timeline.
    """
    shown = cards(frames, comparison)
    found = []
    if any(value is not None for card in shown for value in card.memory):
        found.append(Picture("memory.png", memory(frames, comparison, masker=masker)))
    if comparison is not None and any(card.memory.delta is not None for card in shown):
        found.append(Picture("growth.png", growth(frames, comparison)))
    if any(is_known(shown, quantity) for quantity in QUANTITIES):
        found.append(Picture("load.png", load(frames, comparison)))
    found += _of_series(frames, masker, findings)
    if any(records_of(frames.steps).column(metric) for metric in PANELS):
        found.append(Picture("steps.png", steps(frames, masker=masker)))
    return tuple(found)


def _of_series(frames: Frames, masker: Masker, findings: Sequence[Finding]) -> list[Picture]:
    """The pictures over time; none of a few prints that were taken by hand."""
    if not frames.once(OverTime).is_series:
        return []
    tracks, found = tracks_of(frames), []
    if tracks.prints < SERIES_PRINTS:  # of one card: many prints may each show another one
        return []
    if any(tracks.knows(trace.column) for trace in TRACES):
        page = timeline(frames, masker=masker, tracks=tracks, findings=findings)
        found.append(Picture("timeline.png", page))
    if tracks.knows("utilization_gpu_pct"):
        if len(tracks.cards) > style.MOST_COLOURED:
            found.append(Picture("heatmap.png", heatmap(frames, tracks=tracks)))
        found.append(Picture("distribution.png", distribution(frames, tracks=tracks)))
    return found
