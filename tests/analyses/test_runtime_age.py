"""CUDA runtimes that are older than the card."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.runtime_age import runtime_older_than_gpu
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    header = "kind gpu_index compute_capability runtime_cuda_version message\n"
    return runtime_older_than_gpu(frames_of(events=header + "\n".join(rows)), None)


def test_runtime_without_code_for_the_card_is_told_with_the_first_that_has_it() -> None:
    (finding,) = found("runtime_versions 0 8.6 10.2 device: 0, of alice")

    assert finding.title == (
        "The framework was built with CUDA 10.2, which has no code for GPU 0 of the log "
        "(compute capability 8.6); CUDA 11.0 is the first that has."
    )
    assert (finding.severity, finding.gpus, finding.evidence) == ("medium", (), (("events", 1),))
    assert "for CUDA 11.0 or newer" in finding.next_step


def test_cards_of_one_log_are_one_finding() -> None:
    (finding,) = found(
        "runtime_versions 0 8.6 10.2 x", "runtime_versions 1 8.6 10.2 x", "runtime_versions 0 - - x"
    )

    assert "GPU 0 and 1 of the log" in finding.title


@pytest.mark.parametrize(
    ("capability", "runtime"),
    [("8.6", "11.0"), ("7.5", "9.2"), ("7.0", "10.2"), ("8.9", "11.4"), ("12.0", "12.8"), ("9.0", "13.0")],
)
def test_runtime_with_code_for_the_major_capability_is_silent(capability: str, runtime: str) -> None:
    assert found(f"runtime_versions 0 {capability} {runtime} x") == []


@pytest.mark.parametrize(("capability", "runtime"), [("12.0", "12.4"), ("9.0", "11.7"), ("7.0", "8.0")])
def test_older_runtime_is_told(capability: str, runtime: str) -> None:
    assert len(found(f"runtime_versions 0 {capability} {runtime} x")) == 1


@pytest.mark.parametrize("row", ["8.6 -", "- 10.2", "99.0 10.2", "8.6 ten"])
def test_unknown_versions_and_capabilities_are_silent(row: str) -> None:
    assert found(f"runtime_versions 0 {row} x") == []


def test_torch_that_says_so_itself_is_told() -> None:
    (finding,) = found("runtime_versions - 8.6 - is not compatible with the current PyTorch installation.")

    assert finding.title == "The installed PyTorch has no code for a card (compute capability 8.6), and says so."
    assert finding.severity == "high"


def test_real_log_is_told() -> None:
    findings = runtime_older_than_gpu(load(FIXTURES / "log_device" / "versions.txt").frames, None)

    assert [finding.title.split(",")[0] for finding in findings] == [
        "The framework was built with CUDA 10.2",
        "The installed PyTorch has no code for a card (compute capability 8.6)",
    ]
