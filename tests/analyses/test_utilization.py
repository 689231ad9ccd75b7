"""How busy each card was: level, shares, switches, the longest idle stretch and the rhythm."""

from __future__ import annotations

import math
from datetime import timedelta

import pandas as pd
import pytest
from recordings import START, frames, over_time, prints

from smianalyze.analyses.over_time import OverTime

BURST = [100, 100, 100, 0, 0, 0, 0, 0, 0, 0]


def only(over: OverTime) -> pd.Series:
    assert len(over.utilization) == 1
    return over.utilization.iloc[0]


def use(*percent: int | None, step_s: float = 1) -> pd.Series:
    return only(over_time({"utilization_gpu_pct": list(percent), "memory_used_mib": 9000}, step_s=step_s))


def test_level_and_spread() -> None:
    row = use(0, 100, 50, 50, 100, 0)

    assert (row["samples"], row["mean_pct"], row["p50_pct"]) == (6, 50, 50)
    assert row["std_pct"] == pytest.approx(math.sqrt(2000))
    assert row["variance_pct2"] == pytest.approx(2000)
    assert row["variation"] == pytest.approx(math.sqrt(2000) / 50)
    assert (row["p5_pct"], row["p95_pct"]) == (0, 100)


def test_idle_is_up_to_five_and_busy_from_ninety_percent() -> None:
    row = use(5, 6, 89, 90)

    assert (row["idle_share"], row["busy_share"]) == (0.25, 0.25)


def test_an_unknown_sample_is_no_sample() -> None:
    row = use(100, None, 50)

    assert (row["samples"], row["mean_pct"], row["idle_share"]) == (2, 75, 0)


def test_switches_are_counted_a_minute() -> None:
    row = use(0, 9, 9, 0, 0, 9, 0)

    assert (row["switches"], row["switches_per_min"]) == (4, 40)


def test_a_gap_is_no_switch_and_ends_an_idle_stretch() -> None:
    times = [START + timedelta(seconds=at + 0.5) for at in (0, 1, 2, 3, 4, 30, 31)]
    columns = {"utilization_gpu_pct": [0, 0, 9, 9, 9, 0, 0], "memory_used_mib": 9000}
    row = only(OverTime(frames(prints(columns, times=times))))

    assert (row["switches"], row["longest_idle_s"]) == (1, 2)


def test_the_longest_idle_stretch_lasts_until_the_next_busy_sample() -> None:
    assert use(0, 0, 50, 0, 0, 0, 50, 0, step_s=2)["longest_idle_s"] == 6


def test_the_idle_head_does_not_thin_the_job() -> None:
    over = over_time({"memory_used_mib": [0, 0, 9000, 9000], "utilization_gpu_pct": [0, 0, 80, 100]})
    row = only(over)

    assert (row["mean_pct"], row["active_mean_pct"]) == (45, 90)
    assert (row["samples"], row["active_samples"], row["active_idle_share"]) == (4, 2, 0)


def test_a_card_that_never_says_its_utilization_has_no_numbers() -> None:
    over = over_time({"utilization_gpu_pct": [None, None]}, {"utilization_gpu_pct": [1, 2]})
    row = over.utilization.iloc[0]

    assert (row["gpu_index"], row["samples"]) == (0, 0)
    assert row[["mean_pct", "idle_share", "switches", "longest_idle_s", "period_s"]].isna().all()


def test_without_times_nothing_is_said_in_seconds() -> None:
    columns = {"utilization_gpu_pct": BURST * 6, "memory_used_mib": 9000}
    row = only(OverTime(frames(prints(columns, times=[None] * 60))))

    assert (row["mean_pct"], row["switches"], row["period_verdict"]) == (30, 11, "no times")
    assert row[["switches_per_min", "longest_idle_s", "period_s"]].isna().all()


def test_a_steady_rhythm_is_found() -> None:
    row = use(*BURST * 6, step_s=0.2)

    assert row["period_verdict"] == "periodic"
    assert row["period_s"] == pytest.approx(2)
    assert row["period_strength"] > 0.7


def test_a_rhythm_is_found_though_its_cycles_vary_and_its_spikes_fill_one_sample() -> None:
    waits = (8, 10, 8, 8, 9, 9, 10, 8, 9, 9, 8, 10)
    row = use(*(percent for wait in waits for percent in (50, *[0] * (wait - 1))), step_s=0.2)

    assert row["period_s"] == pytest.approx(1.8, abs=0.2)


def test_the_multiple_of_a_rhythm_is_not_taken_for_it() -> None:
    assert use(*[90, 90, 0, 0, 95, 95, 0, 0] * 12)["period_s"] == pytest.approx(4)


@pytest.mark.parametrize(
    ("verdict", "percent"),
    [
        ("steady", [97, 99, 98, 100] * 20),
        ("too few samples", BURST),
        ("too fast for the samples", [0, 99] * 20),
        ("too fast for the samples", [0, 0, 99] * 20),
        ("too fast for the samples", [0, 99, 99, 0, 0, 99, 0, 99, 0, 0, 99, 99, 0, 99, 0, 0, 99, 0, 99, 99] * 2),
        ("irregular", [0] * 30 + [99] * 30),  # one change is no rhythm
        ("irregular", [0] * 20 + [99] + [0] * 20 + [99] + [0] * 20),  # and two spikes have a distance
    ],
)
def test_what_is_no_rhythm_has_no_period(verdict: str, percent: list[int]) -> None:
    row = use(*percent)

    assert row["period_verdict"] == verdict
    assert pd.isna(row["period_s"])


def test_a_rhythm_is_looked_for_on_one_side_of_a_gap() -> None:
    times = [START + timedelta(seconds=number * 0.2 + 3 * (number >= 60)) for number in range(80)]
    columns = {"utilization_gpu_pct": BURST * 8, "memory_used_mib": 9000}
    row = only(OverTime(frames(prints(columns, times=times))))

    assert row["period_s"] == pytest.approx(2)
