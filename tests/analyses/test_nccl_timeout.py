"""Collectives that were given up."""

from __future__ import annotations

from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.nccl_timeout import nccl_timeout
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    return nccl_timeout(frames_of(events="kind rank timeout_ms message\n" + "\n".join(rows)), None)


def test_timeout_is_told_in_seconds_with_the_rank_that_waited() -> None:
    (finding,) = found("nccl_timeout 3 600000 Watchdog caught alice")

    assert finding.title == (
        "A collective operation was given up after 600 seconds: at least one rank never took part."
    )
    assert "Rank 3, which says so, was waiting." in finding.why
    assert (finding.severity, finding.gpus, finding.evidence) == ("high", (), (("events", 1),))


def test_retries_in_one_log_are_one_finding_with_the_longest_wait() -> None:
    (finding,) = found("nccl_timeout 0 - w", "nccl_timeout 1 1800000 w", "nccl_timeout 1 600000 w")

    assert "after 1,800 seconds (3 messages)" in finding.title


def test_unknown_time_and_rank_stay_out() -> None:
    (finding,) = found("nccl_timeout - - w")

    assert finding.title.startswith("A collective operation was given up: ")
    assert "says so" not in finding.why


def test_other_errors_of_nccl_are_silent() -> None:
    assert found("nccl_error 0 - ncclRemoteError") == []


def test_real_log_is_told_once() -> None:
    (finding,) = nccl_timeout(load(FIXTURES / "log_failure" / "nccl.txt").frames, None)

    assert "after 600 seconds:" in finding.title
