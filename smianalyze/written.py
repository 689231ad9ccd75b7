"""A report that was written, as a notebook shows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from smianalyze.findings import Finding
from smianalyze.quantities import counted
from smianalyze.rendered import Shown, fragment
from smianalyze.report import ReportContent
from smianalyze.report.to_markdown import markdown


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report(Shown):
    """A report that was written; a notebook shows it with its pictures.

    Attributes:
        path: Its folder.
        findings: What it states.
        content: What it was written from.
    """

    path: Path
    findings: tuple[Finding, ...]
    content: ReportContent

    def _repr_markdown_(self) -> str:
        return markdown(self.content)

    def _repr_html_(self) -> str:
        return fragment(markdown(self.content), self.content.pictures)

    def __repr__(self) -> str:
        """One line: where it is, and how much it says."""
        return f"<Report: {self.path}, {counted(len(self.findings), 'finding')}>"
