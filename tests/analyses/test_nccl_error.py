"""Errors of NCCL."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.nccl_error import nccl_error
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    return nccl_error(frames_of(events="kind code message\n" + "\n".join(rows)), None)


@pytest.mark.parametrize(
    ("code", "says", "confidence"),
    [
        ("ncclRemoteError", "another rank ended", "high"),
        ("ncclUnhandledCudaError", "a CUDA call in it failed", "high"),
        ("ncclInvalidUsage", "two ranks on one card", "high"),
        ("ncclAliceError", "does not say why", "medium"),
        ("-", "does not say why", "medium"),
    ],
)
def test_code_is_put_into_words(code: str, says: str, confidence: str) -> None:
    (finding,) = found(f"nccl_error {code} DistBackendError")

    assert says in finding.title
    assert (finding.severity, finding.confidence) == ("high", confidence)
    assert "Alice" not in finding.title


def test_codes_of_one_log_are_told_apart() -> None:
    titles = [one.title for one in found("nccl_error ncclRemoteError a", "nccl_error ncclSystemError b")]

    assert len(titles) == 2


def test_timeout_is_another_finding() -> None:
    assert found("nccl_timeout - Watchdog caught") == []


def test_real_log_is_told() -> None:
    titles = [one.title for one in nccl_error(load(FIXTURES / "log_failure" / "nccl.txt").frames, None)]

    assert len(titles) == 2
    assert "another rank ended, or the network between two hosts broke." in titles[0]
