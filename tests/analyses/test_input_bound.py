"""Cards that wait for data: what the log says, what the utilization shows, and what the host did."""

from __future__ import annotations

from datetime import timedelta

import pytest
from recordings import START, Columns, Row, frames, prints
from text_tables import frames_of

from smianalyze.analyses.input_bound import input_bound
from smianalyze.analyses.over_time import OverTime
from smianalyze.findings import Finding

STARVED = [0] * 8 + [46]
BUSY = [97, 99]


def steps(*pairs: tuple[float, float]) -> list[Row]:
    """Records of a log: seconds of each step, and those of them that wait for data."""
    return [
        {"source": "train.log", "line": line, "step": line, "step_time_s": step_s, "data_time_s": data_s}
        for line, (step_s, data_s) in enumerate(pairs, start=1)
    ]


def card(percent: list[int], mib: int = 9000) -> Columns:
    return {"utilization_gpu_pct": percent * (90 // len(percent)), "memory_used_mib": mib}


def found(*cards: Columns, log: list[Row], step_s: float = 0.5, **further: list[Row]) -> list[Finding]:
    return input_bound(OverTime(frames(prints(*cards, step_s=step_s) if cards else [], steps=log, **further)))


def test_log_and_utilization_agree() -> None:
    (finding,) = found(card(STARVED), log=steps(*[(2.0, 1.8)] * 8))

    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "high", (0,))
    assert finding.title == (
        "GPU 0 waits for data: the loader takes 90 % of a step (1.8 of 2 seconds), and utilization is 5 % on "
        "average, idle in 89 % of 90 samples."
    )
    assert [tuple(place) for place in finding.evidence] == [
        ("train.log", 2),
        ("train.log", 8),
        ("run.csv", 2),
        ("run.csv", 91),
    ]


@pytest.mark.parametrize(("data_s", "severity"), [(1.0, "high"), (0.7, "medium")])
def test_severity_is_what_waiting_costs(data_s: float, severity: str) -> None:
    (finding,) = found(card([20, 0]), log=steps(*[(2.0, data_s)] * 8))

    assert finding.severity == severity


def test_only_the_cards_that_rest_are_named() -> None:
    (finding,) = found(card(BUSY), card(STARVED), log=steps(*[(2.0, 1.8)] * 8))

    assert finding.gpus == (1,)


def test_a_log_that_waits_is_told_by_its_own_numbers() -> None:
    quick = [row | {"source": "other.log"} for row in steps(*[(2.0, 0.01)] * 8)]
    (finding,) = found(card(BUSY), card(STARVED), log=[*steps(*[(2.0, 1.8)] * 8), *quick])

    assert (finding.gpus, finding.severity) == ((1,), "high")
    assert "90 % of a step (1.8 of 2 seconds)" in finding.title
    assert {place.source for place in finding.evidence} == {"train.log", "run.csv"}


@pytest.mark.parametrize(("days", "confidence"), [(1, "high"), (4, "medium"), (-4, "medium")])
def test_a_log_of_another_day_says_nothing_of_the_recorded_cards(days: int, confidence: str) -> None:
    log = [row | {"time": START + timedelta(days=days)} for row in steps(*[(2.0, 1.8)] * 8)]
    (finding,) = found(card(STARVED), log=log)

    assert (finding.confidence, finding.gpus) == (confidence, (0,) if confidence == "high" else ())


def test_the_log_alone_is_less_sure() -> None:
    (finding,) = found(log=steps(*[(2.0, 1.8)] * 8))

    assert (finding.severity, finding.confidence, finding.gpus) == ("medium", "medium", ())
    assert "the log alone" in finding.why


def test_the_only_visible_gpu_is_named_though_no_print_shows_it() -> None:
    launch = [{"source": "train.log", "line": 1, "kind": "launch", "visible_devices": "3"}]
    (finding,) = found(log=steps(*[(2.0, 1.8)] * 8), events=launch)

    assert finding.gpus == (3,)


def test_utilization_alone_is_least_sure() -> None:
    (finding,) = found(card([90, 95, 0, 0, 0, 0, 0, 0, 0]), log=[], step_s=0.2)

    assert (finding.severity, finding.confidence) == ("low", "low")
    assert finding.title.endswith("busy once every 1.8 seconds.")


def test_a_cycle_as_long_as_a_step_is_surer() -> None:
    log = [{"source": "train.log", "line": line, "step_time_s": 1.75} for line in range(5)]
    (finding,) = found(card([90, 95, 0, 0, 0, 0, 0, 0, 0]), log=log, step_s=0.2)

    assert (finding.severity, finding.confidence) == ("medium", "medium")


@pytest.mark.parametrize(
    ("why", "percent", "log"),
    [
        ("the loader is quick", STARVED, steps(*[(2.0, 0.1)] * 8)),
        ("the cards are busy all the same", BUSY, steps(*[(2.0, 1.8)] * 8)),
        ("only the loader's start is slow", BUSY, steps((9.0, 8.5), *[(2.0, 0.1)] * 8)),
        ("utilization has no rhythm and no log goes with it", [0] * 90, []),
    ],
)
def test_nothing_is_said_where(why: str, percent: list[int], log: list[Row]) -> None:
    assert found(card(percent), log=log) == [], why


def test_nothing_is_said_of_a_data_time_that_is_no_part_of_the_step() -> None:
    assert found(log=steps(*[(0.1, 0.5)] * 8)) == []


def test_nothing_is_said_of_too_few_records() -> None:
    assert found(log=steps(*[(2.0, 1.8)] * 3)) == []


def test_one_long_pause_is_no_slow_loader() -> None:
    """An evaluation between two steps counts as data time of the next one."""
    assert found(log=steps(*[(0.1, 0.0)] * 20, (30.0, 29.9), *[(0.1, 0.0)] * 19)) == []


def test_averages_are_preferred_to_steps_that_are_printed_by_chance() -> None:
    """A record of each tenth step never meets the pauses of ten workers; the running average does."""
    log = [
        {
            "source": "train.log",
            "line": 1 + step,
            "step": step,
            "epoch": 0,
            "step_time_s": 0.1,
            "step_time_avg_s": 0.2,
            "data_time_s": 0.0,
            "data_time_avg_s": 0.1,
        }
        for step in range(0, 100, 10)
    ]
    (finding,) = found(log=log)

    assert "50 % of a step (0.101 of 0.201 seconds)" in finding.title


def test_a_full_disk_queue_changes_the_next_step() -> None:
    host = [{"source": "top.txt", "line": 1, "cpu_idle_pct": 40.0, "cpu_iowait_pct": 35.0}]
    (finding,) = found(log=steps(*[(2.0, 1.8)] * 8), hosts=host)

    assert "wait for a disk 35 % of the time" in finding.why
    assert "local disk" in finding.next_step


def test_full_cpus_have_no_room_for_workers() -> None:
    host = [{"source": "top.txt", "line": 1, "cpu_idle_pct": 3.0, "cpu_iowait_pct": 0.0}]
    (finding,) = found(log=steps(*[(2.0, 1.8)] * 8), hosts=host)

    assert "no CPU left" in finding.next_step


def test_one_busy_thread_beside_unknown_cpus_says_nothing() -> None:
    told = frames_of(
        hosts="line load_1\n1 2.0",
        host_processes="sample_line pid cpu_pct command\n1 7 99.5 python3",
        steps="step step_time_s data_time_s\n" + "\n".join(f"{step} 2.0 1.8" for step in range(8)),
    )
    (finding,) = input_bound(OverTime(told))

    assert "process" not in finding.why


def test_one_busy_thread_asks_for_workers() -> None:
    told = frames_of(
        hosts="line cpu_idle_pct cpus\n1 94 -\n2 - 32",
        host_processes="sample_line pid cpu_pct command\n1 7 99.5 python3\n1 8 100 nvidia-smi",
        steps="step step_time_s data_time_s\n" + "\n".join(f"{step} 2.0 1.8" for step in range(8)),
    )
    (finding,) = input_bound(OverTime(told))

    assert "One process fills one CPU of the host (100 %) while 94 % of all CPU time is idle" in finding.why
    assert "32 CPUs" in finding.next_step
