"""More loader processes than CPUs."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.loader_workers import loader_workers_mismatch
from smianalyze.findings import Finding
from smianalyze.frames import Frames


def warned(*rows: str, **tables: str) -> list[Finding]:
    events = "kind workers suggested_workers nproc_per_node message\n" + "\n".join(rows)
    return loader_workers_mismatch(frames_of(events=events, **tables), None)


def test_warning_is_told_with_the_number_to_set() -> None:
    (finding,) = warned("dataloader_workers_warning 32 8 - This DataLoader will create")

    assert finding.title == "PyTorch starts 32 data loader processes on 8 CPUs that the job may use."
    assert finding.next_step == "Set `num_workers=8` in the `DataLoader` of each rank."
    assert (finding.severity, finding.evidence) == ("medium", (("events", 1),))


def test_a_few_too_many_are_a_small_matter() -> None:
    (finding,) = warned("dataloader_workers_warning 10 8 - This DataLoader will create")

    assert finding.severity == "low"


def test_ranks_of_one_host_share_its_cpus() -> None:
    (finding,) = warned(
        "launch - - 4 torchrun --nproc_per_node=4 train.py",
        "dataloader_workers_warning 10 8 - This DataLoader will create",
    )

    assert "10 data loader processes in each of 4 ranks on 8 CPUs" in finding.title
    assert "num_workers=2`" in finding.next_step
    assert finding.severity == "medium"


def test_host_with_more_cpus_than_the_job_may_use_says_so() -> None:
    (finding,) = warned("dataloader_workers_warning 32 8 - x", hosts="cpus\n112")

    assert finding.title.endswith("on 8 CPUs that the job may use (112 are installed).")
    assert "--cpus-per-task" in finding.next_step


def seen(processes: int, cpus: str) -> list[Finding]:
    listed = "\n".join(f"7 {pid} pt_data_worker" for pid in range(processes))
    tables = {
        "hosts": f"cpus\n{cpus}",
        "host_processes": f"sample_line pid command\n{listed}\n7 99 python train.py",
    }
    return loader_workers_mismatch(frames_of(**tables), None)


def test_top_and_lscpu_together_tell_without_a_warning() -> None:
    (finding,) = seen(9, "4")

    assert finding.title == "9 data loader processes run on 4 CPUs."
    assert finding.evidence == (("host_processes", 7), ("hosts", 1))


@pytest.mark.parametrize(("processes", "cpus"), [(4, "4"), (0, "4"), (9, "-"), (9, "4\n8")])
def test_enough_unknown_or_several_hosts_are_silent(processes: int, cpus: str) -> None:
    assert seen(processes, cpus) == []


def test_warning_that_suggests_no_workers_at_all_is_silent() -> None:
    assert warned("dataloader_workers_warning 32 0 - x", "dataloader_workers_warning 32 - - x") == []


def test_empty_capture_is_silent() -> None:
    assert loader_workers_mismatch(Frames.from_rows({}), None) == []


def test_real_warnings_are_one_finding_with_the_worst() -> None:
    (finding,) = loader_workers_mismatch(load(FIXTURES / "log_failure" / "workers.txt").frames, None)

    assert "starts 10 data loader processes on 2 CPUs" in finding.title
