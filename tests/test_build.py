"""The built package works on its own: installed elsewhere, from the wheel and from the sdist."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import fresh_install
import pytest

import smianalyze

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module", params=["wheel", "sdist"])
def smianalyze_elsewhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment into which the distribution was installed."""
    folder = tmp_path_factory.mktemp(request.param)
    python = fresh_install.install(fresh_install.build(request.param, folder / "dist"), folder / "venv")
    return python.with_name("smianalyze")


def test_installed_command_parses_a_fixture(smianalyze_elsewhere: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [smianalyze_elsewhere, "frames", ROOT / "fixtures" / "demo" / "smi_after.txt", "--format", "json"],
        cwd=tmp_path,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert [row["memory_used_mib"] for row in json.loads(run.stdout)] == [31022, 27533]


def test_python_that_is_started_in_the_checkout_reads_a_fixture_too(smianalyze_elsewhere: Path) -> None:
    program = (
        "import smianalyze; from importlib.resources import files; print(smianalyze.__file__)\n"
        "after = files('smianalyze.demo') / 'smi_after.txt'\n"
        "print(smianalyze.load(str(after)).gpus['memory_used_mib'].max())"
    )
    run = subprocess.run(
        [smianalyze_elsewhere.with_name("python"), "-c", program],
        cwd=ROOT,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.split() == [str(ROOT / "smianalyze" / "__init__.py"), "31022"]


def test_wheel_holds_every_module_grammar_and_demo_capture(tmp_path: Path) -> None:
    with zipfile.ZipFile(fresh_install.build("wheel", tmp_path)) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    own = (path for kind in ("py", "json", "typed") for path in (ROOT / "smianalyze").rglob(f"*.{kind}"))
    modules = {path.relative_to(ROOT).as_posix() for path in own}
    grammars = {f"smianalyze/grammars/{path.name}" for path in (ROOT / "grammars").glob("*.*")}
    demo = {f"smianalyze/demo/{path.name}" for path in (ROOT / "fixtures" / "demo").glob("*.*")}

    assert held == modules | grammars | demo


@pytest.mark.skipif("SMIANALYZE_TEST_INSTALLED" not in os.environ, reason="only `make test` installs the build")
def test_these_tests_run_against_the_installed_package() -> None:
    assert ROOT / "smianalyze" not in Path(smianalyze.__file__).resolve().parents
    assert "site-packages" in Path(smianalyze.__file__).parts
