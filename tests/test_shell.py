"""What a user meets in a terminal: colours where they are wanted, completion, and help after a wrong word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fixture_pairs import FIXTURES

from smianalyze.cli import cli, main

BEFORE, AFTER = (str(FIXTURES / "demo" / f"smi_{name}.txt") for name in ("before", "after"))
MONITOR = str(FIXTURES / "dmon" / "two_cards_580.txt")
MESSAGES = str(FIXTURES / "log_oom" / "torch_old.txt")
LOG = str(FIXTURES / "log_pairs" / "deepspeed.txt")
RED_OR_YELLOW = "\x1b[33m\x1b[1mmedium\x1b[0m"


def run(*arguments: str, color: bool = False) -> Result:
    return CliRunner().invoke(cli, arguments, color=color, catch_exceptions=False)


def failed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str]:
    """Exit code and words of the program itself."""
    monkeypatch.setattr(sys, "argv", ["smianalyze", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code, capsys.readouterr().err


def test_severity_is_coloured_on_a_terminal_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")

    assert RED_OR_YELLOW in run("report", BEFORE, AFTER, "-o", str(tmp_path / "1"), color=True).stdout
    assert "\x1b" not in run("report", BEFORE, AFTER, "-o", str(tmp_path / "2")).stdout


def test_no_color_is_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    by_variable = run("report", BEFORE, AFTER, "-o", str(tmp_path / "1"), color=True)
    monkeypatch.delenv("NO_COLOR")
    by_option = run("report", BEFORE, AFTER, "-o", str(tmp_path / "2"), "--no-color", color=True)

    assert "medium" in by_variable.stdout
    assert "\x1b" not in by_variable.stdout + by_option.stdout


def test_mistyped_command_and_option_are_put_right(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = failed(capsys, monkeypatch, "repot", AFTER)

    assert (code, "Did you mean 'report'?" in said) == (2, True)
    assert "Did you mean" in failed(capsys, monkeypatch, "report", "--foce", AFTER)[1]
    assert "Did you mean" not in failed(capsys, monkeypatch, "xyzzy")[1]


def test_file_without_a_command_suggests_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = failed(capsys, monkeypatch, BEFORE, AFTER)

    assert code == 2
    assert "is no command but a file. Did you mean: smianalyze report" in said


def test_logs_are_not_compared_as_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = failed(capsys, monkeypatch, "compare", MESSAGES, MESSAGES)

    assert code == 5
    assert "torch_old.txt is: " in said
    assert "Did you mean: smianalyze report" in said


def test_columns_for_an_input_with_columns_say_what_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = failed(capsys, monkeypatch, "frames", MONITOR, "--csv-columns", "index")

    assert code == 2
    assert "two_cards_580.txt is: device monitor (`nvidia-smi dmon`)." in said


def test_empty_frame_names_those_with_rows() -> None:
    result = run("frames", LOG)

    assert "gpus has no rows" in result.stderr
    assert "Did you mean: --frame steps (" in result.stderr
    assert result.stdout.startswith("snapshot,time,")


def test_frame_with_rows_says_nothing_beside() -> None:
    assert run("frames", AFTER).stderr == ""


@pytest.mark.parametrize("arguments", [(), ("compare",), ("frames", "--csv-columns", "index")])
def test_hints_hold_nothing_that_steers_the_terminal(
    arguments: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "evil\x1b]0;title\x07\u202e.txt"
    (tmp_path / name).write_bytes(Path(MESSAGES if "compare" in arguments else LOG).read_bytes())
    monkeypatch.chdir(tmp_path)
    code, said = failed(capsys, monkeypatch, *arguments, name, *([name] if "compare" in arguments else []))

    assert code in (2, 5)
    assert "evil" in said
    assert [letter for letter in said if letter != "\n" and not letter.isprintable()] == []


def completed(words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    command = [str(Path(sys.executable).with_name("smianalyze"))]
    surroundings = {
        "_SMIANALYZE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    offered = subprocess.run(command, env=os.environ | surroundings, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in offered.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("smianalyze exp", ["explain"]),
        ("smianalyze explain primary", ["primary-card-overhead"]),
        ("smianalyze report --fail-on hig", ["high"]),
        ("smianalyze frames --frame pro", ["processes", "problems"]),
        ("smianalyze report --ht", ["--html"]),
        ("smianalyze xyzzy --ht", []),
    ],
)
def test_bash_is_offered_commands_options_and_ids(words: str, offered: list[str]) -> None:
    assert sorted(completed(words)) == sorted(offered)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed_for_each_shell(shell: str) -> None:
    command = [str(Path(sys.executable).with_name("smianalyze"))]
    surroundings = os.environ | {"_SMIANALYZE_COMPLETE": f"{shell}_source"}
    script = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True).stdout

    assert f"_SMIANALYZE_COMPLETE={shell}_complete" in script
