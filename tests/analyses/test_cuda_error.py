"""CUDA calls that failed."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.cuda_error import cuda_error
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    return cuda_error(frames_of(events="kind message\n" + "\n".join(rows)), None)


@pytest.mark.parametrize(
    ("message", "says", "step"),
    [
        (
            "CUDA error: device-side assert triggered",
            "an index or a label that is out of range",
            "CUDA_LAUNCH_BLOCKING",
        ),
        (
            "CUDA error: an illegal memory access was encountered",
            "memory that is not its own",
            "CUDA_LAUNCH_BLOCKING",
        ),
        ("CUDA error: no kernel image is available for execution", "has no code for this card", "Install a build"),
        ("CUDA error: uncorrectable ECC error encountered", "lost data", "Take another card"),
        ("No CUDA GPUs are available", "found no GPU", "Run `nvidia-smi` in the same place"),
        ("Torch not compiled with CUDA enabled", "one for processors alone", "Install PyTorch again"),
        (
            "The NVIDIA driver on your system is too old (found 11.4)",
            "the driver is older",
            "Install a newer driver",
        ),
    ],
)
def test_error_is_put_into_words(message: str, says: str, step: str) -> None:
    (finding,) = found(f"cuda_error RuntimeError: {message} alice")

    assert says in finding.title
    assert step in finding.next_step
    assert (finding.severity, finding.confidence, finding.evidence) == ("high", "high", (("events", 1),))
    assert "alice" not in f"{finding.title}{finding.why}{finding.next_step}"


def test_other_error_is_told_with_less_confidence() -> None:
    (finding,) = found("cuda_error cuDNN error: CUDNN_STATUS_EXECUTION_FAILED")

    assert finding.title == "A CUDA error ended a program: a call of CUDA or one of its libraries failed."
    assert finding.confidence == "medium"


def test_ranks_that_say_the_same_are_one_finding() -> None:
    (finding,) = found(*["cuda_error CUDA error: device-side assert triggered"] * 8)

    assert "(8 messages)" in finding.title


@pytest.mark.parametrize("kind", ["oom", "nccl_error", "oom_suspected"])
def test_other_events_are_silent(kind: str) -> None:
    assert found(f"{kind} CUDA error: out of memory") == []


def test_real_log_is_told() -> None:
    findings = cuda_error(load(FIXTURES / "log_failure" / "numbers.txt").frames, None)

    assert [finding.title.split(": ")[1].split(",")[0] for finding in findings] == [
        "a check in GPU code failed",
        "the program found no GPU that it can use.",
    ]
