"""The findings alone, as a table for a terminal of 80 columns; the report has the rest."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze import safe
from smianalyze.cards import cards
from smianalyze.findings import LEVELS, Finding, explained, place
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import counted
from smianalyze.report.verdicts import nothing_stands_out
from smianalyze.wrapping import COLUMNS, left, width, with_whole_units, wrapped

HEADER = (text("severity"), "GPU", text("finding"))
LEVEL_COLUMNS = 8
GPU_COLUMNS = 7
"""Width of the column of cards; a longer list is counted."""
INDENT = " " * (LEVEL_COLUMNS + GPU_COLUMNS + 4)
STEP = "\N{RIGHTWARDS ARROW} "
"""Stands before what to do."""
MOST_PLACES = 2
"""Places shown for one finding; the report has more."""
LETTERS = 1000
"""A sentence of ours is shorter; a longer text is cut."""


def terminal_text(findings: Sequence[Finding], frames: Frames, *, masker: Masker) -> str:
    """One row a finding, wrapped and without colour, or the line that nothing stands out.

    Args:
        findings: In the order in which they are printed.
        frames: What was read.
        masker: Names the inputs.
    """
    blocks = [_finding(finding, masker) for finding in findings]
    if blocks:
        blocks[0] = f"{_row(say(HEADER[0]), HEADER[1], say(HEADER[2]))}\n{blocks[0]}"
    if all(finding.severity == "info" for finding in findings):
        blocks.insert(0, _lines(nothing_stands_out(frames, cards(frames, None)), hanging=2))
    return "\n\n".join(blocks) + "\n"


def _finding(finding: Finding, masker: Masker) -> str:
    """Its severity, its cards, and what was found; below that what to do, where it stands and its id."""
    title = _lines(finding.title, indent=INDENT).removeprefix(INDENT)
    more = len(finding.evidence) - MOST_PLACES
    lines = [
        _row(say(LEVELS[finding.severity]), _gpus(finding.gpus), title),
        _lines(STEP + finding.next_step, indent=INDENT, hanging=len(STEP)),
        *(_cut(place(evidence, masker)) for evidence in finding.evidence[:MOST_PLACES]),
        *([INDENT + say("and {places}", places=counted(more, "more place"))] if more > 0 else []),
        f"{INDENT}{explained(finding)}",
    ]
    return "\n".join(lines)


def _row(severity: str, gpus: str, title: str) -> str:
    return f"{left(severity, LEVEL_COLUMNS)}  {left(gpus, GPU_COLUMNS)}  {title}"


def _gpus(numbers: Sequence[int]) -> str:
    """The cards, such as ``0, 2-7``; how many where that is too long."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    listed = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return listed if len(listed) <= GPU_COLUMNS else counted(len(numbers), "GPU")


def _lines(said: str, *, indent: str = "", hanging: int = 0) -> str:
    """A sentence of ours in lines of at most 80 columns."""
    return wrapped(with_whole_units(safe.line(said, LETTERS)), indent=indent, hanging=hanging)


def _cut(where: str) -> str:
    """The end of a place, where the line number is, in 80 columns."""
    where, room = safe.line(where, LETTERS), COLUMNS - len(INDENT)
    if width(where) <= room:
        return INDENT + where
    while width(where) > room - 1:
        where = where[1:]
    return f"{INDENT}…{where}"
