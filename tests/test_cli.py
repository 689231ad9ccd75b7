"""The commands as a user types them: what they print, write and end with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fixture_pairs import FIXTURES

from smianalyze.analyses.explanations import EXPLANATIONS
from smianalyze.cli import cli, main
from smianalyze.formats import FORMATS

BEFORE, AFTER = (str(FIXTURES / "demo" / f"smi_{name}.txt") for name in ("before", "after"))


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin, catch_exceptions=False)


def ended(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit code of the program itself, errors included."""
    monkeypatch.setattr(sys, "argv", ["smianalyze", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_help_of_each_command_has_an_example_that_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (BEFORE, AFTER):
        shutil.copy(path, tmp_path)
    (tmp_path / "fixtures").symlink_to(FIXTURES)
    monkeypatch.chdir(tmp_path)
    lines = [line.strip() for line in run(command, "--help").output.splitlines()]
    (example,) = [line.removeprefix("Example: smianalyze ") for line in lines if line.startswith("Example: ")]

    assert run(*example.split()).exit_code == 0


def test_report_prints_the_finding_and_writes_the_folder(tmp_path: Path) -> None:
    result = run("report", BEFORE, AFTER, "-o", str(tmp_path / "out"))

    assert result.stdout.startswith("severity  GPU      finding\nmedium    0        GPU 0 grew by 619 MiB")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "report.md",
        "report.json",
        "memory.png",
        "growth.png",
        "load.png",
    }


def test_report_does_not_overwrite_without_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = str(tmp_path / "out")

    assert run("report", BEFORE, "-o", out).exit_code == 0
    assert ended(monkeypatch, "report", BEFORE, "-o", out) == 2
    assert run("report", BEFORE, AFTER, "-o", out, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("low", 3), ("medium", 3), ("high", 0), ("primary-card-overhead", 3), ("gpu-lost", 0)],
)
def test_fail_on_sets_the_exit_code(fail_on: str, code: int, tmp_path: Path) -> None:
    assert run("report", BEFORE, AFTER, "-o", str(tmp_path / "out"), "--fail-on", fail_on).exit_code == code


def test_fail_on_refuses_a_word_that_is_no_severity_and_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")

    assert ended(monkeypatch, "report", BEFORE, AFTER, "-o", out, "--fail-on", "primary-card") == 2
    assert "primary-card-overhead" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_unreadable_inputs_end_with_5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prose = tmp_path / "prose.txt"
    prose.write_text("Nothing of ours.\n")

    assert ended(monkeypatch, "report", str(tmp_path / "missing.txt")) == 5
    assert ended(monkeypatch, "report", str(prose), "-o", str(tmp_path / "out")) == 5
    assert "smianalyze formats" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_standard_input_is_read(tmp_path: Path) -> None:
    text = Path(AFTER).read_text(encoding="utf-8")

    assert run("report", "-", "-o", str(tmp_path / "out"), "-q", stdin=text).exit_code == 0
    assert "`smianalyze report -`" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    shutil.copy(BEFORE, tmp_path / "1.txt")
    shutil.copy(AFTER, tmp_path / "2.txt")
    rows = json.loads(run("frames", str(tmp_path), "--frame", "snapshots", "--format", "json").output)

    assert [row["source"] for row in rows] == ["1.txt", "2.txt"]


def test_compare_prints_cards_side_by_side() -> None:
    lines = run("compare", BEFORE, AFTER).stdout.splitlines()

    assert lines[1].split() == [
        "0",
        "*",
        "14,561",
        "→",
        "31,022",
        "+16,461",
        "0",
        "→",
        "80",
        "122",
        "→",
        "491",
        "34",
        "→",
        "48",
    ]
    assert max(map(len, lines)) <= 80


def test_frames_are_csv_on_standard_output() -> None:
    header, *rows = run("frames", AFTER, "--frame", "processes").stdout.splitlines()

    assert header.startswith("snapshot,time,host,gpu_index,")
    assert rows[1].split(",")[8:12] == ["812", "C", "python", "15836"]


def test_mask_none_shows_the_path_of_a_process() -> None:
    assert "/opt/torch/.venv/bin/python" in run("frames", AFTER, "--frame", "processes", "--mask", "none").stdout


def test_frames_as_parquet_keep_their_types(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    target = tmp_path / "gpus.parquet"
    run("frames", AFTER, "--format", "parquet", "-o", str(target))

    assert pandas.read_parquet(target)["memory_used_mib"].tolist() == [31022, 27533]


def test_formats_lists_every_format_with_its_command() -> None:
    output = run("formats").output

    assert [one.name for one in FORMATS if one.title not in output or one.command not in output] == []


@pytest.mark.parametrize("finding_id", sorted(EXPLANATIONS))
def test_explain_fits_80_columns(finding_id: str) -> None:
    output = run("explain", finding_id).output

    assert output.startswith(finding_id)
    assert max(map(len, output.splitlines())) <= 80


def test_explain_suggests_the_nearest_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, "explain", "primary-card") == 2
    assert "primary-card-overhead" in capsys.readouterr().err


def test_no_control_character_of_an_input_reaches_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "evil\x1b]0;title\x07\u202e.txt"
    table = Path(AFTER).read_text(encoding="utf-8").replace("python3", "py\x1b[2J\u202e")
    (tmp_path / name).write_text(table, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = run("report", name, "-o", "out").output + run("compare", BEFORE, name).output

    assert ended(monkeypatch, "report", "missing" + name) == 5
    shown += capsys.readouterr().err
    assert [letter for letter in shown if letter != "\n" and not letter.isprintable()] == []


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "smianalyze.cli", "frames", AFTER]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        result = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, cwd=tmp_path, check=False)

    assert (result.returncode, result.stderr) == (0, b"")
