"""Examples in docstrings run as they stand, beside the captures of the demo."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

PACKAGE = Path(__file__).resolve().parents[1] / "smianalyze"
FEWEST = 8
WITH_EXAMPLES = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.fixture
def beside_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for capture in (FIXTURES / "demo").glob("*.txt"):
        (tmp_path / capture.name).symlink_to(capture)
    monkeypatch.chdir(tmp_path)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=module_of)
@pytest.mark.usefixtures("beside_the_demo")
def test_examples_of_a_module_run(path: Path) -> None:
    result = doctest.testmod(import_module(module_of(path)))

    assert result.attempted > 0
    assert result.failed == 0


def test_front_door_has_examples() -> None:
    assert (PACKAGE / "capture.py").read_text(encoding="utf-8").count(">>> ") >= FEWEST
