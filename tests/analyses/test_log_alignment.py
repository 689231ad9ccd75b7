"""A log and a recording: one clock, another zone, no date, no clock at all, and what cannot be told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES
from recordings import START, frames, prints

from smianalyze.analyses.log_alignment import Alignment, log_alignments
from smianalyze.analyses.over_time import OverTime
from smianalyze.reading import read_inputs
from smianalyze.source import open_inputs

H200 = Path(os.environ.get("SMIANALYZE_SHARED", FIXTURES.parents[1] / "shared")) / "corpus" / "h200"
IDLE_S, JOB_S = 60, 600
MEMORY = [500] * IDLE_S + [40_000] * JOB_S + [500] * IDLE_S
FIRST = START + timedelta(seconds=IDLE_S + 20)


def steps(count: int = 56, **columns: Sequence[object]) -> list[dict[str, object]]:
    """Records ten seconds apart of which some columns are known."""
    return [
        {"source": "train.log", "line": 1 + place, "step": place, "loss": 1.0}
        | {name: values[place] for name, values in columns.items()}
        for place in range(count)
    ]


def clock(count: int = 56, *, first: datetime = FIRST) -> list[datetime]:
    return [first + timedelta(seconds=10 * place) for place in range(count)]


def aligned(rows: list[dict[str, object]], memory: Sequence[int] = MEMORY) -> Alignment:
    recording = prints({"memory_used_mib": list(memory), "utilization_gpu_pct": 50})
    (found,) = log_alignments(OverTime(frames(recording, steps=rows)))
    return found


def test_one_clock_is_left_as_it_is() -> None:
    found = aligned(steps(time=clock()))

    assert (found.basis, found.offset_s) == ("clock", 0)
    assert found.times.tolist() == [pd.Timestamp(time) for time in clock()]


@pytest.mark.parametrize("hours", [-8, 5.75, 1, 14])
def test_another_zone_is_moved_by_its_hours(hours: float) -> None:
    found = aligned(steps(time=clock(first=FIRST + timedelta(hours=hours))))

    assert (found.basis, found.offset_s) == ("zone", -hours * 3600)
    assert found.times.tolist() == [pd.Timestamp(time) for time in clock()]
    assert f"differs by {hours:+g} h" in found.sentence()


def test_log_of_another_day_is_not_moved() -> None:
    found = aligned(steps(time=clock(first=FIRST + timedelta(days=3))))

    assert (found.basis, found.offset_s) == (None, None)
    assert found.times.isna().all()


def test_shorter_log_in_another_zone_cannot_be_told() -> None:
    assert aligned(steps(12, time=clock(12, first=FIRST + timedelta(hours=2)))).basis is None


def test_time_of_day_gets_the_date_of_the_recording() -> None:
    found = aligned(steps(printed_time=[f"{time:%H:%M:%S}" for time in clock()]))

    assert found.basis == "date"
    assert found.times.iloc[-1] == pd.Timestamp(clock()[-1])


def test_date_without_year_gets_that_of_the_recording() -> None:
    found = aligned(steps(printed_time=[f"{time:%m/%d %H:%M:%S}" for time in clock()]))

    assert found.basis == "date"
    assert found.times.iloc[0] == pd.Timestamp(FIRST)


def test_clock_that_runs_across_midnight_goes_on_the_next_day() -> None:
    times = [START.replace(hour=23, minute=59) + timedelta(seconds=10 * place) for place in range(56)]
    recording = prints(
        {"memory_used_mib": [500] * 10 + [9_000] * 46, "utilization_gpu_pct": 50}, times=times, step_s=10
    )
    rows = steps(40, printed_time=[f"{time:%H:%M:%S}" for time in times[10:50]])

    (found,) = log_alignments(OverTime(frames(recording, steps=rows)))

    assert found.times.tolist() == [pd.Timestamp(time) for time in times[10:50]]


def test_log_without_a_clock_is_laid_onto_the_job() -> None:
    found = aligned(steps(elapsed_s=[10.0 * place for place in range(56)]))

    middle = found.times.iloc[0] + (found.times.iloc[-1] - found.times.iloc[0]) / 2
    assert (found.basis, found.offset_s) == ("plateau", None)
    assert abs((middle - pd.Timestamp(START + timedelta(seconds=IDLE_S + JOB_S / 2))).total_seconds()) < 2
    assert 20 <= found.uncertainty_s <= 26


def test_log_of_another_length_is_not_laid_anywhere() -> None:
    assert aligned(steps(elapsed_s=[2.0 * place for place in range(56)])).basis is None
    assert aligned(steps(elapsed_s=[20.0 * place for place in range(56)])).basis is None


def test_job_that_was_there_all_the_time_says_no_place() -> None:
    recording = prints({"memory_used_mib": 40_000, "utilization_gpu_pct": [0] * 5 + [0] * 715})
    rows = steps(elapsed_s=[10.0 * place for place in range(56)])

    (found,) = log_alignments(OverTime(frames(recording, steps=rows)))

    assert (found.basis, found.sentence()) == (None, "where it stands in the recording cannot be told")


def test_without_a_recording_there_is_nothing() -> None:
    assert log_alignments(OverTime(frames(steps=steps(time=clock())))) == []


@pytest.mark.skipif(not H200.exists(), reason="the shared corpora are not beside this checkout")
@pytest.mark.parametrize(
    ("scene", "basis"),
    [("starved", "clock"), ("fed", "clock"), ("leak", "clock"), ("imbalance", "clock"), ("hf", "plateau")],
)
def test_real_logs_stand_where_their_job_ran(scene: str, basis: str) -> None:
    over = OverTime(read_inputs(open_inputs(H200 / f"{scene}_gpu.csv", H200 / f"{scene}_train.log")))
    (found,) = log_alignments(over)
    ran = over.spans.hosts.iloc[0]

    assert found.basis == basis
    assert found.times.min() >= ran["start"] - pd.Timedelta(seconds=2)
    assert found.times.max() <= ran["end"] + pd.Timedelta(seconds=2)
