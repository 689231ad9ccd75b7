"""What an analysis says: one sentence with its number, the evidence, and one next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from smianalyze import safe
from smianalyze.markup import prose
from smianalyze.masking import Masker
from smianalyze.rendered import Shown

Severity = Literal["info", "low", "medium", "high"]
Confidence = Literal["low", "medium", "high"]
SEVERITIES: tuple[Severity, ...] = ("info", "low", "medium", "high")
MOST_PLACES = 8
"""Places named for one finding; the sentence has to stay readable."""


class Evidence(NamedTuple):
    """A place in an input: its name and the 1-based line."""

    source: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Shown):
    """One verdict.

    The texts are ours: they may hold numbers, PIDs and column names, never a string copied from an input
    (process names, paths and messages stand in tables, where they are escaped and masked).

    Attributes:
        id: Stable, kebab-case, one of the documented finding ids.
        severity: How much it costs: info, low, medium, high.
        title: One sentence that holds the number.
        why: The mechanism, in one or two sentences.
        next_step: The one thing to do.
        gpus: Physical GPU indexes concerned, sorted.
        evidence: Where it stands in the inputs.
        confidence: How sure: low, medium, high.
    """

    id: str
    severity: Severity
    title: str
    why: str
    next_step: str
    gpus: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = "high"

    def _repr_markdown_(self) -> str:
        return paragraph(self, masker=Masker())


class Findings(list[Finding], Shown):
    """Some findings, the most severe first."""

    def _repr_markdown_(self) -> str:
        masker = Masker()
        return "\n\n".join(paragraph(finding, masker=masker) for finding in self) or "Nothing stands out."


def paragraph(finding: Finding, *, masker: Masker) -> str:
    """A finding as a paragraph of Markdown: the verdict, why, what to do, and where it stands."""
    said = [f"{prose(finding.why)} {prose(finding.next_step)}"]
    if finding.evidence:
        places = [safe.code(place(evidence, masker)) for evidence in finding.evidence]
        left = len(places) - MOST_PLACES
        more = f" and {left:,} more" if left > 0 else ""
        said.append(f"Evidence: {', '.join(places[:MOST_PLACES])}{more}.")
    said.append(f"Confidence: {finding.confidence}. More: {safe.code(explained(finding))}.")
    return f"**{prose(finding.title)}**\n{' '.join(said)}"


def place(evidence: Evidence, masker: Masker) -> str:
    """A place in an input, such as ``after.txt:25``, not yet escaped."""
    return f"{masker.source(evidence.source)}:{evidence.line}"


def explained(finding: Finding) -> str:
    """The command that says what a finding means and how it is decided."""
    return f"smianalyze explain {finding.id}"


def reaches(finding: Finding, limit: str) -> bool:
    """Whether a finding is of this severity or above, or has this id."""
    if limit in SEVERITIES:
        return SEVERITIES.index(finding.severity) >= SEVERITIES.index(limit)
    return finding.id == limit
