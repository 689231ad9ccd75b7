"""Blocks of metrics: counters in brackets, units of each framework, evaluation, cuts."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze

OLMO = (FIXTURES / "log_blocks" / "olmo.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("capture", captures("log_blocks"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_units_are_those_that_the_framework_means() -> None:
    steps = smianalyze.loads(OLMO).steps

    assert steps["gpu_mem_mib"].iloc[0] == 36_412 * 1_000_000 / 2**20
    assert steps["gpu_mem_active_mib"].iloc[1] == 41.5 * 1024
    assert steps["mfu"].iloc[1] == pytest.approx(0.412)
    assert steps["time"].dt.strftime("%H:%M:%S.%f").tolist() == ["18:43:24.712000", "12:00:01.123000"]


@pytest.mark.parametrize("end", range(1, len(OLMO), 9))
def test_cut_anywhere_gives_right_numbers(end: int) -> None:
    whole, cut = smianalyze.loads(OLMO).steps, smianalyze.loads(OLMO[:end]).steps

    for column in ("step", "loss", "tokens_per_s", "gpu_mem_mib", "data_time_s"):
        known = cut[column].dropna()
        assert known.tolist() == whole[column][known.index].tolist()


@pytest.mark.parametrize(
    "text",
    [
        "see [step=5/100] of the manual\n    and so on\n",
        "[epoch=1][batch=2/5]:\n",
        "[epoch=1][batch=2/5]:\n\t Eval loss/train/total: 3.5\n",
        "options [batch=32]\n    --train/loss=3\n",
        "[step=3/10]\n    weight decay=0.1\n",
    ],
)
def test_other_text_gives_no_step(text: str) -> None:
    assert len(smianalyze.loads(text).steps) == 0
