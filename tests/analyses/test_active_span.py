"""When the job ran: memory says it first, then utilization."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from recordings import START, frames, over_time, prints

from smianalyze.analyses.over_time import OverTime


def spans(over: OverTime) -> list[tuple[object, object, object]]:
    """First and last second of each host, and how it is known."""
    rows = over.spans.hosts.to_dict("records")
    return [
        (*((row[end] - START).total_seconds() for end in ("start", "end")), row["basis"])
        if pd.notna(row["start"])
        else (None, None, row["basis"])
        for row in rows
    ]


def test_idle_head_context_and_tail_are_cut_off() -> None:
    over = over_time({"memory_used_mib": [0, 600, 600, 15000, 15000, 15000, 4, 0]})

    assert spans(over) == [(3, 5, "memory grew")]


def test_memory_of_other_people_is_no_job() -> None:
    over = over_time(
        {"memory_used_mib": [14561, 14561, 31022, 31022, 14561]}, {"memory_used_mib": [0, 4, 15000, 0, 0]}
    )

    assert spans(over) == [(2, 3, "memory grew")]


def test_the_span_reaches_over_all_cards_of_a_host() -> None:
    over = over_time({"memory_used_mib": [0, 9000, 0, 0, 0]}, {"memory_used_mib": [0, 0, 0, 9000, 0]})

    assert spans(over) == [(1, 3, "memory grew")]
    assert over.utilization["active_samples"].tolist() == [0, 0]


def test_a_job_longer_than_the_recording_fills_it_although_its_memory_moves() -> None:
    over = over_time({"memory_used_mib": [70000, 70400, 70000, 70900]})

    assert spans(over) == [(0, 3, "memory held")]


@pytest.mark.parametrize("memory", [4, None])
def test_without_memory_utilization_decides(memory: int | None) -> None:
    over = over_time({"memory_used_mib": memory, "utilization_gpu_pct": [0, 5, 6, 0, 99, 0]})

    assert spans(over) == [(2, 4, "utilization")]


def test_where_nothing_ran_there_is_no_span() -> None:
    over = over_time({"memory_used_mib": 4, "utilization_gpu_pct": [0, 5, 0]})

    assert over.spans.hosts.isna().all(axis=None)
    assert over.spans.of_cards == (None,)


def test_hosts_have_their_own_spans() -> None:
    ours = prints({"memory_used_mib": [0, 9000, 0]}, host="a")
    theirs = prints({"memory_used_mib": [0, 0, 9000]}, host="b")

    assert spans(OverTime(frames(ours, theirs))) == [(1, 1, "memory grew"), (2, 2, "memory grew")]


def test_prints_without_times_have_a_span_of_prints() -> None:
    over = OverTime(
        frames(prints({"memory_used_mib": [0, 9000, 9000, 0], "utilization_gpu_pct": 7}, times=[None] * 4))
    )

    assert spans(over) == [(None, None, "memory grew")]
    assert over.utilization["active_samples"].tolist() == [2]


def test_the_times_of_a_span_are_those_of_the_prints() -> None:
    over = over_time({"memory_used_mib": [0, 9000, 9000, 0]}, step_s=0.207)

    assert over.spans.hosts["end"].tolist() == [pd.Timestamp(START + timedelta(seconds=0.414))]
