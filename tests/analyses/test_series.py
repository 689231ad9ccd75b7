"""Properties of everything that is computed over time."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from datetime import timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import START, Columns, frames, prints

from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.series import seen_over_time
from smianalyze.frames import Frames

PERCENT = st.one_of(st.none(), st.sampled_from([0, 3, 50, 99, 100]))
MIB = st.one_of(st.none(), st.sampled_from([0, 4, 600, 20000, 79000]))
PARTS = ("sampling", "breaks", "utilization", "memory", "power", "throttling", "between_cards", "processes")


@st.composite
def cards(draw: st.DrawFn) -> list[Columns]:
    size = draw(st.integers(1, 25))
    every = st.lists(
        st.tuples(PERCENT, MIB, st.one_of(st.none(), st.floats(0, 700))), min_size=size, max_size=size
    )
    names = ("utilization_gpu_pct", "memory_used_mib", "power_draw_w")
    return [
        {name: list(values) for name, values in zip(names, zip(*draw(every), strict=True), strict=True)}
        for _ in range(draw(st.integers(1, 3)))
    ]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(cards(), st.data())
def test_a_recording_in_two_files_is_the_same_recording(columns: list[Columns], data: st.DataObject) -> None:
    whole = prints(*columns, step_s=0.5)
    cut = data.draw(st.integers(0, len(whole)))
    parts = [
        [[{**row, "source": name} for row in rows] for rows in part]
        for name, part in (("1.csv", whole[:cut]), ("2.csv", whole[cut:]))
    ]

    for name in ("utilization", "power"):
        pd.testing.assert_frame_equal(
            getattr(OverTime(frames(*parts)), name), getattr(OverTime(frames(whole)), name)
        )


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(cards(), st.lists(st.one_of(st.none(), st.integers(-20, 20)), min_size=25, max_size=25))
def test_times_in_any_order_or_unknown_stop_nothing(columns: list[Columns], seconds: list[int | None]) -> None:
    times = [None if second is None else START + timedelta(seconds=second) for second in seconds]
    capture = frames(prints(*columns, times=times))
    over = OverTime(capture)

    assert all(len(getattr(over, name).columns) for name in PARTS)
    assert all(finding.title.endswith(".") for finding in seen_over_time(capture, None))


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(cards())
def test_shares_are_shares_and_parts_are_no_more_than_the_whole(columns: list[Columns]) -> None:
    over = OverTime(frames(prints(*columns)))
    use, power = over.utilization, over.power

    assert use[["idle_share", "busy_share", "active_idle_share"]].stack().dropna().between(0, 1).all()
    assert (use["active_samples"] <= use["samples"]).all()
    assert (power["active_energy_wh"] <= power["energy_wh"] + 1e-9).fillna(True).all()
    assert (over.memory["rest_mib"] <= over.memory["peak_mib"]).fillna(True).all()


def test_a_capture_without_cards_has_empty_tables() -> None:
    over = OverTime(frames())

    assert all(getattr(over, name).empty for name in PARTS)
    assert seen_over_time(frames(), None) == []


def test_a_capture_is_asked_once_and_a_part_of_it_anew() -> None:
    whole = frames(prints({"memory_used_mib": [1, 2, 3]}))
    part = replace(whole, gpus=whole.gpus.head(1))
    asked: list[int] = []

    def rows(of: Frames) -> int:
        asked.append(len(of.gpus))
        return len(of.gpus)

    assert [whole.once(rows), whole.once(rows), part.once(rows)] == [3, 3, 1]
    assert asked == [3, 1]


def test_a_capture_that_is_not_needed_any_more_is_freed_at_once() -> None:
    whole = frames(prints({"memory_used_mib": [1, 2, 3]}))
    over = whole.once(OverTime)
    kept = weakref.ref(over)
    gc.disable()  # a circle would go only with the collector, and a folder of captures would fill the memory
    try:
        del whole, over

        assert kept() is None
    finally:
        gc.enable()
