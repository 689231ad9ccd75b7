"""What an analysis says: one sentence with its number, the evidence, and one next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["info", "low", "medium", "high"]
Confidence = Literal["low", "medium", "high"]
SEVERITIES: tuple[Severity, ...] = ("info", "low", "medium", "high")


class Evidence(NamedTuple):
    """A place in an input: its name and the 1-based line."""

    source: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
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


def ordered(findings: list[Finding]) -> list[Finding]:
    """Findings by severity (high first), then id, then GPUs; the order of a report."""
    return sorted(findings, key=lambda f: (-SEVERITIES.index(f.severity), f.id, f.gpus))
