"""All analyses together, and the explanation that each of their findings has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from text_tables import frames_of

import smianalyze.analyses
from smianalyze.analyses import find
from smianalyze.analyses.explanation import Explanation
from smianalyze.analyses.explanations import EXPLANATIONS
from smianalyze.findings import Finding
from smianalyze.frames import Frames

TROUBLED = frames_of(
    snapshots="snapshot driver_version process_section\n0 580.159.04 none_found\n1 580.159.04 listed",
    gpus="""
    snapshot gpu_index pci_bus_id       memory_used_mib
    0        0         00000000:3B:00.0 4
    0        1         00000000:5E:00.0 4
    0        2         00000000:86:00.0 4
    0        3         00000000:AF:00.0 4
    1        0         00000000:3B:00.0 16616
    1        1         00000000:5E:00.0 16004
    1        2         00000000:86:00.0 9000
    """,
    processes="""
    snapshot gpu_index pid used_gpu_memory_mib process_name
    1        0         1   16000               /home/alice/secret.py
    1        0         2   612                 /home/alice/secret.py
    1        1         2   16000               /home/alice/secret.py
    """,
    events="kind message\nsmi_error NVML: Driver/library version mismatch of alice",
)


def emitted() -> set[str]:
    """The id of every finding that a module of the analyses makes."""
    folder = Path(smianalyze.analyses.__file__).parent
    calls = [
        node
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding"
    ]
    return {str(ast.literal_eval(word.value)) for call in calls for word in call.keywords if word.arg == "id"}


def test_findings_come_with_the_most_severe_first() -> None:
    assert [(finding.id, finding.severity) for finding in find(TROUBLED)] == [
        ("driver-mismatch", "high"),
        ("gpu-lost", "medium"),
        ("primary-card-overhead", "medium"),
        ("unattributed-memory", "low"),
    ]


def test_healthy_and_empty_captures_are_silent() -> None:
    healthy = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 4\n0 1 4\n1 0 15846\n1 1 15846",
        processes="snapshot gpu_index pid used_gpu_memory_mib process_name\n1 0 1 15836 a\n1 1 2 15836 a",
    )

    assert find(healthy) == []
    assert find(Frames.from_rows({})) == []


@pytest.mark.parametrize("finding", find(TROUBLED), ids=lambda finding: finding.id)
def test_finding_is_a_sentence_with_evidence_and_no_text_of_the_input(finding: Finding) -> None:
    texts = f"{finding.title} {finding.why} {finding.next_step}"

    assert finding.title.endswith(".")
    assert finding.evidence
    assert "alice" not in texts


def test_each_finding_has_an_explanation_and_each_explanation_a_finding() -> None:
    assert set(EXPLANATIONS) == emitted()


@pytest.mark.parametrize("explanation", EXPLANATIONS.values(), ids=EXPLANATIONS)
def test_explanation_is_whole(explanation: Explanation) -> None:
    parts = (explanation.meaning, explanation.decided, explanation.next_step, explanation.example)

    assert all(re.match(r"[A-Z0-9]", part) for part in parts)
