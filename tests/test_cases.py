"""The cases that the project started from, from the command line to report.json, with values read by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fixture_pairs import FIXTURES

import smianalyze
from smianalyze.cli import cli
from smianalyze.findings import Finding

TABLES = FIXTURES / "smi_table"
A100 = ("fragment_before.txt", "fragment_after.txt")


def report_of(tmp_path: Path, *names: str) -> dict[str, Any]:
    files = [str(FIXTURES / "demo" / name if name.startswith("smi_") else TABLES / name) for name in names]
    result = CliRunner().invoke(cli, ["report", *files, "-o", str(tmp_path / "out"), "-q"], catch_exceptions=False)
    assert result.exit_code == 0
    content: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    return content


def of_gpus(report: dict[str, Any], quantity: str, side: str) -> dict[int, float]:
    return {card["gpu_index"]: card[quantity][side] for card in report["comparison"]["gpus"]}


@pytest.mark.parametrize("names", [A100, ("fragment_both.txt",)], ids=["two files", "one paste"])
def test_a100_case_names_gpu_2_by_1088_mib(names: tuple[str, ...], tmp_path: Path) -> None:
    report = report_of(tmp_path, *names)

    assert of_gpus(report, "memory_used_mib", "before") == {2: 14568, 3: 11497, 4: 12920}
    assert of_gpus(report, "memory_used_mib", "after") == {2: 35653, 3: 31506, 4: 32905}
    assert of_gpus(report, "memory_used_mib", "delta") == {2: 21085, 3: 20009, 4: 19985}
    assert of_gpus(report, "utilization_gpu_pct", "delta") == {2: 72, 3: 16, 4: 40}
    assert of_gpus(report, "power_draw_w", "delta") == {2: 199, 3: 187, 4: 110}
    assert of_gpus(report, "temperature_gpu_c", "delta") == {2: 16, 3: 17, 4: 12}
    assert report["comparison"]["primary"] == {
        "gpu_index": 2,
        "overhead_mib": 1088,
        "basis": "delta",
        "mechanism": "unknown",
        "extra_contexts": [],
    }
    assert [finding["gpus"] for finding in report["findings"] if finding["id"] == "primary-card-overhead"] == [[2]]


def test_repeated_part_of_a_paste_is_no_snapshot_of_its_own() -> None:
    assert len(smianalyze.load(TABLES / "fragment_both.txt").snapshots) == 2
    assert len(smianalyze.load(*(TABLES / name for name in A100)).snapshots) == 2


def test_gtx_1080_ti_has_4_gpus_and_2_processes() -> None:
    capture = smianalyze.load(TABLES / "joined_boxes_530.txt")

    assert (len(capture.gpus), len(capture.processes)) == (4, 2)
    assert capture.processes["used_gpu_memory_mib"].tolist() == [4690, 4648]


def test_h200_case_names_the_extra_context(tmp_path: Path) -> None:
    report = report_of(tmp_path, "smi_before.txt", "smi_after.txt")

    assert report["comparison"]["primary"] == {
        "gpu_index": 0,
        "overhead_mib": 619,
        "basis": "delta",
        "mechanism": "extra-contexts",
        "extra_contexts": [{"pid": 813, "used_gpu_memory_mib": 612}],
    }


def test_h200_job_without_the_mistake_has_no_primary_card(tmp_path: Path) -> None:
    report = report_of(tmp_path, "smi_before.txt", "generation_580.txt")

    assert of_gpus(report, "memory_used_mib", "delta") == {0: 15842, 1: 15842}
    assert report["comparison"]["primary"] is None
    assert report["findings"] == []


def test_neighbour_on_the_other_card_is_shown() -> None:
    (row,) = smianalyze.load(TABLES / "neighbour_580.txt").processes.to_dict("records")

    assert (row["gpu_index"], row["pid"], row["used_gpu_memory_mib"]) == (1, 3784, 90552)


def out_of_memory(*inputs: Path) -> list[Finding]:
    return [finding for finding in smianalyze.load(*inputs).findings() if finding.id == "out-of-memory"]


def test_gtx_1080_ti_ran_out_on_gpu_2_and_no_setting_helps() -> None:
    capture = smianalyze.load(TABLES / "joined_boxes_530.txt", FIXTURES / "runs" / "gtx1080ti" / "train.log")
    found = {finding.id: finding for finding in capture.findings()}
    oom = found["out-of-memory"]

    assert oom.gpus == (2,)
    assert "1.14 GiB short; fragmentation settings cannot help." in oom.title
    assert "0.58 GiB outside PyTorch" in oom.why
    assert "0.04 GiB reserved but unused" in oom.why
    assert "4,692 MiB on GPU 0 and 4,650 MiB on GPU 1: what is in use there does not matter here." in oom.why
    assert found["visible-gpu-unused"].gpus == (3,)
    assert not {"unattributed-memory", "held-but-idle", "primary-card-overhead"} & set(found)


def test_neighbour_tells_that_gpu_0_of_the_log_is_gpu_1() -> None:
    (oom,) = out_of_memory(TABLES / "neighbour_580.txt", FIXTURES / "log_oom" / "h200.txt")

    assert oom.gpus == (1,)
    assert "another process (PID 3784) held 88.43 GiB of the card" in oom.title
    assert "A process that the message names stands in the process table on this card." in oom.why
    assert any(place.source.endswith("neighbour_580.txt") for place in oom.evidence)


def test_without_the_table_the_card_stays_unknown() -> None:
    (oom,) = out_of_memory(FIXTURES / "log_oom" / "h200.txt")

    assert oom.gpus == ()
    assert "cannot be told from these inputs" in oom.why


def test_three_foreign_contexts_are_counted(tmp_path: Path) -> None:
    primary = report_of(tmp_path, "primary_before_525.txt", "primary_after_525.txt")["comparison"]["primary"]

    assert primary["mechanism"] == "extra-contexts"
    assert [context["used_gpu_memory_mib"] for context in primary["extra_contexts"]] == [1022, 1022, 1022]
