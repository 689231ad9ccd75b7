"""Memory that grows on and on, and what only looks like it."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from recordings import START, Columns, Row, frames, prints

from smianalyze.analyses.memory_grows import memory_grows
from smianalyze.analyses.over_time import OverTime
from smianalyze.findings import Finding

LINE = np.arange(100)


def card(*mib: float, percent: int = 80) -> Columns:
    """A card that is empty at first and then holds so much."""
    memory = [0, *(int(value) for value in mib)]
    return {"memory_used_mib": memory, "utilization_gpu_pct": [percent] * len(memory)}


def log(*mib: float) -> list[Row]:
    return [{"source": "train.log", "line": 1 + step, "gpu_mem_mib": float(size)} for step, size in enumerate(mib)]


def found(*cards: Columns, step_s: float = 10, steps: list[Row] | None = None, **shared: object) -> list[Finding]:
    recording = prints(*cards, step_s=step_s, **shared) if cards else []
    return memory_grows(OverTime(frames(recording, steps=steps or [])))


def test_a_card_that_fills_evenly() -> None:
    (finding,) = found(card(*20000 + 100 * LINE))

    assert finding.title == (
        "GPU 0 fills up steadily: from 20,000 to 29,900 MiB in 16 minutes, and would be full 79 minutes later."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("medium", "high", (0,))
    assert [place.line for place in finding.evidence] == [3, 102]


def test_a_card_that_fills_up_in_the_recording_is_full_then() -> None:
    (finding,) = found(card(*np.minimum(20000 + 1000 * LINE, 79000)), step_s=1)

    assert finding.title == ("GPU 0 fills up steadily: from 20,000 to 78,000 MiB in 58 seconds, and is full then.")
    assert (finding.severity, finding.confidence) == ("medium", "low")


def test_what_was_not_recorded_makes_nothing_sure() -> None:
    times: list[datetime | None] = [
        START + timedelta(seconds=second + 900 * (second > 20)) for second in range(101)
    ]
    recording = prints(card(*20000 + 100 * LINE), times=times)
    (finding,) = memory_grows(OverTime(frames(recording)))

    assert finding.confidence == "low"


def test_a_log_that_says_so_too_makes_it_sure() -> None:
    (finding,) = found(card(*20000 + 500 * LINE), step_s=1, steps=log(*18000 + 500 * LINE))

    assert (finding.severity, finding.confidence) == ("high", "high")
    assert "18,000 to 67,500 MiB in 100 records" in finding.why
    assert finding.evidence[-1] == ("train.log", 100)


def test_peaks_and_noise_do_not_hide_growth() -> None:
    noise = np.random.default_rng(1).integers(0, 300, 100) + 9000 * (LINE % 9 == 4)

    assert len(found(card(*20000 + 100 * LINE + noise))) == 1


def test_the_log_alone_is_low() -> None:
    (finding,) = found(steps=log(*18000 + 500 * LINE))

    assert (finding.severity, finding.confidence, finding.gpus) == ("low", "low", ())


def test_a_log_tells_what_few_prints_cannot() -> None:
    steps = log(*18000 + 6000 * LINE[:14])
    (finding,) = found(card(*20000 + 6000 * LINE[:11]), step_s=1, steps=steps)

    assert finding.title == (
        "GPU 0 fills up: the log reports 18,000 to 96,000 MiB in 14 records, and the card holds 80,000 MiB of "
        "80,000 MiB at most."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "medium", (0,))
    assert found(card(*[20000] * 11), step_s=1, steps=steps) == []


def test_a_card_of_unknown_size_has_no_time_left() -> None:
    (finding,) = found(card(*20000 + 100 * LINE), memory_total_mib=None)

    assert finding.severity == "low"
    assert finding.title.endswith("in 16 minutes.")


@pytest.mark.parametrize(
    ("why", "columns"),
    [
        ("it stays", card(*20000 + 0 * LINE)),
        ("it settles", card(*40000 - 20000 * np.exp(-LINE / 20))),
        ("it settles slowly", card(*20000 + 6000 * np.log(1 + LINE))),
        ("it goes up in one step", card(*20000 + 10000 * (LINE > 60))),
        ("it comes down each time", card(*20000 + 500 * (LINE % 25))),
        ("it comes down once", card(*20000 + 500 * (LINE % 70))),
        ("it grows by a few blocks only", card(*20000 + LINE)),
        ("nothing runs: it loads", card(*500 * LINE, percent=0)),
        ("it is full in a month", card(*20000 + 2.5 * LINE)),
    ],
)
def test_nothing_is_said_where(why: str, columns: Columns) -> None:
    step_s = 1000 if why.endswith("month") else 10

    assert found(columns, step_s=step_s) == [], why


def test_nothing_is_said_of_a_log_whose_memory_stays() -> None:
    assert found(card(*[0] * 20), steps=log(*[18000] * 100)) == []
    assert found(steps=log(*[18000] * 100)) == []


def test_few_records_of_a_log_are_enough_as_they_are_exact() -> None:
    (finding,) = found(steps=log(*18000 + 500 * LINE[:14]))

    assert "in 14 records" in finding.title
