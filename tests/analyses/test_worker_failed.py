"""Ranks and loader processes that ended with an error."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.worker_failed import worker_failed
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    header = "kind local_rank pid exit_code message\n"
    return worker_failed(frames_of(events=header + "\n".join(rows)), None)


@pytest.mark.parametrize(
    ("code", "meant", "step"),
    [
        (1, "exit code 1.", "Go up in the log"),
        (-9, "killed from outside", "Look into the kernel log"),
        (137, "killed from outside", "Look into the kernel log"),
        (-11, "segmentation fault", "Run it again with `python -X faulthandler`"),
        (-7, "`/dev/shm` is full", "Go up in the log"),
        (-15, "asked to end", "Look for another rank"),
        (-64, "exit code -64.", "Go up in the log"),
        (200, "exit code 200.", "Go up in the log"),
    ],
)
def test_exit_code_is_put_into_words(code: int, meant: str, step: str) -> None:
    (finding,) = found(f"worker_failed 3 77 {code} failed (exitcode: alice")

    assert finding.title.startswith(f"Local rank 3 (PID 77) ended with exit code {code}")
    assert meant in finding.title
    assert finding.next_step.startswith(step)
    assert (finding.severity, finding.evidence) == ("high", (("events", 1),))


def test_ranks_of_one_code_are_one_finding_and_other_codes_are_another() -> None:
    rows = [f"worker_failed {rank} {70 + rank} {code} x" for rank, code in ((0, -15), (1, 1), (2, -15))]
    titles = [finding.title for finding in found(*rows)]

    assert [title.split(" ended")[0] for title in titles] == [
        "Local rank 0 and 2 (PID 70 and 72)",
        "Local rank 1 (PID 71)",
    ]


def test_failure_without_code_and_rank_is_told_with_less_confidence() -> None:
    (finding,) = found("worker_failed - - - ChildFailedError:")

    assert (finding.title, finding.confidence) == ("A rank failed.", "medium")


def test_loader_processes_that_ended_for_no_known_reason_are_one_finding() -> None:
    (finding,) = found(
        "dataloader_worker_exited - 20117 - DataLoader worker (pid(s) 20117, 20149) exited unexpectedly",
        "dataloader_worker_killed - 3077 - DataLoader worker (pid 3077) is killed by signal: Segmentation fault.",
    )

    assert finding.title == "2 data loader processes (PID 3077 and 20117) ended unexpectedly in a crash."
    assert "num_workers=0" in finding.next_step


@pytest.mark.parametrize("signal", ["Killed", "Bus error"])
def test_loader_process_without_memory_is_told_by_another_finding(signal: str) -> None:
    row = f"dataloader_worker_killed - 7 - DataLoader worker (pid 7) is killed by signal: {signal}."

    assert found(row) == []


def test_real_logs_are_told() -> None:
    (rank,) = worker_failed(load(FIXTURES / "log_failure" / "numbers.txt").frames, None)
    (loader,) = worker_failed(load(FIXTURES / "log_failure" / "workers.txt").frames, None)

    assert rank.title.startswith("Local rank 3 (PID 139901) ended with exit code -9: it was killed")
    assert loader.title.startswith("2 data loader processes (PID 3077 and 20117)")
