"""The first page of a report: what was found, or that nothing stands out."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.cards import Card, Reading
from smianalyze.findings import Finding, paragraph
from smianalyze.markup import prose
from smianalyze.masking import Masker
from smianalyze.quantities import counted, span


def verdicts(findings: Sequence[Finding], shown: Sequence[Card], *, masker: Masker) -> list[str]:
    """One paragraph a finding; where none is above ``info``, a line that nothing stands out comes first.

    Args:
        findings: In the order in which they are printed.
        shown: The cards, for the line that nothing stands out.
        masker: Names the inputs.
    """
    paragraphs = [paragraph(finding, masker=masker) for finding in findings]
    if any(finding.severity != "info" for finding in findings):
        return paragraphs
    return [prose(nothing_stands_out(shown)), *paragraphs]


def nothing_stands_out(shown: Sequence[Card]) -> str:
    """The line for a run without findings, with the few numbers that carry it."""
    if not shown:
        return "Nothing stands out: no card was read, and no message points to a fault."
    facts = [
        counted(len(shown), "card"),
        *_fact("memory in use", [card.memory for card in shown], "MiB"),
        *_fact("utilization", [card.utilization for card in shown], "%"),
        *_fact("temperature", [card.temperature for card in shown], "°C"),
    ]
    return f"Nothing stands out: {', '.join(facts)}."


def _fact(name: str, readings: Sequence[Reading], unit: str) -> list[str]:
    known = [reading.after for reading in readings if reading.after is not None]
    return [f"{name} {span(known)} {unit}"] if known else []
