"""Cards that go on and off while their job runs."""

from __future__ import annotations

import pytest
from recordings import Columns, frames, prints

from smianalyze.analyses.series import seen_over_time
from smianalyze.findings import Finding

BURST = [90, 95, 0, 0, 0, 0, 0, 0]
MORE = [90, 95, 99, 97, 99, 0, 0, 0]
UNEVEN = [
    *[0] * 9,
    *[80] * 4,
    *[0] * 5,
    *[80] * 7,
    *[0] * 14,
    *[80] * 3,
    *[0] * 4,
    *[80] * 8,
    *[0] * 6,
    80,
    80,
    80,
]
FAST = [99 * int(bit) for bit in f"{0b1101000101101001110010110100101001101011001010011:b}"]


def found(*cards: Columns, step_s: float = 0.2, **shared: object) -> list[Finding]:
    """Everything that is found but the cause: a card that oscillates is not said to be idle as well."""
    every = seen_over_time(frames(prints(*cards, step_s=step_s, **shared)), None)
    return [finding for finding in every if finding.id != "input-bound"]


def card(*percent: int, mib: int | None = 9000) -> Columns:
    return {"utilization_gpu_pct": list(percent), "memory_used_mib": mib}


def test_a_rhythm_of_work_and_waiting() -> None:
    (finding,) = found(card(*BURST * 10))

    assert finding.title == (
        "GPU 0 works in bursts: idle in 75 % of 80 samples, 19 switches, one cycle each 1.6 seconds."
    )
    assert (finding.id, finding.severity, finding.confidence) == ("utilization-oscillates", "medium", "high")
    assert [place.line for place in finding.evidence] == [2, 81]


def test_short_spikes_in_a_rhythm_are_bursts_and_not_just_idle() -> None:
    (finding,) = found(card(*[48, *[0] * 15] * 10))

    assert "one cycle each 3.2 seconds" in finding.title


def test_cards_in_the_same_rhythm_are_one_finding() -> None:
    (finding,) = found(card(*BURST * 10), card(*MORE * 10))

    assert finding.gpus == (0, 1)
    assert "idle in 38 to 75 % of 80 samples" in finding.title


def test_a_card_that_is_idle_less_than_half_the_time_is_low() -> None:
    (finding,) = found(card(*MORE * 10))

    assert finding.severity == "low"


def test_a_slow_sampling_may_feign_a_rhythm() -> None:
    (finding,) = found(card(*BURST * 10), step_s=1)

    assert finding.confidence == "medium"
    assert "0.5 seconds" in finding.why


def test_phases_of_many_samples_need_no_rhythm() -> None:
    (finding,) = found(card(*UNEVEN))

    assert finding.title.endswith("9 switches, at irregular times.")
    assert finding.severity == "low"


@pytest.mark.parametrize(
    ("why", "percent", "mib"),
    [
        ("it hardly waits", [*[99] * 7, 0] * 10, 9000),
        ("it only varies", [99, 90, 40, 30, 40, 90] * 10, 9000),
        ("nobody holds memory", BURST * 10, 4),
        ("its phases are shorter than a step", FAST, 9000),
        ("it started and stopped once", [*[0] * 30, *[99] * 30, *[0] * 30], 9000),
    ],
)
def test_nothing_is_said_where(why: str, percent: list[int], mib: int) -> None:
    assert found(card(*percent, mib=mib)) == [], why


def test_nothing_is_said_of_a_few_prints() -> None:
    assert [finding.id for finding in found(card(*BURST))] == ["held-but-idle"]


def test_memory_that_is_not_printed_is_not_asked_for() -> None:
    assert len(found(card(*BURST * 10, mib=None))) == 1
