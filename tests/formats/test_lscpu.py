from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze

FLAT = (FIXTURES / "lscpu" / "flat_238.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("capture", captures("lscpu"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_two_hosts_in_one_text_are_two_rows() -> None:
    indented = (FIXTURES / "lscpu" / "indented_237.txt").read_text(encoding="utf-8")

    assert smianalyze.loads(FLAT + indented).hosts["cpus"].tolist() == [32, 112]


@pytest.mark.parametrize("end", range(0, len(FLAT), 61))
def test_cut_anywhere_gives_the_same_or_less(end: int) -> None:
    whole, cut = smianalyze.loads(FLAT).hosts, smianalyze.loads(FLAT[:end]).hosts

    for column in ("cpus", "sockets", "cores_per_socket", "threads_per_core", "numa_nodes", "cpu_model"):
        assert all(pd.isna(value) or value == whole[column].iloc[0] for value in cut[column])


@pytest.mark.parametrize(
    "text",
    [
        "Socket(s): 2 were replaced\nCPU(s): 4\n",
        "CPU(s): 4\nMemory: 3\n",
        "Parameter(s):\n  Thread(s) per core: see the manual\n",
    ],
)
def test_other_text_is_no_host(text: str) -> None:
    assert len(smianalyze.loads(text).hosts) == 0
