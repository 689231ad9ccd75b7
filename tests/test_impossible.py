"""A value that cannot be is unknown, its line is a problem, and all others stay."""

from __future__ import annotations

import pandas as pd
import pytest

from smianalyze import loads
from smianalyze.columns import FRAMES
from smianalyze.impossible import BOUNDS
from smianalyze.reading import read_text
from smianalyze.source import from_text

HEADER = (
    "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
    "temperature.gpu, fan.speed [%]"
)
ROW = {
    "utilization_gpu_pct": "99 %",
    "memory_used_mib": "30000 MiB",
    "memory_total_mib": "81559 MiB",
    "power_draw_w": "600.00 W",
    "temperature_gpu_c": "60",
    "fan_speed_pct": "30 %",
}


def csv(*rows: dict[str, str]) -> str:
    """A CSV of one card."""
    lines = [
        ", ".join([f"2026/11/30 19:00:{second:02d}.000", "0", "NVIDIA H100 80GB HBM3", *(ROW | row).values()])
        for second, row in enumerate(rows)
    ]
    return "\n".join([HEADER, *lines, ""])


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("utilization_gpu_pct", "101 %"),
        ("utilization_gpu_pct", "-1 %"),
        ("memory_used_mib", "-5 MiB"),
        ("memory_used_mib", "17592186044415 MiB"),
        ("power_draw_w", "-3.00 W"),
        ("power_draw_w", "4294967.29 W"),
        ("temperature_gpu_c", "4000"),
        ("fan_speed_pct", "-1 %"),
    ],
)
def test_impossible_value_is_unknown_and_its_line_a_problem(name: str, printed: str) -> None:
    capture = loads(csv({}, {name: printed}, {}))
    value = printed.split(maxsplit=1)[0] if "." not in printed else float(printed.split(maxsplit=1)[0])

    assert capture.gpus[name].isna().tolist() == [False, True, False]
    assert capture.gpus[[other for other in ROW if other != name]].notna().all(axis=None)
    assert capture.problems[["line", "what"]].to_numpy().tolist() == [
        [3, f"{name} cannot be {value}; it is unknown"]
    ]
    (counts,) = capture.inputs[["lines", "used", "ignored", "problem_lines"]].to_numpy().tolist()
    assert counts == [4, 3, 0, 1]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("utilization_gpu_pct", "100 %"),
        ("memory_used_mib", "81559 MiB"),
        ("temperature_gpu_c", "-5"),
        ("fan_speed_pct", "120 %"),
    ],
)
def test_what_is_only_odd_stays(name: str, printed: str) -> None:
    capture = loads(csv({name: printed}))

    assert capture.gpus[name].tolist() == [int(printed.split(maxsplit=1)[0])]
    assert capture.problems.empty


@pytest.mark.parametrize("year", ["0001", "1969", "2926", "9999"])
@pytest.mark.parametrize("in_blocks", [True, False])
def test_time_that_cannot_be_is_unknown(year: str, *, in_blocks: bool) -> None:
    text = from_text(csv({}, {}, {}).replace("2026/11/30 19:00:01", f"{year}/11/30 19:00:01"))
    rows = read_text(text, in_blocks=in_blocks).all_rows()

    for frame in ("snapshots", "gpus"):
        assert [pd.notna(row.get("time")) for row in rows[frame]] == [True, False, True]
    assert [row["line"] for row in rows["problems"]] == [3]


def test_of_more_in_use_than_there_is_both_are_unknown() -> None:
    capture = loads(csv({"memory_used_mib": "90000 MiB"}))

    assert capture.gpus[["memory_used_mib", "memory_total_mib"]].isna().all(axis=None)
    assert capture.problems["what"].tolist() == ["memory_used_mib cannot be 90000 of 81559; it is unknown"]


def test_rows_and_blocks_give_the_same() -> None:
    rows = [
        {},
        {"memory_used_mib": "-5 MiB", "utilization_gpu_pct": "250 %"},
        {"memory_used_mib": "90000 MiB"},
    ] * 9
    text = from_text(csv(*rows))
    at_once, one_by_one = (read_text(text, in_blocks=way).all_rows() for way in (True, False))

    for frame in ("gpus", "problems", "inputs"):
        old, new = (pd.DataFrame(found[frame]) for found in (one_by_one, at_once))
        pd.testing.assert_frame_equal(old.sort_index(axis=1), new.sort_index(axis=1), check_dtype=False)


def test_step_of_negative_time_is_no_step_time() -> None:
    capture = loads("step 1 loss 2.0 step_time -0.5s\nstep 2 loss 1.9 step_time 0.5s\n")

    assert capture.steps["step_time_s"].tolist() == [pd.NA, 0.5]
    assert len(capture.problems) == 1


def test_bounds_are_of_declared_columns() -> None:
    unknown = {
        (frame, name)
        for frame, bounds in BOUNDS.items()
        for name in bounds
        if name not in {column.name for column in FRAMES[frame]}
    }

    assert unknown == set()
