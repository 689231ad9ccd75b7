"""Samples of top: values of each generation, rows alone, cuts, and what is no row of it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze

LOADED = (FIXTURES / "top" / "loader_bound_33.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("capture", captures("top"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_workers_that_wait_for_the_disk_are_told() -> None:
    capture = smianalyze.loads(LOADED)
    processes = capture.host_processes

    assert capture.hosts[["load_1", "cpu_iowait_pct", "mem_available_mib"]].to_numpy().tolist() == [
        [19.12, 20.0, 55816.3]
    ]
    assert processes.loc[processes["state"].eq("D"), "pid"].tolist() == [44182, 44183]
    assert processes["resident_mib"].iloc[0] == 12.4 * 1024
    assert processes["sample_line"].tolist() == [1] * 5


@pytest.mark.parametrize("end", range(0, len(LOADED), 29))
def test_cut_anywhere_gives_a_prefix_or_an_unknown(end: int) -> None:
    whole, cut = smianalyze.loads(LOADED), smianalyze.loads(LOADED[:end])

    for frame in ("hosts", "host_processes"):
        rows, known = getattr(whole, frame), getattr(cut, frame)
        same = known.isna() | (known == rows.head(len(known)))
        assert len(known) <= len(rows)
        assert same.fillna(value=True).drop(columns="source").all(axis=None)


def test_number_that_did_not_fit_is_unknown() -> None:
    (host,) = smianalyze.load(FIXTURES / "top" / "kib_33.txt").hosts.to_dict("records")

    assert pd.isna(host["mem_total_mib"])
    assert pd.isna(host["mem_available_mib"])
    assert host["mem_used_mib"] == 71250432 / 1024
    assert pd.isna(host["cpu_user_pct"])


def test_summary_without_processes_is_a_sample_each() -> None:
    lines = [line for line in LOADED.split("\n") if line.startswith(("%Cpu", "MiB Mem"))]

    capture = smianalyze.loads("\n".join([*lines, *lines, ""]))

    assert capture.hosts["cpu_iowait_pct"].tolist() == [20.0, 20.0]
    assert capture.hosts["line"].tolist() == [1, 3]


@pytest.mark.parametrize(
    "text",
    [
        "PID controller gains were tuned by hand\n  120 samples in all\n",
        "Cpu(s): many of them\nMem: 3 total\n",
        "  812 user 20 0 rows were read from the table of users and 7 were not\n",
        "1 2 3 4 5 6 7 8 9 10 11 12 13\n",
        "   12 eggs      20   0       0      0      0 Q   0.0   0.0   0:00.00 omelette\n",
        "Top - 10 tips for a load average: 1, 2, 3\n",
    ],
)
def test_other_text_is_no_sample(text: str) -> None:
    capture = smianalyze.loads(text)

    assert (len(capture.hosts), len(capture.host_processes), len(capture.problems)) == (0, 0, 0)


def test_row_that_breaks_off_is_told() -> None:
    capture = smianalyze.loads(LOADED + "   2202 root      20   0\n")

    assert capture.problems["line"].tolist() == [13]
    assert len(capture.host_processes) == 5


def test_host_is_named_by_the_caller() -> None:
    capture = smianalyze.loads(LOADED, host="node01")

    assert set(capture.hosts["host"]) | set(capture.host_processes["host"]) == {"node01"}
