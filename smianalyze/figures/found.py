"""When each finding holds: from the first to the last of its evidence, on the time axis of the cards."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from smianalyze.analyses.wording import named
from smianalyze.figures import style
from smianalyze.figures.bars_in_time import Bar
from smianalyze.figures.tracks import Tracks
from smianalyze.findings import LEVELS, Finding, Severity
from smianalyze.frames import Frames
from smianalyze.language import say

MOST_FINDINGS = 6
"""The first ones are the most severe; more would push the cards off the page."""

COLOURS: dict[Severity, str] = {"high": style.SURPLUS, "medium": style.SURPLUS, "low": style.HATCH}
"""Without one (info) a finding is about the recording, not about the run."""

TIMED = ("gpus", "steps", "events")
"""Frames whose rows have a time."""


def found_bars(findings: Sequence[Finding], frames: Frames, tracks: Tracks) -> list[Bar]:
    """A bar for each finding above ``info`` whose evidence was printed in the time that is drawn.

    Args:
        findings: In the order of the report.
        frames: Of the capture that they are about.
        tracks: What is drawn.
    """
    if tracks.start is None:
        return []
    shown = [finding for finding in findings if finding.severity in COLOURS]
    seconds = _seconds(shown, frames, tracks.start)
    low, high = tracks.extent
    bars = []
    for finding in shown:
        places = [at for place in finding.evidence if low <= (at := seconds.get(place, low - 1)) <= high]
        if places:
            gpus = say(", {gpus}", gpus=named("GPU", finding.gpus)) if finding.gpus else ""
            words = say("{severity}: {id}", severity=say(LEVELS[finding.severity]), id=finding.id) + gpus
            bars.append(Bar(min(places), max(places), words, COLOURS[finding.severity]))
    return bars[:MOST_FINDINGS]


def _seconds(findings: Sequence[Finding], frames: Frames, start: pd.Timestamp) -> dict[tuple[str, int], float]:
    """For each place of evidence with a time its seconds on the axis."""
    wanted = {place for finding in findings for place in finding.evidence}
    lines, sources = {line for _, line in wanted}, {source for source, _ in wanted}
    seconds: dict[tuple[str, int], float] = {}
    for name in TIMED:
        rows: pd.DataFrame = getattr(frames, name)[["source", "line", "time"]].dropna()
        rows = rows[rows["line"].isin(lines) & rows["source"].isin(sources)]
        at = (rows["time"].dt.tz_localize(None) - start).dt.total_seconds()
        seconds |= dict(zip(zip(rows["source"], rows["line"].astype(int), strict=True), at, strict=True))
    return seconds
