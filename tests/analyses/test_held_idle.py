"""Cards that hold memory while nothing runs on them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from recordings import START, Columns, frames, prints
from text_tables import frames_of

from smianalyze.analyses.series import seen_over_time
from smianalyze.findings import Finding
from smianalyze.frames import Frames

JOB = [0, *[15000] * 30, 0]
IDLE = [0, *[0] * 30, 0]
SPIKES = [0, *[0, 0, 0, 0, 0, 0, 48, 0, 0, 0] * 3, 0]


def held(capture: Frames) -> list[Finding]:
    return [finding for finding in seen_over_time(capture, None) if finding.id == "held-but-idle"]


def recorded(*cards: Columns, step_s: float = 1, **shared: object) -> list[Finding]:
    return held(frames(prints(*cards, step_s=step_s, **shared)))


def test_memory_is_held_and_nothing_runs() -> None:
    (finding,) = recorded({"memory_used_mib": JOB, "utilization_gpu_pct": IDLE})

    assert finding.title == (
        "GPU 0 holds 15,000 MiB and is idle: at most 5 % busy in 100 % of 30 samples over 29 seconds."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("medium", "medium", (0,))
    assert [place.line for place in finding.evidence] == [3, 32]


def test_a_card_that_is_being_loaded_is_idle_for_a_reason() -> None:
    loading = [0, *range(2000, 62000, 2000)]

    assert recorded({"memory_used_mib": loading, "utilization_gpu_pct": 0}) == []


def test_spikes_in_one_of_ten_samples_are_told() -> None:
    (finding,) = recorded({"memory_used_mib": JOB, "utilization_gpu_pct": SPIKES})

    assert "in 90 % of 30 samples" in finding.title
    assert "spikes of up to 48 %" in finding.why


def test_ten_idle_minutes_are_costly() -> None:
    (finding,) = recorded({"memory_used_mib": JOB, "utilization_gpu_pct": IDLE}, step_s=30)

    assert (finding.severity, finding.confidence) == ("high", "high")


def test_idle_cards_of_a_host_are_one_finding() -> None:
    (finding,) = recorded(
        {"memory_used_mib": JOB, "utilization_gpu_pct": IDLE},
        {"memory_used_mib": [2 * mib for mib in JOB], "utilization_gpu_pct": IDLE},
    )

    assert finding.title.startswith("GPU 0 and 1 hold 15,000 to 30,000 MiB and are idle")
    assert finding.gpus == (0, 1)


@pytest.mark.parametrize(
    ("why", "card"),
    [
        ("it works", {"memory_used_mib": JOB, "utilization_gpu_pct": [0, *[80] * 30, 0]}),
        ("it works often enough", {"memory_used_mib": JOB, "utilization_gpu_pct": [0, *[0, 0, 0, 50, 0] * 6, 0]}),
        ("only the driver's own", {"memory_used_mib": 4, "utilization_gpu_pct": IDLE}),
        ("utilization is unknown", {"memory_used_mib": JOB, "utilization_gpu_pct": None}),
        ("memory is unknown", {"memory_used_mib": None, "utilization_gpu_pct": IDLE}),
        (
            "a desktop keeps that much",
            {"memory_used_mib": 900, "utilization_gpu_pct": IDLE, "display_active": "On"},
        ),
        (
            "it is held in a small part of the time",
            {"memory_used_mib": [0, *[600] * 25, *[9000] * 6], "utilization_gpu_pct": [*IDLE[:28], 0, 99, 99, 99]},
        ),
    ],
)
def test_no_card_is_blamed_where(why: str, card: Columns) -> None:
    assert recorded(card) == [], why


def test_a_job_that_has_just_begun_is_loading() -> None:
    card = {"memory_used_mib": [*[0] * 20, *[15000] * 15], "utilization_gpu_pct": 0}

    assert recorded(card) == []


def test_a_card_that_others_hold_is_judged_while_the_job_runs() -> None:
    others = {"memory_used_mib": 14561, "utilization_gpu_pct": IDLE}
    job = {"memory_used_mib": JOB, "utilization_gpu_pct": [0, *[99] * 30, 0]}
    (finding,) = recorded(others, job)

    assert finding.gpus == (0,)


def test_one_print_says_at_that_moment_only() -> None:
    (finding,) = held(
        frames_of(
            gpus="""
            snapshot gpu_index memory_used_mib utilization_gpu_pct
            0        0         14561           0
            0        1         11691           27
            0        2         4               0
            0        3         20000           3
            """
        )
    )

    assert finding.title == "GPU 0 and 3 hold 14,561 to 20,000 MiB at 0 to 3 % utilization at that moment."
    assert (finding.severity, finding.confidence) == ("low", "low")
    assert [place.line for place in finding.evidence] == [1, 4]


def test_of_two_prints_the_last_one_counts() -> None:
    capture = frames_of(
        gpus="""
        snapshot gpu_index memory_used_mib utilization_gpu_pct
        0        0         14561           0
        1        0         31022           80
        """
    )

    assert held(capture) == []


def test_seconds_of_a_gap_do_not_count() -> None:
    times: list[datetime | None] = [
        START + timedelta(seconds=second + 900 * (second > 20)) for second in range(100)
    ]
    job = {"memory_used_mib": [0, *[9000] * 99], "utilization_gpu_pct": 0}
    (finding,) = held(frames(prints(job, times=times)))

    assert finding.title.endswith("over 97 seconds.")
    assert finding.severity == "medium"
