"""Findings on the timeline: from the first to the last of their evidence."""

from __future__ import annotations

from datetime import timedelta

import pytest
from recordings import START, frames, prints

from smianalyze.figures import timeline
from smianalyze.figures.bars_in_time import Bar
from smianalyze.figures.found import COLOURS, MOST_FINDINGS, found_bars
from smianalyze.figures.tracks import tracks_of
from smianalyze.findings import Evidence, Finding, Severity
from smianalyze.frames import Frames
from smianalyze.masking import Masker

LOG = {"source": "train.log", "line": 7, "time": START + timedelta(seconds=9), "step_time_s": 0.1}
LATE = {"source": "train.log", "line": 8, "time": START + timedelta(days=1), "step_time_s": 0.1}


def recorded() -> Frames:
    """One card, a print each second on lines 2 to 31, and two records of a log, one of them far behind."""
    card = {"memory_used_mib": [9000] * 30, "utilization_gpu_pct": 50}
    return frames(prints(card), steps=[LOG, LATE])


def finding(*evidence: tuple[str, int], severity: Severity = "high", gpus: tuple[int, ...] = (0,)) -> Finding:
    places = tuple(Evidence(*place) for place in evidence)
    return Finding(
        id="memory-grows", severity=severity, title="T.", why="W.", next_step="N.", gpus=gpus, evidence=places
    )


def bars(*findings: Finding) -> list[Bar]:
    capture = recorded()
    return found_bars(findings, capture, tracks_of(capture))


def test_a_finding_lasts_from_its_first_to_its_last_evidence() -> None:
    assert bars(finding(("run.csv", 4), ("train.log", 7))) == [
        Bar(2.0, 9.0, "high: memory-grows, GPU 0", COLOURS["high"])
    ]


def test_a_finding_of_no_card_is_named_alone() -> None:
    assert [bar.label for bar in bars(finding(("run.csv", 4), severity="low", gpus=()))] == ["low: memory-grows"]


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("its evidence has no time", finding(("other.txt", 4))),
        ("its evidence is of another day", finding(("train.log", 8))),
        ("it is about the recording", finding(("run.csv", 4), severity="info")),
    ],
)
def test_a_finding_is_not_marked_where(why: str, told: Finding) -> None:
    assert bars(told) == [], why


def test_only_the_first_findings_are_marked() -> None:
    assert len(bars(*[finding(("run.csv", 4))] * 20)) == MOST_FINDINGS


def test_the_timeline_has_a_row_for_each_finding() -> None:
    page = timeline(recorded(), masker=Masker(), findings=[finding(("run.csv", 4), ("run.csv", 9))])
    texts = [text.get_text() for text in page.axes[0].texts]

    assert texts == ["findings, from their first to their last evidence", "high: memory-grows, GPU 0"]
    assert page.get_figheight() > timeline(recorded(), masker=Masker()).get_figheight()
