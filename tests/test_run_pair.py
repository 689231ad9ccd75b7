"""``smianalyze compare`` of two whole runs: folders in, numbers, a page and a chart out."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from click.testing import CliRunner, Result
from fixture_pairs import FIXTURES
from jsonschema import Draft202012Validator

from smianalyze.cli import cli

RUNS = FIXTURES / "runs"
STARVED, FED = str(RUNS / "starved"), str(RUNS / "fed")


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["compare", *arguments])


def test_two_folders_are_two_runs() -> None:
    result = compared(STARVED, FED)

    assert result.exit_code == 0
    assert result.stdout.startswith("The second run is 17.9 times as fast: 0.12 s a step in place of 2.15 s;")
    lines = {line.split("  ")[0]: line.split() for line in result.stdout.splitlines()}
    assert lines["step time, s"][3:5] == ["2.15", "0.12"]
    assert lines["waiting for data, %"][4:6] == ["95", "46"]
    assert lines["peak memory, MiB"][3:5] == ["14,923", "14,925"]
    assert "Stands out before: high `input-bound`." in result.stdout
    assert "GPU 1 waits for data" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_order_of_the_arguments_is_before_and_after() -> None:
    assert compared(FED, STARVED).stdout.startswith("The second run is 17.9 times as slow")


def test_run_beside_itself_is_the_same() -> None:
    assert compared(FED, FED, "-q").stdout.startswith(
        "Both runs are equally fast: 0.12 s a step in place of 0.12 s"
    )


def test_page_and_chart_are_written(tmp_path: Path) -> None:
    result = compared(STARVED, FED, "-o", str(tmp_path / "out"))

    assert result.exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"report.md", "report.json", "runs.png"}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| step time, s | 2.15 | 0.12 | 17.9 times less |" in page
    assert "](runs.png)" in page


def test_json_fits_the_schema(tmp_path: Path) -> None:
    compared(STARVED, FED, "-o", str(tmp_path / "out"))
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    schema = json.loads((files("smianalyze.report") / "report.schema.json").read_text(encoding="utf-8"))

    assert [fault.message for fault in Draft202012Validator(schema).iter_errors(report)] == []
    assert "input-bound" in report["runs"]["before"]["findings"]
    assert report["runs"]["after"]["step_time_s"] == 0.12
    assert len(report["inputs"]) == 4


def test_page_of_an_earlier_comparison_is_replaced_with_force_only(tmp_path: Path) -> None:
    target = ("-o", str(tmp_path / "out"))

    assert compared(STARVED, FED, *target).exit_code == 0
    assert compared(STARVED, FED, *target).exit_code != 0
    assert compared(STARVED, FED, *target, "--force").exit_code == 0


def test_fail_on_looks_at_the_second_run() -> None:
    assert compared(STARVED, FED, "--fail-on", "high").exit_code == 0
    assert compared(FED, STARVED, "--fail-on", "high").exit_code == 3


def test_two_snapshots_are_compared_card_by_card() -> None:
    result = compared(*(str(FIXTURES / "demo" / f"smi_{side}.txt") for side in ("before", "after")), "-q")

    assert result.stdout.startswith("card ")


def test_page_about_two_snapshots_is_the_report(tmp_path: Path) -> None:
    snapshots = [str(FIXTURES / "demo" / f"smi_{side}.txt") for side in ("before", "after")]

    assert compared(*snapshots, "-o", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out" / "memory.png").exists()


def test_two_inputs_without_cards_cannot_be_compared(tmp_path: Path) -> None:
    kernel_logs = [tmp_path / name for name in ("a.log", "b.log")]
    for path in kernel_logs:
        path.write_text("[ 9.2] NVRM: Xid (PCI:0000:3b:00): 31, pid=1046, name=python\n", encoding="utf-8")
    result = compared(*map(str, kernel_logs))

    assert "compare needs two prints" in str(result.exception)
