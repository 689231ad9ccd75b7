"""The first page of a report: what was found, or that nothing stands out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from smianalyze.analyses.over_time import OverTime
from smianalyze.cards import Card
from smianalyze.findings import Finding, paragraph
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.markup import prose
from smianalyze.masking import Masker
from smianalyze.quantities import Number, counted, span


def verdicts(findings: Sequence[Finding], frames: Frames, shown: Sequence[Card], *, masker: Masker) -> list[str]:
    """One paragraph a finding; where none is above ``info``, a line that nothing stands out comes first.

    Args:
        findings: In the order in which they are printed.
        frames: The capture, for the line that nothing stands out.
        shown: Its cards.
        masker: Names the inputs.
    """
    paragraphs = [paragraph(finding, masker=masker) for finding in findings]
    if any(finding.severity != "info" for finding in findings):
        return paragraphs
    return [prose(nothing_stands_out(frames, shown)), *paragraphs]


def nothing_stands_out(frames: Frames, shown: Sequence[Card]) -> str:
    """The line for a run without findings, with the few numbers that carry it.

    Args:
        frames: The capture; of a series the numbers are those of the time in which the job ran.
        shown: Its cards, for the numbers of a print.
    """
    over = frames.once(OverTime)
    if over.is_series:
        return _said(len(over.series.cards), _facts_over_time(over))
    if not shown:
        return say("Nothing stands out: no card was read, and no message points to a fault.")
    facts = [
        *_fact(say("memory in use"), [card.memory.after for card in shown], "MiB"),
        *_fact(say("utilization"), [card.utilization.after for card in shown], "%"),
        *_fact(say("temperature"), [card.temperature.after for card in shown], "°C"),
    ]
    return _said(len(shown), facts)


def _facts_over_time(over: OverTime) -> list[str]:
    ran = over.utilization["active_mean_pct"].notna().any()
    if not ran:
        utilization, power = say("mean utilization"), say("mean power")
    else:
        utilization, power = say("mean utilization while the job ran"), say("mean power while the job ran")
    active = "active_" if ran else ""
    return [
        *_fact(utilization, over.utilization[f"{active}mean_pct"].dropna(), "%"),
        *_fact(say("peak memory"), over.memory["peak_mib"].dropna(), "MiB"),
        *_fact(power, over.power[f"{active}mean_w"].dropna(), "W"),
    ]


def _said(cards: int, facts: Sequence[str]) -> str:
    return say("Nothing stands out: {facts}.", facts=say(", ").join([counted(cards, "card"), *facts]))


def _fact(name: str, values: Iterable[Number | None], unit: str) -> list[str]:
    known = [value for value in values if value is not None]
    return [f"{name} {span(known)} {unit}"] if known else []
