"""What a notebook shows of a capture and of a comparison: a few lines and tables, not the report."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze import safe
from smianalyze.analyses.comparison import Comparison
from smianalyze.cards import cards, processes
from smianalyze.columns import FRAMES
from smianalyze.findings import LEVELS, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, some
from smianalyze.markup import legend, prose
from smianalyze.masking import Masker
from smianalyze.quantities import counted
from smianalyze.report.card_tables import card_table, process_table
from smianalyze.report.verdicts import nothing_stands_out

MOST_NAMED = 6
"""Inputs named; the frame ``inputs`` has all."""


def capture_summary(frames: Frames, comparison: Comparison | None, findings: Sequence[Finding]) -> str:
    """What was read, the verdicts, the cards, and the frames that have rows.

    Args:
        frames: Of the capture.
        comparison: Before and after, where there are two snapshots.
        findings: In the order in which they are shown.
    """
    shown, masker = cards(frames, comparison), Masker()
    blocks = [_inputs(frames, masker)]
    if all(finding.severity == "info" for finding in findings):
        blocks.append(prose(nothing_stands_out(frames, shown)))
    if findings:
        blocks.append("\n".join(_verdict(finding) for finding in findings))
    if shown:
        listed = card_table(shown, comparison.primary if comparison else None)
        blocks += filter(None, [listed, legend(listed)])
    return "\n\n".join([*blocks, _filled(frames)])


def comparison_summary(comparison: Comparison) -> str:
    """The cards and the processes before and after."""
    frames = Frames.from_rows({})  # all that is shown stands in the comparison
    masker, primary = Masker(), comparison.primary
    tables = [card_table(cards(frames, comparison), primary)]
    listed = processes(frames, comparison)
    if listed:
        tables.append(process_table(listed, primary, masker=masker))
    text = "\n\n".join(tables)
    return "\n\n".join(filter(None, [text, legend(text)]))


def _inputs(frames: Frames, masker: Masker) -> str:
    names = [safe.code(masker.source(str(name))) for name in frames.inputs["source"]]
    said = say("**{inputs}**: {names}", inputs=counted(len(names), "input"), names=some(names, most=MOST_NAMED))
    problems = counted(len(frames.problems), "place")
    return said + (say("; {places} could not be read", places=problems) if len(frames.problems) else "")


def _verdict(finding: Finding) -> str:
    severity, title = say(LEVELS[finding.severity]), prose(finding.title)
    return say("- **{severity}**: {title} {id}", severity=severity, title=title, id=safe.code(finding.id))


def _filled(frames: Frames) -> str:
    rows = {name: len(getattr(frames, name)) for name in FRAMES}
    filled = [f"{safe.code(name)} {number:,}" for name, number in rows.items() if number]
    return say("Rows: {frames}; the other frames are empty.", frames=say(", ").join(filled))
