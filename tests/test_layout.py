"""Each format has its file in four places, and every module is small enough to read in one go."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from fixture_pairs import captures

import smianalyze
from smianalyze.formats import FORMATS, Format

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "smianalyze"
NAMES = [found.name for found in FORMATS]
# Formats without a grammar of our own: a standard reader parses them.
READ_BY_A_LIBRARY = {"smi_xml"}
# Grammars that several formats share.
SHARED_GRAMMARS = {"common", "smi_document"}
# A module's name says what is inside; these names say nothing.
NOTHING_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "core", "misc"}
MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 40
MAX_INDENT = 3
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.FunctionDef)


def modules() -> list[pytest.param]:
    return [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in sorted(PACKAGE.rglob("*.py"))]


def functions(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def deepest_line(node: ast.AST, depth: int = 0) -> int:
    """How many blocks the deepest statement stands in; an ``elif`` is no deeper than its ``if``."""
    below = [0]
    for child in ast.iter_child_nodes(node):
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        below.append(deepest_line(child, depth + (isinstance(child, BLOCKS) and not is_elif)))
    return max(depth, *below)


@pytest.mark.parametrize("name", NAMES)
def test_format_has_its_four_places(name: str) -> None:
    places = [
        ROOT / "smianalyze" / "formats" / f"{name}.py",
        ROOT / "fixtures" / name,
        ROOT / "tests" / "formats" / f"test_{name}.py",
    ]
    if name not in READ_BY_A_LIBRARY:
        places.append(ROOT / "grammars" / f"{name}.lark")

    assert [str(place.relative_to(ROOT)) for place in places if not place.exists()] == []


@pytest.mark.parametrize("name", NAMES)
def test_format_has_fixture_pairs(name: str) -> None:
    pairs = captures(name)

    assert [pair.id for pair in pairs if not pair.values[0].with_suffix(".json").exists()] == []


@pytest.mark.parametrize("name", NAMES)
def test_fixture_has_a_line_in_sources(name: str) -> None:
    sources = (ROOT / "fixtures" / "SOURCES.md").read_text(encoding="utf-8")

    assert [pair.id for pair in captures(name) if f"{name}/{pair.id}" not in sources] == []


@pytest.mark.parametrize("found", FORMATS, ids=NAMES)
def test_format_has_a_readme_row(found: Format) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"| {found.title} | `{found.command}` |" in readme


@pytest.mark.parametrize("found", FORMATS, ids=NAMES)
def test_sample_is_read_by_its_own_format(found: Format) -> None:
    (row,) = smianalyze.loads(found.sample).inputs.to_dict("records")

    assert (row["format"], row["problem_lines"]) == (found.name, 0)
    assert row["used"] > 0


def test_grammars_and_formats_are_pairs() -> None:
    stems = {path.stem for path in (ROOT / "grammars").glob("*.lark")}

    assert stems - SHARED_GRAMMARS == set(NAMES) - READ_BY_A_LIBRARY


def test_every_package_is_listed() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in PACKAGE.rglob("__init__.py")}

    assert set(setuptools["packages"]) == found | set(setuptools["package-dir"])


@pytest.mark.parametrize("path", modules())
def test_module_is_small_and_named_for_what_it_holds(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    long = {
        node.name: size
        for node in functions(path)
        if (size := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    }
    deep = {node.name: depth for node in functions(path) if (depth := deepest_line(node)) > MAX_INDENT}

    assert lines <= MAX_MODULE_LINES
    assert long == {}
    assert deep == {}
    assert path.stem not in NOTHING_NAMES
