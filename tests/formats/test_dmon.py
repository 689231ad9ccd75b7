"""Device monitor: columns by header, cuts, what is not a row of it, and NVML's own series as truth."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from monitor_texts import dmon_prints, known, read, text_of, wrong_after_cut

import smianalyze
from smianalyze.formats import dmon, monitor

H200 = Path(os.environ.get("SMIANALYZE_SHARED", FIXTURES.parents[1] / "shared")) / "corpus" / "h200"
SERIES = ("ddp", "ddpbug", "fed", "imbalance", "leak", "starved")
TRUTH = {
    "power_draw_w": "power_w",
    "temperature_gpu_c": "temp_c",
    "clocks_current_sm_mhz": "sm_mhz",
    "clocks_current_memory_mhz": "mem_mhz",
    "memory_used_mib": "mem_used_mib",
    "utilization_gpu_pct": "util_gpu",
    "utilization_memory_pct": "util_mem",
}
NEAR = pd.Timedelta(seconds=2)  # dmon prints full seconds, and what it prints is up to a second old
ROUNDED = 1  # dmon prints whole numbers

HEAD = """\
# gpu    pwr  gtemp     sm   mclk   pclk
# Idx      W      C      %    MHz    MHz
"""
ROW = "    0    300     50     99   2619   1980\n"


@pytest.mark.parametrize("capture", captures("dmon"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("dmon"))
def test_cut_at_any_byte_gives_a_prefix_or_an_unknown(capture: Path) -> None:
    text = text_of(capture)

    assert wrong_after_cut("dmon", text, range(1, len(text))) == {}


@settings(max_examples=60, deadline=None)
@given(dmon_prints())
def test_print_of_any_blocks_times_and_widths_is_read(made: tuple[str, list[dict[str, object]]]) -> None:
    text, rows = made
    reading = read("dmon", text)

    assert known(reading.rows["gpus"]) == rows
    assert reading.problems == []
    assert len(reading.used) == text.count("\n")


@settings(max_examples=60, deadline=None)
@given(dmon_prints(), st.data())
def test_cut_of_any_print_says_nothing_wrong(
    made: tuple[str, list[dict[str, object]]], data: st.DataObject
) -> None:
    text, _ = made
    cuts = data.draw(st.lists(st.integers(1, len(text) - 1), min_size=1, max_size=20))

    assert wrong_after_cut("dmon", text, cuts) == {}


def test_value_that_touches_the_cut_is_unknown() -> None:
    reading = read("dmon", HEAD + ROW[:-2])

    assert known(reading.rows["gpus"]) == [
        {
            "gpu_index": 0,
            "power_draw_w": 300.0,
            "temperature_gpu_c": 50,
            "utilization_gpu_pct": 99,
            "clocks_current_memory_mhz": 2619,
        }
    ]
    assert [(problem.line, problem.what) for problem in reading.problems] == [(3, monitor.CUT)]


def test_short_row_above_others_keeps_only_what_stands_under_its_header() -> None:
    reading = read("dmon", HEAD + "    0    300     5\n" + ROW)

    assert known(reading.rows["gpus"])[0] == {"gpu_index": 0, "power_draw_w": 300.0}
    assert len(reading.problems) == 1


def test_missing_cell_shifts_no_value() -> None:
    reading = read("dmon", HEAD + "    0    300            99   2619   1980\n" + ROW)

    assert known(reading.rows["gpus"])[0] == {"gpu_index": 0, "power_draw_w": 300.0}
    assert len(reading.problems) == 1


@pytest.mark.parametrize(
    "row",
    [
        "0 300 50 99 2619\n",  # no columns to stand in
        "    0    300     50     99   2619   1980     12\n",
        "    0    300     5?     99   2619   1980\n",
        "    0    300     50     99   2619  19.80\n",
    ],
)
def test_row_that_does_not_fit_is_a_problem_and_no_row(row: str) -> None:
    reading = read("dmon", HEAD + ROW + row)

    assert len(reading.rows["gpus"]) == 1
    assert [problem.line for problem in reading.problems] == [4]


def test_value_wider_than_its_column_pushes_the_others() -> None:
    text = HEAD + "    0    300     50     99 12345678   1980\n"

    assert known(read("dmon", text).rows["gpus"])[0]["clocks_current_memory_mhz"] == 12345678
    assert wrong_after_cut("dmon", text, range(1, len(text))) == {}


def test_columns_may_change_in_the_middle() -> None:
    reading = read("dmon", HEAD + ROW + "# gpu     fb   bar1\n# Idx     MB     MB\n    0  14561  14562\n")

    assert known(reading.rows["gpus"])[1] == {
        "gpu_index": 0,
        "memory_used_mib": 14561,
        "bar1_memory_used_mib": 14562,
    }


def test_tick_ends_where_the_index_does_not_rise() -> None:
    rows = "".join(f"    {gpu}    300     50     99   2619   1980\n" for gpu in (0, 1, 0, 1, 1))
    reading = read("dmon", HEAD + rows)

    assert [row["snapshot"] for row in reading.rows["gpus"]] == [0, 0, 1, 1, 2]


def test_tick_may_straddle_a_second_and_not_more() -> None:
    head = "#Time         gpu    pwr\n#HH:MM:SS     Idx      W\n"
    rows = [(f" 19:35:{second}       {gpu}     80\n") for second, gpu in ((52, 0), (53, 1), (54, 0), (57, 1))]
    reading = read("dmon", head + "".join(rows))

    assert [row["snapshot"] for row in reading.rows["gpus"]] == [0, 0, 1, 2]


def test_same_printed_second_twice_is_two_ticks() -> None:
    head = "#Date        Time         gpu    pwr\n#YYYYMMDD    HH:MM:SS     Idx      W\n"
    reading = read("dmon", head + " 20261130    19:35:53       0    122\n" * 2)

    assert [(row["snapshot"], str(row["time"])) for row in reading.rows["snapshots"]] == [
        (0, "2026-11-30 19:35:53"),
        (1, "2026-11-30 19:35:53"),
    ]


@pytest.mark.parametrize(
    ("head", "row", "printed"),
    [
        ("#Time         gpu    pwr\n#HH:MM:SS     Idx      W\n", " 21:51:26       0     78\n", "21:51:26"),
        ("#Date         gpu    pwr\n#YYYYMMDD     Idx      W\n", " 20261130       0     78\n", "20261130"),
        (
            "#Date        Time         gpu    pwr\n#YYYYMMDD    HH:MM:SS     Idx      W\n",
            " 20261350    19:35:53       0    122\n",
            "20261350 19:35:53",
        ),
    ],
)
def test_half_a_time_is_no_time(head: str, row: str, printed: str) -> None:
    (snapshot,) = read("dmon", head + row).rows["snapshots"]

    assert (snapshot["time"], snapshot["printed_time"]) == (None, printed)


def test_rows_above_the_first_header_take_it_if_they_stand_the_same() -> None:
    reading = read("dmon", ROW + HEAD + ROW)

    assert [row["clocks_current_sm_mhz"] for row in reading.rows["gpus"]] == [1980, 1980]


@pytest.mark.parametrize(
    "text",
    [
        ROW * 3,  # no header at all
        ROW * 3 + "user@host:~$\n" + HEAD + ROW,  # not directly above
        "    0    300     50\n" * 3 + HEAD + ROW,  # of another number of columns
    ],
)
def test_rows_without_a_header_are_one_problem(text: str) -> None:
    problems = read("dmon", text).problems

    assert [(problem.line, problem.what) for problem in problems] == [(1, monitor.NO_HEADER.format(rows=3))]


def test_fragment_without_a_header_is_told_to_the_user() -> None:
    (problem,) = smianalyze.loads(ROW * 3).problems.to_dict("records")

    assert (problem["format"], problem["line"]) == ("dmon", 1)


@pytest.mark.parametrize(
    "text",
    [
        "# gpu mem usage\nfraction: 0.9\n",
        "# gpu memory\n0.9\n",
        "# gpu sm\n",
        "x = 1  # gpu mem\ny = 2\n",
        "# gpu vgpu sm mem\n# Idx Id % %\n    0  3251634249  12  3\n",
        "#Entity   GPUTL\nGPU 0     97\n",
        "1 2 3\n4 5 6\n",
        "     1     2     3\n     4     5     6\n",
        "# gpu sm mem sm\n# Idx % % %\n    0  1  2  3\n",
    ],
)
def test_foreign_text_is_not_touched(text: str) -> None:
    capture = smianalyze.loads(text)

    assert (len(capture.gpus), len(capture.snapshots), len(capture.problems)) == (0, 0, 0)
    assert capture.inputs["used"].sum() == 0


def test_text_between_rows_is_left_to_others() -> None:
    lines = [
        *(HEAD + ROW).splitlines(),
        "Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error",
    ]
    capture = smianalyze.loads("\n".join([*lines, "step 1 of 5", "0 1 2 3 4 5", ROW]))

    assert capture.gpus["line"].tolist() == [3, 7]
    assert capture.events["kind"].tolist() == ["gpu_lost"]


def test_foreign_numbers_below_prose_are_no_row() -> None:
    reading = read("dmon", HEAD + ROW + "The matrix:\n  0 1 2 3 4 5\n")

    assert len(reading.rows["gpus"]) == 1
    assert reading.problems == []


@pytest.mark.parametrize(
    "label",
    ["[rank0]: ", "0: ", "Nov 30 19:35:52 node1 smi[77]: ", "19:35:52.120 ", "> ", "2026-11-30T19:35:52.1Z "],
)
def test_label_before_every_line_is_undone(label: str) -> None:
    plain, labelled = read("dmon", HEAD + ROW * 2), read("dmon", _with_label(label, HEAD + ROW * 2))

    assert labelled.rows == plain.rows
    assert labelled.problems == []


def test_ranks_that_write_through_each_other_keep_their_ticks() -> None:
    print_of_two = (FIXTURES / "dmon" / "two_cards_580.txt").read_text().splitlines()
    reading = read("dmon", "".join(f"{rank}: {line}\n" for line in print_of_two for rank in (0, 1)))
    alone = read("dmon", "\n".join([*print_of_two, ""]))

    assert known(reading.rows["gpus"]) == known(alone.rows["gpus"]) * 2
    assert [row["snapshot"] for row in reading.rows["gpus"]] == [0, 0, 1, 1, 2, 2, 3, 3]


def _with_label(label: str, text: str) -> str:
    return "".join(label + line + "\n" for line in text.splitlines())


def test_header_behind_a_row_that_was_cut_is_read() -> None:
    reading = read("dmon", HEAD + ROW + "    0    30" + HEAD + ROW)

    assert [row["power_draw_w"] for row in reading.rows["gpus"]] == [300.0, 300.0]
    assert [problem.line for problem in reading.problems] == [4]


def test_rows_of_both_monitors_may_be_mixed() -> None:
    text = (FIXTURES / "dmon" / "two_cards_580.txt").read_text() + (FIXTURES / "pmon" / "idle_580.txt").read_text()
    capture = smianalyze.loads(text)

    assert capture.inputs.loc[0, ["format", "used", "problem_lines"]].tolist() == ["dmon+pmon", 12, 0]
    assert (len(capture.gpus), len(capture.processes)) == (4, 0)


def test_both_monitors_may_write_through_each_other() -> None:
    one, other = ((FIXTURES / name / "two_cards_580.txt").read_text().splitlines() for name in ("dmon", "pmon"))
    capture = smianalyze.loads("\n".join([*one[:2], *other[:2], *one[2:4], *other[2:7], *one[4:], *other[7:], ""]))

    assert (len(capture.gpus), len(capture.processes), len(capture.problems)) == (4, 10, 0)


@pytest.mark.parametrize(
    "head",
    [
        "# gpu   vgpu     sm    mem    enc    dec\n# Idx     Id      %      %      %      %\n",
        "# Idx     Id      %      %      %      %\n",
    ],
)
def test_rows_below_the_header_of_another_command_are_not_read(head: str) -> None:
    reading = read("dmon", HEAD + ROW + head + ROW)

    assert len(reading.rows["gpus"]) == 1


@pytest.mark.parametrize("scene", SERIES)
def test_series_agrees_with_nvml(scene: str) -> None:
    if not H200.exists():
        pytest.skip("the shared corpora are not beside this checkout")
    truth = pd.read_csv(H200 / f"{scene}_truth_gpu.csv", parse_dates=["time"])
    gpus = smianalyze.load(H200 / f"{scene}_dmon.txt").gpus
    inside = gpus[gpus["time"].between(truth["time"].min() + NEAR, truth["time"].max() - NEAR)]

    wrong = [
        (row["line"], column, row[column])
        for row in inside.to_dict("records")
        for column, field in TRUTH.items()
        if not _is_near(row[column], truth[_is_about(truth, row)][field])
    ]

    assert len(inside) > 20
    assert wrong == []


def _is_about(truth: pd.DataFrame, row: dict[str, object]) -> pd.Series:
    return (truth["index"] == row["gpu_index"]) & ((truth["time"] - row["time"]).abs() <= NEAR)


def _is_near(value: float, near: pd.Series) -> bool:
    return bool(near.min() - ROUNDED <= value <= near.max() + ROUNDED)


def test_long_series_takes_few_parses() -> None:
    before = dmon.LINES.parses
    reading = read(
        "dmon", HEAD + "".join(f"    0    {300 + tick % 90}     50     99   2619   1980\n" for tick in range(900))
    )

    assert len(reading.rows["gpus"]) == 900
    assert dmon.LINES.parses - before <= 3
