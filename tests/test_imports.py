"""Imports go one way, nothing reaches for the network or runs data as code, and ``--help`` is quick."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "smianalyze"

# A module imports only from rows above its own; inside a package its modules may import each other.
ROWS = (
    ("chinese", "columns", "errors", "identities", "missing_files", "private_fields", "progress"),
    ("language", "wrapping"),
    ("quantities", "repeating_lines"),
    (
        "charsets",
        "line_shapes",
        "long_lines",
        "shapes",
    ),
    ("offsets",),
    ("cell_slots", "frame_parts"),
    ("cell_columns", "growing"),
    ("decode", "fields", "output", "prefixes", "rendered", "safe", "secret_text", "unpack", "unwrap"),
    ("markup", "masking", "stored", "terminal"),
    ("export", "source"),
    ("repair",),
    ("reader",),
    ("formats",),
    ("dating", "frames"),
    ("gathered", "impossible", "line_states", "log_pieces", "log_rules", "repeats"),
    ("log_shapes", "log_values"),
    ("log_found",),
    ("log_chosen",),
    ("log_records",),
    ("log_at_once", "log_reading"),
    ("blocks",),
    ("watch",),
    ("reading",),
    ("sections",),
    ("findings",),
    ("analyses",),
    ("cards",),
    ("figures",),
    ("plots", "report"),
    ("compared", "hints", "written"),
    ("capture", "options", "redaction", "run_pair"),
    ("commands", "fleet"),
    ("long_export",),
    ("cli",),
)
ROW = {name: number for number, names in enumerate(ROWS) for name in names}

BANNED_MODULES = {"socket", "urllib", "http", "subprocess", "pickle", "marshal"}
BANNED_CALLS = {"eval", "exec"}
# Pandas is not to be had without it, and its version is for pandas to say.
WITH_PANDAS = "numpy"
IMPORTED_AS = {"markdown-it-py": "markdown_it"}
HEAVY = ("lark", "matplotlib", "numpy", "pandas")


def modules() -> list[pytest.param]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in paths]


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in the tree, inside functions too, as a dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls(tree: ast.AST) -> Iterator[tuple[str, set[str | None]]]:
    """The last name and the keywords of every call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2], {keyword.arg for keyword in node.keywords}


def test_every_module_has_a_row() -> None:
    names = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}

    assert names - {"__init__"} - set(ROW) == set()


@pytest.mark.parametrize("path", modules())
def test_module_imports_only_from_rows_above(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own == "__init__":
        return  # the public names: it may import anything, and nothing imports it
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = {name.split(".")[1] for name in imported(tree) if name.startswith("smianalyze.")}
    ours -= {own, "__version__"}

    assert sorted(name for name in ours if ROW[name] >= ROW[own]) == []


@pytest.mark.parametrize("path", modules())
def test_module_is_offline_and_runs_no_data(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {name for name in imported(tree) if name.split(".")[0] in BANNED_MODULES}
    found |= {name for name, _ in calls(tree) if name in BANNED_CALLS}
    # Lark's cache is a pickle in a folder that others may write.
    found |= {f"{name}(cache=…)" for name, keywords in calls(tree) if "Lark" in name and "cache" in keywords}

    assert found == set()


@pytest.mark.parametrize("path", modules())
def test_module_imports_only_declared_packages(path: Path) -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = project["dependencies"] + [line for name in extras if name != "dev" for line in extras[name]]
    packages = {re.split(r"[^\w-]", requirement)[0] for requirement in requirements}
    declared = {IMPORTED_AS.get(package, package) for package in packages}
    used = {name.split(".")[0] for name in imported(ast.parse(path.read_text(encoding="utf-8")))}

    assert used - sys.stdlib_module_names - {"smianalyze", WITH_PANDAS} - declared == set()


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from smianalyze.cli import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        f"sys.stderr.write(' '.join(name for name in {HEAVY} if name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "Usage" in run.stdout
    assert run.stderr == ""


@pytest.mark.slow
def test_help_answers_at_once() -> None:
    command = [str(Path(sys.executable).with_name("smianalyze")), "--help"]

    def seconds() -> float:
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        return time.perf_counter() - start

    # The best of several: a busy machine slows some runs, a slow import slows all.
    assert min(seconds() for _ in range(7)) < 0.3
