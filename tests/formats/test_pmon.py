"""Process monitor: names with blanks, cards without a process, cuts, ticks, and NVML's own series as truth."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from monitor_texts import known, pmon_prints, read, text_of, wrong_after_cut

import smianalyze
from smianalyze.formats import monitor, pmon

H200 = Path(os.environ.get("SMIANALYZE_SHARED", FIXTURES.parents[1] / "shared")) / "corpus" / "h200"
SERIES = ("ddp", "ddpbug", "fed", "leak", "starved")
NEAR = pd.Timedelta(seconds=2)  # pmon prints full seconds, and what it prints is up to a second old
ROUNDED = 1  # pmon prints whole MiB

HEAD = """\
# gpu         pid   type     sm    mem    enc    dec    command
# Idx           #    C/G      %      %      %      %    name
"""
ROW = "    0        812     C     74     34      -      -    python         \n"
IDLE = "    1          -     -      -      -      -      -    -              \n"


@pytest.mark.parametrize("capture", captures("pmon"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("pmon"))
def test_cut_at_any_byte_gives_a_prefix_or_an_unknown(capture: Path) -> None:
    text = text_of(capture)

    assert wrong_after_cut("pmon", text, range(1, len(text))) == {}


@settings(max_examples=60, deadline=None)
@given(pmon_prints())
def test_print_of_any_columns_and_names_is_read(made: tuple[str, list[dict[str, object]]]) -> None:
    text, rows = made
    reading = read("pmon", text)

    assert known(reading.rows.get("processes", [])) == rows
    assert reading.problems == []
    assert len(reading.used) == text.count("\n")


@settings(max_examples=60, deadline=None)
@given(pmon_prints(), st.data())
def test_cut_of_any_print_says_nothing_wrong(
    made: tuple[str, list[dict[str, object]]], data: st.DataObject
) -> None:
    text, _ = made
    cuts = data.draw(st.lists(st.integers(1, len(text) - 1), min_size=1, max_size=20))

    assert wrong_after_cut("pmon", text, cuts) == {}


def test_card_without_a_process_is_a_tick_and_no_row() -> None:
    reading = read("pmon", HEAD + IDLE)

    assert "processes" not in reading.rows
    assert [row["process_section"] for row in reading.rows["snapshots"]] == ["empty"]
    assert reading.used == {1, 2, 3}


def test_card_without_a_process_beside_one_with_is_listed() -> None:
    reading = read("pmon", HEAD + ROW + IDLE + ROW + IDLE)

    assert [row["process_section"] for row in reading.rows["snapshots"]] == ["listed", "listed"]
    assert [row["snapshot"] for row in reading.rows["processes"]] == [0, 1]


def test_process_that_comes_again_begins_a_tick() -> None:
    rows = "".join(ROW.replace("812", pid) for pid in ("812", "813", "812", "814"))
    reading = read("pmon", HEAD + rows)

    assert [(row["snapshot"], row["pid"]) for row in reading.rows["processes"]] == [
        (0, 812),
        (0, 813),
        (1, 812),
        (1, 814),
    ]


def test_other_process_at_another_time_begins_a_tick() -> None:
    head = "#Time      " + HEAD.replace("# ", "   ", 1).replace("# Idx", "#HH:MM:SS     Idx")
    rows = [
        f" 21:52:0{second}   {ROW.replace('812', pid)}" for second, pid in ((1, "812"), (1, "813"), (2, "814"))
    ]
    reading = read("pmon", head + "".join(rows))

    assert [row["snapshot"] for row in reading.rows["processes"]] == [0, 0, 1]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("pyth", None),
        ("python        ", None),  # 14 characters: a blank and another word may follow
        ("python         ", "python"),
        ("Video Player.ex", None),
        ("Video Player.exe", "Video Player.exe"),
    ],
)
def test_name_at_an_open_end_is_known_once_its_cell_is_full(cell: str, name: str | None) -> None:
    reading = read("pmon", HEAD + ROW[: ROW.index("python")] + cell)

    (row,) = reading.rows["processes"]
    assert row.get("process_name") == name
    assert [problem.what for problem in reading.problems] == ([] if name else [monitor.CUT])


@pytest.mark.parametrize(
    "row",
    [
        "    0        812     C     74     34      -\n",
        "    0        812     C     7x     34      -      -    python\n",
        "    0          -     C     74     34      -      -    python\n",
    ],
)
def test_row_that_does_not_fit_is_a_problem_and_no_row(row: str) -> None:
    reading = read("pmon", HEAD + ROW + row)

    assert len(reading.rows["processes"]) == 1
    assert [problem.line for problem in reading.problems] == [4]


@pytest.mark.parametrize(
    "text",
    [
        "# gpu pid command\n0 812 python\n",
        "# gpu pid type command owner\n    0   812   C   python   me\n",
        "3 of 12 cards are done\n",
        "    0        812     x     74     34      -      -    python\n",
    ],
)
def test_foreign_text_is_not_touched(text: str) -> None:
    capture = smianalyze.loads(text)

    assert (len(capture.processes), len(capture.snapshots), len(capture.problems)) == (0, 0, 0)


def test_prose_between_rows_is_no_row() -> None:
    reading = read("pmon", HEAD + ROW + "1 card of 2 is busy now, as one can see\n" + ROW)

    assert len(reading.rows["processes"]) == 2
    assert reading.problems == []


def test_rows_without_a_header_are_one_problem() -> None:
    (problem,) = read("pmon", ROW * 2 + IDLE).problems

    assert (problem.line, problem.what) == (1, monitor.NO_HEADER.format(rows=3))


def test_units_alone_name_the_columns() -> None:
    without_header = HEAD.splitlines(keepends=True)[1]

    assert known(read("pmon", without_header + ROW).rows["processes"]) == known(
        read("pmon", HEAD + ROW).rows["processes"]
    )


@pytest.mark.parametrize("scene", SERIES)
def test_series_agrees_with_nvml(scene: str) -> None:
    if not H200.exists():
        pytest.skip("the shared corpora are not beside this checkout")
    truth = pd.read_csv(H200 / f"{scene}_truth_proc.csv", parse_dates=["time"])
    processes = smianalyze.load(H200 / f"{scene}_pmon.txt").processes
    inside = processes[processes["time"].between(truth["time"].min() + NEAR, truth["time"].max() - NEAR)]

    wrong = [
        (row["line"], row["pid"], row["used_gpu_memory_mib"])
        for row in inside.to_dict("records")
        if not _is_near(row["used_gpu_memory_mib"], truth[_is_about(truth, row)]["mem_mib"])
    ]

    assert len(inside) > 5
    assert wrong == []


def _is_about(truth: pd.DataFrame, row: dict[str, object]) -> pd.Series:
    return (
        (truth["index"] == row["gpu_index"])
        & (truth["pid"] == row["pid"])
        & ((truth["time"] - row["time"]).abs() <= NEAR)
    )


def _is_near(value: float, near: pd.Series) -> bool:
    return bool(near.min() - ROUNDED <= value <= near.max() + ROUNDED)


def test_long_series_takes_few_parses() -> None:
    before = pmon.LINES.parses
    rows = "".join(ROW.replace("74", str(10 + tick % 90)) for tick in range(900))

    assert len(read("pmon", HEAD + rows).rows["processes"]) == 900
    assert pmon.LINES.parses - before <= 3
