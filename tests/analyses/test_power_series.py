"""Power over time: level, share of the limit, and energy with what it leaves out."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from recordings import START, frames, over_time, prints

from smianalyze.analyses.over_time import OverTime


def power(*watts: float | None, at: list[float] | None = None, **columns: object) -> pd.Series:
    times = None if at is None else [START + timedelta(seconds=second) for second in at]
    return OverTime(frames(prints({"power_draw_w": list(watts), **columns}, times=times))).power.iloc[0]


def test_level_and_share_of_the_limit() -> None:
    row = power(100, 300, 200)

    assert (row["mean_w"], row["peak_w"], row["mean_share"], row["peak_share"]) == (200, 300, 0.5, 0.75)


def test_energy_is_the_area_under_straight_lines() -> None:
    row = power(0, 360, 360, at=[0.5, 10.5, 40.5])

    assert row["energy_wh"] == pytest.approx((1800 + 360 * 30) / 3600)
    assert (row["counted_s"], row["left_out_s"]) == (40, 0)


def test_a_gap_is_left_out_and_said() -> None:
    row = power(360, 360, 360, 360, at=[0.5, 1.5, 2.5, 102.5])

    assert row["energy_wh"] == pytest.approx(2 * 360 / 3600)
    assert (row["counted_s"], row["left_out_s"]) == (2, 100)


def test_a_clock_that_goes_back_takes_no_energy_away() -> None:
    row = power(360, 360, 360, 360, 360, at=[0.5, 1.5, 2.5, 1.6, 2.6])

    assert row["energy_wh"] == pytest.approx(3 * 360 / 3600)


def test_the_error_is_what_half_the_samples_would_have_changed() -> None:
    row = power(0, 360, 0, 360, 0, at=[0, 1, 2, 3, 4])

    assert row["energy_wh"] == pytest.approx(4 * 180 / 3600)
    assert row["energy_error_wh"] == pytest.approx(4 * 180 / 3600)


def test_steady_power_has_no_error() -> None:
    assert power(*[300] * 7)["energy_error_wh"] == 0


def test_energy_of_the_job_is_a_part() -> None:
    row = power(100, 100, 360, 360, 100, memory_used_mib=[0, 0, 9000, 9000, 0])

    assert row["active_mean_w"] == 360
    assert row["active_energy_wh"] == pytest.approx(360 / 3600)


def test_without_a_limit_there_is_no_share_of_it() -> None:
    row = over_time({"power_draw_w": [100, 200]}, power_limit_w=None).power.iloc[0]

    assert row["mean_w"] == 150
    assert row[["limit_w", "mean_share", "peak_share"]].isna().all()


def test_without_times_there_is_no_energy() -> None:
    row = OverTime(frames(prints({"power_draw_w": [100, 200]}, times=[None, None]))).power.iloc[0]

    assert row["mean_w"] == 150
    assert row[["energy_wh", "energy_error_wh", "counted_s"]].isna().all()
