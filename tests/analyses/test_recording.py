"""Whether a recording is dense and whole enough."""

from __future__ import annotations

from datetime import timedelta

from recordings import START, frames, prints

from smianalyze.analyses.series import seen_over_time
from smianalyze.findings import Finding

STEADY = {"memory_used_mib": 9000, "power_draw_w": 300.0}
FAST = [0, 99, 99, 0, 0, 99, 0, 99, 0, 0, 99, 99, 0, 99, 0, 0, 99, 0, 99, 99]


def recorded(*seconds: float, source: str = "run.csv") -> list[Finding]:
    times = [START + timedelta(seconds=second + 0.1) for second in seconds]
    return seen_over_time(frames(prints({**STEADY, "utilization_gpu_pct": [99] * len(times)}, times=times)), None)


def used(*percent: int, step_s: float = 1, **columns: object) -> list[Finding]:
    card = {**STEADY, "utilization_gpu_pct": list(percent), **columns}
    return seen_over_time(frames(prints(card, step_s=step_s)), None)


def test_a_job_between_two_prints() -> None:
    (finding,) = used(*[99] * 12, memory_used_mib=[*[0] * 8, 9000, 9000, 0, 0], step_s=60)

    assert finding.title == "Only 2 prints fell into the 60 seconds in which the job ran."
    assert (finding.id, finding.severity, finding.gpus) == ("sampling-too-coarse", "info", (0,))
    assert [place.line for place in finding.evidence] == [10, 11]


def test_a_card_that_swings_faster_than_the_prints() -> None:
    (finding,) = used(*FAST)

    assert finding.title == (
        "GPU 0 goes on and off from one print to the next, 13 times in 20 prints: too fast for prints 1.0 seconds "
        "apart."
    )
    assert "-lms 200" in finding.next_step


def test_more_often_than_the_driver_averages_is_dense_enough() -> None:
    assert used(*FAST, step_s=0.2) == []


def test_a_busy_card_needs_no_denser_prints() -> None:
    assert used(*[99, 60, 98, 45, 97] * 4) == []


def test_a_pause_is_a_gap_with_its_place() -> None:
    (finding,) = recorded(*range(20), *range(60, 80), *range(100, 110))

    assert finding.title == "Nothing is recorded for 62 of 109 seconds (2 gaps, the longest 41 seconds)."
    assert (finding.id, finding.severity) == ("gap-in-series", "low")
    assert [place.line for place in finding.evidence] == [22, 42]


def test_a_small_gap_in_a_long_recording_is_info() -> None:
    (finding,) = recorded(*range(1000), *range(1006, 2000))

    assert finding.severity == "info"


def test_a_clock_that_goes_back_is_said() -> None:
    (finding,) = recorded(*range(3600, 3620), *range(20))

    assert finding.title == "The clock goes back 1 time, by up to 3,619 seconds."
    assert finding.severity == "low"


def test_a_stall_of_a_few_seconds_is_none() -> None:
    assert recorded(*(number / 5 for number in range(50)), *(14 + number / 5 for number in range(50))) == []


def test_prints_by_hand_have_pauses_and_no_gaps() -> None:
    assert recorded(0, 7, 60, 61, 300, 310, 900, 1500, 1502, 1503, 5000) == []
