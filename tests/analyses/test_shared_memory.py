"""Shared memory that was full."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.shared_memory import shared_memory_full
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    return shared_memory_full(frames_of(events="kind pid tried_mib message\n" + "\n".join(rows)), None)


def test_what_loader_and_torch_say_of_one_failure_is_one_finding() -> None:
    (finding,) = found(
        "shm_full - - Unexpected bus error encountered in worker. This might be caused by …",
        "dataloader_worker_killed 77 - DataLoader worker (pid 77) is killed by signal: Bus error.",
    )

    assert finding.title == "A data loader process (PID 77) ran out of shared memory in `/dev/shm`."
    assert (finding.severity, finding.evidence) == ("high", (("events", 1), ("events", 2)))
    assert "--shm-size" in finding.next_step


def test_nccl_is_named_with_the_size_that_it_asked_for() -> None:
    (finding,) = found("shm_full 77 9.19 NCCL WARN Error: failed to extend /dev/shm/nccl-x to 9637892 bytes")

    assert finding.title == "NCCL ran out of shared memory in `/dev/shm` (9 MiB could not be had)."
    assert finding.why.startswith("The ranks of one host")


@pytest.mark.parametrize(
    "row",
    [
        "dataloader_worker_killed 7 - DataLoader worker (pid 7) is killed by signal: Killed.",
        "host_oom 7 - Out of memory: Killed process 7",
    ],
)
def test_other_failures_are_silent(row: str) -> None:
    assert found(row) == []


def test_real_logs_are_told() -> None:
    (loader,) = shared_memory_full(load(FIXTURES / "log_failure" / "workers.txt").frames, None)
    (nccl,) = shared_memory_full(load(FIXTURES / "log_failure" / "nccl.txt").frames, None)

    assert loader.title.startswith("A data loader process (PID 46811) ran out")
    assert nccl.title.startswith("NCCL ran out")
