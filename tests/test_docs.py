"""README's commands and Python run as they stand, and every command is documented."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from smianalyze.cli import cli

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```pycon\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def beside_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which ``fixtures/`` is found as in the checkout, so that reports land elsewhere."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str) -> str:
    """What a README command prints; ``smianalyze`` is the one beside this Python."""
    program, *arguments = shlex.split(command)
    assert program == "smianalyze"
    here = Path(sys.executable).parent
    done = subprocess.run(
        [here / program, *arguments],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},  # findings before the note on stderr, as on a terminal
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def commands() -> list[pytest.param]:
    return [pytest.param(command, id=name) for name, command in sorted(cli.commands.items())]


def test_readme_has_console_and_python_examples() -> None:
    assert CONSOLE
    assert PYTHON


@pytest.mark.slow
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: block.partition("\n")[0])
def test_readme_command_prints_what_readme_shows(block: str, beside_fixtures: Path, update_readme: bool) -> None:
    printed = "".join(f"$ {command}\n{run(command)}" for command in re.findall(r"^\$ (.*)", block, re.MULTILINE))
    if update_readme:
        PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(block, printed), encoding="utf-8")
        return

    assert printed == block


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.partition("\n")[0])
def test_readme_python_shows_what_readme_shows(block: str, beside_fixtures: Path) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)

    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("command", commands())
def test_command_has_help_and_stands_in_readme(command: click.Command) -> None:
    assert command.help
    assert f"smianalyze {command.name}" in README


@pytest.mark.slow
@pytest.mark.parametrize("command", commands())
def test_example_in_help_works(command: click.Command, beside_fixtures: Path) -> None:
    for capture in (ROOT / "fixtures" / "demo").glob("*.txt"):
        (beside_fixtures / capture.name).symlink_to(capture)
    (example,) = re.findall(r"^ *Example: (.+)$", command.help or "", re.MULTILINE)

    assert run(example)


@pytest.mark.parametrize("command", commands())
def test_option_has_help(command: click.Command) -> None:
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]

    assert [option.name for option in options if not option.help] == []


def test_links_to_files_are_not_broken() -> None:
    targets = [
        (page.name, target)
        for page in ROOT.glob("*.md")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    ]

    assert [(page, target) for page, target in targets if not (ROOT / target).exists()] == []
