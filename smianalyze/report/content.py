"""What a report is written from, the same for every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.analyses.comparison import Comparison
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import Language, spoken, text
from smianalyze.masking import Masker

NO_FONT = text("No font here has the letters of this language, so the charts are in English.")
"""Stands below charts in another language than that of the text."""


class Chart(NamedTuple):
    """A picture beside the report: the name of its file, the statement that it shows, and the file itself."""

    file_name: str
    title: str
    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContent:
    """Everything that a report says.

    Attributes:
        frames: What was read.
        comparison: Before and after, where there are two snapshots.
        findings: In the order in which they are printed.
        masker: Hides who and where in every text that came from an input.
        command: The line that makes this report again.
        charts: In the order in which they are shown.
        drawn_in: Language of the charts.
        language: Of all other texts.
        host: Its host, where that is known from elsewhere than its content.
    """

    frames: Frames
    comparison: Comparison | None
    findings: Sequence[Finding]
    masker: Masker
    command: str
    charts: Sequence[Chart] = ()
    drawn_in: Language = "en"
    language: Language = field(default_factory=spoken)
    host: str | None = None

    @property
    def pictures(self) -> dict[str, bytes]:
        """The charts by the name of their file."""
        return {chart.file_name: chart.png for chart in self.charts}
