"""Commands and Python of README and docs/ run as they stand, and every command is documented."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from smianalyze.cli import cli

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
IN_CHINESE = ROOT / "README.zh-CN.md"
PAGES = [ROOT / "README.md", IN_CHINESE, *sorted((ROOT / "docs").glob("*.md"))]
# Kinds of code blocks that a test runs; text is an excerpt of an input or a picture of letters.
RUN_HERE = ("console", "pycon")
LANGUAGES = {*RUN_HERE, "sh", "text"}


def blocks(language: str) -> list[pytest.param]:
    """The code blocks of one language on all pages."""
    return [
        pytest.param(page, block, id=f"{page.name}: {block.partition(chr(10))[0]}")
        for page in PAGES
        for block in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    ]


@pytest.fixture
def beside_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which ``fixtures/`` is found as in the checkout, so that reports land elsewhere."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, **variables: str) -> str:
    """What a command of a page prints in a shell; ``smianalyze`` is the one beside this Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-c", command],
        # findings before the note on stderr, as on a terminal
        env=os.environ | {"PATH": path, "PYTHONUNBUFFERED": "1"} | variables,
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
    assert re.search("^```console$", README, re.MULTILINE)
    assert re.search("^```pycon$", README, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_block_says_its_language(page: Path) -> None:
    fences = re.findall(r"^ *```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)

    assert set(fences[0::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), blocks("console"))
def test_command_prints_what_the_page_shows(
    page: Path, block: str, beside_fixtures: Path, update_readme: bool
) -> None:
    locale = {"LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "zh_CN"} if page == IN_CHINESE else {}
    commands = re.findall(r"^\$ (.*)", block, re.MULTILINE)
    printed = "".join(f"$ {command}\n{run(command, **locale)}" for command in commands)
    if update_readme:
        page.write_text(page.read_text(encoding="utf-8").replace(block, printed), encoding="utf-8")
        return

    assert printed == block


@pytest.mark.parametrize(("page", "block"), blocks("pycon"))
def test_python_shows_what_the_page_shows(page: Path, block: str, beside_fixtures: Path) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, page.stem, page.name, 0)
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


def outline(page: Path) -> dict[str, list[str]]:
    """What a page holds that no language changes: its parts in their order."""
    text = re.sub(r"<!-- \[\[\[cog.*?\]\]\] -->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    code = re.findall(r"^```(?:sh|pycon)\n.*?^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {
        "headings": re.findall(r"^#+ ", text, re.MULTILINE),
        "code": [re.sub(r" +# .*", "", block) for block in code],
        "commands": re.findall(r"^\$ .*", text, re.MULTILINE),
        "rows": re.findall(r"^\| *(`[^`]*`|[^|]*?[0-9].*)", prose, re.MULTILINE),
        "named": sorted(set(re.findall(r"`[^`\n]+`", prose))),
        "links": sorted(set(re.findall(r"\]\(([^)]+)\)", prose)) - {"README.md", "README.zh-CN.md"}),
        "paragraphs": [str(len(re.findall(r"\n\n", prose)))],
    }


def test_readme_is_the_same_in_chinese() -> None:
    assert outline(IN_CHINESE) == outline(ROOT / "README.md")


def test_links_to_files_are_not_broken() -> None:
    targets = [
        (page, target)
        for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    ]

    assert [(page.name, target) for page, target in targets if not (page.parent / target).exists()] == []
