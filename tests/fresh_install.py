"""Build the package and install it alone, away from the checkout, so that a packaging fault cannot hide.

    python tests/fresh_install.py FOLDER

The new environment holds smianalyze as a user gets it and borrows every other package from this one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Where the other packages are; their folder is borrowed without its .pth files, so that an editable
# install of this checkout beside them stays out of sight.
BORROWED = Path(pytest.__file__).resolve().parents[1]


def build(kind: Literal["wheel", "sdist"], folder: Path) -> Path:
    """The distribution of this checkout, built in a copy: no earlier build can leak into it."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "source"
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.egg-info"))
        run("-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(folder), str(source))
    (distribution,) = folder.iterdir()
    return distribution


def install(distribution: Path, folder: Path) -> Path:
    """The Python of a new environment in ``folder`` in which the distribution is installed."""
    venv.create(folder, clear=True)
    python = folder / "bin" / "python"
    paths = sysconfig.get_paths(scheme="venv", vars={"base": str(folder), "platbase": str(folder)})
    (Path(paths["purelib"]) / "borrowed.pth").write_text(f"{BORROWED}\n")
    pip = ("-m", "pip", "--python", str(python), "--disable-pip-version-check")
    run(*pip, "install", "--no-deps", "--no-build-isolation", "--ignore-installed", str(distribution))
    return python


def run(*arguments: str) -> None:
    """Run this Python on the arguments; show what it says only when it fails."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        install(build("wheel", Path(scratch)), Path(sys.argv[1]))
