"""The findings alone, for a terminal of 80 columns; the report has the rest."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from smianalyze import safe
from smianalyze.cards import cards
from smianalyze.findings import Finding, explained, place
from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.quantities import counted
from smianalyze.report.verdicts import nothing_stands_out

COLUMNS = 80
INDENT = "  "
MOST_PLACES = 3
"""Places shown for one finding; the report has more."""
LETTERS = 1000
"""A sentence of ours is shorter; a longer text is cut."""
NO_BREAK = "\N{NO-BREAK SPACE}"

_UNIT = re.compile(r"(?<=[0-9]) (?=%|[A-Za-z°]{1,3}\b)")  # a number and its unit stay on one line


def terminal_text(findings: Sequence[Finding], frames: Frames, *, masker: Masker) -> str:
    """One paragraph a finding, wrapped and without colour, or the line that nothing stands out.

    Args:
        findings: In the order in which they are printed.
        frames: What was read.
        masker: Names the inputs.
    """
    paragraphs = [_paragraph(finding, masker) for finding in findings]
    if all(finding.severity == "info" for finding in findings):
        paragraphs.insert(0, _wrapped(nothing_stands_out(cards(frames, None))))
    return "\n\n".join(paragraphs) + "\n"


def _paragraph(finding: Finding, masker: Masker) -> str:
    left = len(finding.evidence) - MOST_PLACES
    lines = [
        _wrapped(f"{finding.severity}: {finding.title}"),
        _wrapped(finding.why, indent=INDENT),
        _wrapped(finding.next_step, indent=INDENT),
        *(_cut(f"{INDENT}{place(evidence, masker)}") for evidence in finding.evidence[:MOST_PLACES]),
        *([f"{INDENT}and {counted(left, 'more place')}"] if left > 0 else []),
        f"{INDENT}more: {explained(finding)}",
    ]
    return "\n".join(lines)


def _wrapped(text: str, *, indent: str = "") -> str:
    """Our own words in lines of at most 80 columns; they hold no wide characters."""
    lines = textwrap.wrap(
        _UNIT.sub(NO_BREAK, safe.line(text, LETTERS)),
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=INDENT,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(NO_BREAK, " ")


def _cut(text: str) -> str:
    """The end of a place, where the line number is, in 80 columns; Chinese letters take two each."""
    text = safe.line(text, LETTERS)
    if _width(text) <= COLUMNS:
        return text
    while _width(text) > COLUMNS - len(INDENT) - 1:
        text = text[1:]
    return f"{INDENT}…{text}"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
