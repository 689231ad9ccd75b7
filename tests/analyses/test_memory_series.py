"""Memory over time: peak, growth after warm-up, and how fast a card filled."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from recordings import START, over_time


def memory(*mib: int | None, step_s: float = 1) -> pd.Series:
    return over_time({"memory_used_mib": list(mib)}, step_s=step_s).memory.iloc[0]


def test_the_first_peak_and_its_place() -> None:
    row = memory(0, 9000, 40000, 40000, 4)

    assert (row["rest_mib"], row["peak_mib"], row["peak_share"], row["line"]) == (0, 40000, 0.5, 4)
    assert row["peak_time"] == START + timedelta(seconds=2)


def test_growth_is_that_after_warm_up() -> None:
    warm_up = [0, 9000, 11000, 13000, 15000]
    row = memory(*warm_up, *(16000 + 30 * number for number in range(20)), step_s=3)

    assert row["slope_mib_per_s"] == pytest.approx(10)
    assert row["rising_share"] == 1


def test_one_jump_and_the_end_of_the_job_are_no_growth() -> None:
    row = memory(0, *[15000] * 20, *[15400] * 8, 9000, 0)

    assert row["slope_mib_per_s"] == 0


def test_many_samples_have_the_same_slope() -> None:
    row = memory(0, *range(20000, 30000))

    assert row["slope_mib_per_s"] == pytest.approx(1)
    assert row["slope_samples"] == 8000


def test_few_samples_have_no_slope() -> None:
    row = memory(0, 15000, 15000, 15000, 15000)

    assert pd.isna(row["slope_mib_per_s"])
    assert row["slope_samples"] == 3


def test_filling_before_the_work_ends_at_nine_tenths() -> None:
    row = memory(0, 4, 200, 400, 600, 610, 610, 15000, 15000)

    assert (row["fill_mib"], row["fill_s"], row["fill_mib_per_s"]) == (606, 3, pytest.approx(596 / 3))


def test_a_card_that_fills_at_once_has_no_filling() -> None:
    assert pd.isna(memory(0, 4, 15000, 15000)["fill_mib_per_s"])


def test_memory_that_was_there_from_the_start_did_not_fill() -> None:
    assert pd.isna(memory(600, 600, 15000, 15000, 0)["fill_mib_per_s"])


def test_unknown_memory_stays_unknown() -> None:
    row = memory(None, None)

    assert row["samples"] == 0
    assert row[["peak_mib", "peak_share", "slope_mib_per_s", "fill_mib_per_s"]].isna().all()
