"""The memory of the host ran out, and whose limit it was."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.host_memory import host_memory_killed
from smianalyze.findings import Finding


def found(*rows: str) -> list[Finding]:
    return host_memory_killed(frames_of(events="kind pid tried_mib message\n" + "\n".join(rows)), None)


@pytest.mark.parametrize(
    ("message", "says", "step"),
    [
        ("Out of memory: Killed process 7 (alice)", "the host had no memory left", "Start fewer loader"),
        (
            "Memory cgroup out of memory: Killed process 7",
            "its container or group may have",
            "Raise the memory limit",
        ),
        ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=4.0 cgroup", "Slurm gives it", "Ask for more"),
        (
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null)",
            "its container or group",
            "Raise the memory limit",
        ),
        ("MemoryError", "asked for more host memory", "Start fewer loader"),
    ],
)
def test_wording_says_whose_limit_it_was(message: str, says: str, step: str) -> None:
    (finding,) = found(f"host_oom 7 - {message}")

    assert finding.title.startswith("A process (PID 7) ")
    assert says in finding.title
    assert finding.next_step.startswith(step)
    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "high", ())
    assert "alice" not in f"{finding.title}{finding.why}{finding.next_step}"


def test_size_that_was_asked_for_is_told() -> None:
    (finding,) = found("host_oom - 3072 DefaultCPUAllocator: can't allocate memory")

    assert finding.title == "A process asked for more host memory than there was (3,072 MiB)."


def test_processes_of_one_wording_are_one_finding() -> None:
    (finding,) = found(*(f"host_oom {pid} - Out of memory: Killed process {pid} (python)" for pid in (7, 8, 9)))

    assert finding.title.startswith("3 processes (PID 7, 8 and 9) ")


def test_loader_process_that_was_killed_is_most_likely_a_case() -> None:
    (finding,) = found("dataloader_worker_killed 7 - DataLoader worker (pid 7) is killed by signal: Killed.")

    assert finding.title.startswith("A data loader process (PID 7) was killed from outside, most likely")
    assert finding.confidence == "medium"


@pytest.mark.parametrize(("available", "confidence"), [(1200, "high"), (60000, "medium")])
def test_host_without_memory_is_a_second_witness(available: int, confidence: str) -> None:
    frames = frames_of(
        events="kind pid message\ndataloader_worker_killed 7 DataLoader worker is killed by signal: Killed.",
        hosts=f"mem_available_mib mem_total_mib\n64000 128000\n{available} 128000\n- 128000",
    )
    (finding,) = host_memory_killed(frames, None)

    assert finding.confidence == confidence
    assert (f"`top` shows {available:,} MiB of 128,000 MiB available." in finding.why) is (confidence == "high")
    assert (("hosts", 2) in finding.evidence) is (confidence == "high")


@pytest.mark.parametrize(
    "row",
    [
        "dataloader_worker_killed 7 - DataLoader worker (pid 7) is killed by signal: Bus error.",
        "oom 7 - CUDA out of memory.",
        "host_alloc_warning - 3072 Allocation of 3221225472 exceeds 10% of free system memory.",
        "host_oom - - -",
    ],
)
def test_other_messages_are_silent(row: str) -> None:
    assert found(row) == []


def test_real_kernel_lines_are_told_by_wording() -> None:
    findings = host_memory_killed(load(FIXTURES / "log_failure" / "host_memory.txt").frames, None)

    group, host, programs = (finding.title for finding in findings)
    assert group.startswith("A process (PID 20117) used more host memory than its container or group may have")
    assert host == "A process (PID 164301) was ended by the kernel, as the host had no memory left."
    assert programs == "2 processes asked for more host memory than there was (up to 3,328 MiB)."
