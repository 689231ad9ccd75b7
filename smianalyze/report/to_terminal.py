"""The findings alone, as a table for a terminal of 80 columns; the report has the rest."""

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
HEADER = ("severity", "GPU", "finding")
GPU_COLUMNS = 7
"""Width of the column of cards; a longer list is counted."""
INDENT = " " * (len(HEADER[0]) + GPU_COLUMNS + 4)
STEP = "\N{RIGHTWARDS ARROW} "
"""Stands before what to do."""
MOST_PLACES = 2
"""Places shown for one finding; the report has more."""
LETTERS = 1000
"""A sentence of ours is shorter; a longer text is cut."""
NO_BREAK = "\N{NO-BREAK SPACE}"

_UNIT = re.compile(r"(?<=[0-9]) (?=%|[A-Za-z°]{1,3}\b)")  # a number and its unit stay on one line


def terminal_text(findings: Sequence[Finding], frames: Frames, *, masker: Masker) -> str:
    """One row a finding, wrapped and without colour, or the line that nothing stands out.

    Args:
        findings: In the order in which they are printed.
        frames: What was read.
        masker: Names the inputs.
    """
    blocks = [_finding(finding, masker) for finding in findings]
    if blocks:
        blocks[0] = f"{_row(*HEADER)}\n{blocks[0]}"
    if all(finding.severity == "info" for finding in findings):
        blocks.insert(0, _wrapped(nothing_stands_out(frames, cards(frames, None)), hanging=2))
    return "\n\n".join(blocks) + "\n"


def _finding(finding: Finding, masker: Masker) -> str:
    """Its severity, its cards, and what was found; below that what to do, where it stands and its id."""
    title = _wrapped(finding.title, indent=INDENT).removeprefix(INDENT)
    left = len(finding.evidence) - MOST_PLACES
    lines = [
        _row(finding.severity, _gpus(finding.gpus), title),
        _wrapped(STEP + finding.next_step, indent=INDENT, hanging=len(STEP)),
        *(_cut(place(evidence, masker)) for evidence in finding.evidence[:MOST_PLACES]),
        *([f"{INDENT}and {counted(left, 'more place')}"] if left > 0 else []),
        f"{INDENT}{explained(finding)}",
    ]
    return "\n".join(lines)


def _row(severity: str, gpus: str, text: str) -> str:
    return f"{severity:{len(HEADER[0])}}  {gpus:{GPU_COLUMNS}}  {text}"


def _gpus(numbers: Sequence[int]) -> str:
    """The cards, such as ``0, 2-7``; how many where that is too long."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return text if len(text) <= GPU_COLUMNS else counted(len(numbers), "GPU")


def _wrapped(text: str, *, indent: str = "", hanging: int = 0) -> str:
    """Our own words in lines of at most 80 columns; they hold no wide characters.

    Args:
        text: One paragraph.
        indent: Before each line.
        hanging: Further blanks before each line but the first.
    """
    lines = textwrap.wrap(
        _UNIT.sub(NO_BREAK, safe.line(text, LETTERS)),
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + " " * hanging,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(NO_BREAK, " ")


def _cut(text: str) -> str:
    """The end of a place, where the line number is, in 80 columns; Chinese letters take two each."""
    text, room = safe.line(text, LETTERS), COLUMNS - len(INDENT)
    if _width(text) <= room:
        return INDENT + text
    while _width(text) > room - 1:
        text = text[1:]
    return f"{INDENT}…{text}"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
