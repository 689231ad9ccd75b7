"""The public names are those of ``smianalyze.__all__``, and asking for them loads no more than is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import smianalyze

PROMISED = {"load", "loads", "compare", "Capture", "Finding", "SmianalyzeError"}


def test_promised_names_are_public() -> None:
    assert set(smianalyze.__all__) >= PROMISED


@pytest.mark.parametrize("name", sorted(smianalyze.__all__))
def test_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(smianalyze, name).__doc__


def test_public_names_are_sorted_and_listed() -> None:
    assert list(smianalyze.__all__) == sorted(smianalyze.__all__)
    assert set(smianalyze.__all__) <= set(dir(smianalyze))


def test_importing_the_package_is_cheap() -> None:
    program = "import sys, smianalyze; print([m for m in ('lark', 'matplotlib', 'pandas') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "[]\n"
