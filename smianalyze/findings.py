"""What an analysis says: one sentence with its number, the evidence, and one next step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from smianalyze import safe
from smianalyze.language import Language, say, sentences, some, speaking, spoken, text
from smianalyze.markup import prose
from smianalyze.masking import Masker
from smianalyze.rendered import Shown

Severity = Literal["info", "low", "medium", "high"]
Confidence = Literal["low", "medium", "high"]
SEVERITIES: tuple[Severity, ...] = ("info", "low", "medium", "high")
LEVELS = {"info": text("info"), "low": text("low"), "medium": text("medium"), "high": text("high")}
"""Severity and confidence in words."""
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
        language: Of its texts.
    """

    id: str
    severity: Severity
    title: str
    why: str
    next_step: str
    gpus: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = "high"
    language: Language = field(default_factory=spoken)

    def _repr_markdown_(self) -> str:
        return paragraph(self, masker=Masker())


class Findings(list[Finding], Shown):
    """Some findings, the most severe first."""

    def _repr_markdown_(self) -> str:
        masker = Masker()
        return "\n\n".join(paragraph(finding, masker=masker) for finding in self) or say("Nothing stands out.")


def paragraph(finding: Finding, *, masker: Masker) -> str:
    """A finding as a paragraph of Markdown: the verdict, why, what to do, and where it stands."""
    with speaking(finding.language):
        said = [prose(finding.why), prose(finding.next_step)]
        if finding.evidence:
            places = some([safe.code(place(evidence, masker)) for evidence in finding.evidence], most=MOST_PLACES)
            said.append(say("Evidence: {places}.", places=places))
        said.append(
            say(
                "Confidence: {confidence}. More: {command}.",
                confidence=say(LEVELS[finding.confidence]),
                command=safe.code(explained(finding)),
            )
        )
        return f"**{prose(finding.title)}**\n{sentences(*said)}"


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
