"""How regularly a recording was made: interval, gaps, seconds that several prints share, clocks that jump."""

from __future__ import annotations

from datetime import datetime, timedelta

import pandas as pd
import pytest
from recordings import START, frames, prints

from smianalyze.analyses.over_time import OverTime

UNKNOWN = {"jitter_s", "duplicates"}


def recorded(*seconds: float | None, source: str = "run.csv") -> OverTime:
    times = [None if at is None else START + timedelta(seconds=at) for at in seconds]
    return OverTime(frames(prints({"utilization_gpu_pct": [0] * len(times)}, times=times, source=source)))


def only(over: OverTime) -> pd.Series:
    (row,) = (over.sampling.iloc[number] for number in range(len(over.sampling)))
    return row


def test_interval_is_the_median_and_jitter_the_usual_distance_from_it() -> None:
    row = only(recorded(0.1, 0.3, 0.5, 0.72, 0.9))

    assert row["interval_s"] == pytest.approx(0.2)
    assert row["jitter_s"] == pytest.approx(0.01)
    assert (row["prints"], row["gaps"], row["duplicates"], row["clock_jumps"]) == (5, 0, 0, 0)
    assert row["duration_s"] == pytest.approx(0.8)


def test_whole_seconds_are_averaged_as_rounding_moves_their_median() -> None:
    row = only(recorded(0, 1, 2, 4, 5, 6, 8))

    assert row["interval_s"] == pytest.approx(8 / 6)
    assert row[list(UNKNOWN)].isna().all()


def test_prints_that_share_a_second_are_spread_over_it() -> None:
    over = recorded(0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3)

    assert over.series.at.tolist() == [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]
    assert only(over)["interval_s"] == pytest.approx(0.25)


def test_two_recordings_are_spread_each_for_itself() -> None:
    first = prints({"utilization_gpu_pct": [0, 0]}, times=[START, START], source="a")
    second = prints({"utilization_gpu_pct": [0]}, times=[START], source="b")
    over = OverTime(frames(first, second))

    assert over.series.ticks["seconds"].tolist() == [0, 0.5, 0]


def test_a_pause_of_more_than_three_steps_is_a_gap() -> None:
    over = recorded(0.5, 1.5, 2.5, 5.5, 6.5, 10.5, 11.5)
    (gap,) = over.breaks.to_dict("records")

    assert (gap["kind"], gap["length_s"], gap["line"]) == ("gap", 4, 7)
    assert gap["after"] == START + timedelta(seconds=10.5)
    assert only(over)["missing_s"] == 3


def test_a_clock_that_goes_back_is_no_gap() -> None:
    over = recorded(0.5, 1.5, 2.5, 1.7, 2.7)

    assert over.breaks["kind"].tolist() == ["clock jump"]
    assert (only(over)["clock_jumps"], only(over)["gaps"]) == (1, 0)


def test_prints_of_the_same_moment_are_duplicates() -> None:
    assert only(recorded(0.5, 1.5, 1.5, 2.5))["duplicates"] == 1


def test_prints_without_times_have_no_interval() -> None:
    row = only(recorded(None, None, None))

    assert row["prints"] == 3
    assert row[["start", "duration_s", "interval_s", "gaps"]].isna().all()


def test_one_moment_has_no_interval() -> None:
    row = only(recorded(0, 0, 0))

    assert row["start"] == datetime(2026, 11, 30, 19)
    assert pd.isna(row["interval_s"])
