"""Jobs that wait in a collective without end, and what only looks like it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from recordings import START, Columns, Row, frames, prints

from smianalyze.analyses.collective_hang import collective_hang
from smianalyze.analyses.over_time import OverTime
from smianalyze.findings import Finding

WORK, HANG = 40, 80
STEP_S = 5
TIMEOUT = [{"source": "train.log", "line": 9, "kind": "nccl_timeout"}]


def card(percent: int, watt: float, *, before: float | None = 300.0, mib: int = 9000, limit: int = 400) -> Columns:
    """A card that works, and then stands at a utilization and a power; all the time without ``before``."""
    work, watts = (99, before) if before is not None else (percent, watt)
    return {
        "memory_used_mib": [4] * 2 + [mib] * (WORK + HANG),
        "utilization_gpu_pct": [0] * 2 + [work] * WORK + [percent] * HANG,
        "power_draw_w": [60.0] * 2 + [watts] * WORK + [watt] * HANG,
        "power_limit_w": float(limit),
    }


def log(last_print: int) -> list[Row]:
    """A record each five seconds up to a print."""
    return [
        {
            "source": "train.log",
            "line": number,
            "time": START + timedelta(seconds=STEP_S * number),
            "step_time_s": 5.0,
        }
        for number in range(1, last_print)
    ]


def found(
    *cards: Columns, steps: list[Row] | None = None, step_s: float = STEP_S, **further: list[Row]
) -> list[Finding]:
    return collective_hang(OverTime(frames(prints(*cards, step_s=step_s), steps=steps or [], **further)))


def test_cards_that_wait_for_one_that_is_idle() -> None:
    (finding,) = found(card(100, 95.0), card(0, 60.0), card(100, 98.0))

    assert finding.title == (
        "GPU 0 and 2 hang: for the last 7 minutes they show 100 % utilization at 95 to 98 W, after 300 W before, "
        "while GPU 1 is idle."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "high", (0, 1, 2))


def test_all_cards_wait_for_a_rank_elsewhere_and_the_log_is_silent() -> None:
    (finding,) = found(card(100, 95.0), card(100, 95.0), steps=log(WORK))

    assert (finding.severity, finding.confidence) == ("high", "high")
    assert "no step from then on" in finding.why
    assert ("train.log", WORK - 1) in finding.evidence


def test_a_timeout_in_the_log_makes_it_sure() -> None:
    (finding,) = found(card(100, 95.0, before=None), card(100, 95.0, before=None), events=TIMEOUT)

    assert finding.severity == "high"
    assert ("train.log", 9) in finding.evidence


def test_less_power_than_before_alone_is_not_sure() -> None:
    (finding,) = found(card(100, 95.0), card(100, 95.0))

    assert (finding.severity, finding.confidence) == ("medium", "low")


def test_a_short_hang_may_be_a_checkpoint() -> None:
    (finding,) = found(card(100, 95.0), card(0, 60.0), step_s=1)

    assert finding.severity == "medium"


@pytest.mark.parametrize(
    ("why", "cards"),
    [
        ("they work", [card(100, 290.0), card(100, 300.0)]),
        ("they always had light work", [card(100, 95.0, before=None), card(100, 95.0, before=None)]),
        ("one still works", [card(100, 95.0), card(100, 290.0)]),
        ("their limit is unknown", [{**card(100, 95.0), "power_limit_w": None}] * 2),
        ("the other card belongs to another job", [card(100, 95.0), card(0, 60.0, mib=3000)]),
        ("one card has nobody to wait for", [card(100, 95.0)]),
        ("it is short", [card(100, 95.0), card(0, 60.0)]),
    ],
)
def test_nothing_is_said_where(why: str, cards: list[Columns]) -> None:
    assert found(*cards, step_s=0.5 if why == "it is short" else STEP_S) == [], why


def test_a_log_that_goes_on_shows_light_work() -> None:
    assert found(card(100, 95.0), card(100, 95.0), steps=log(WORK + HANG)) == []


def test_a_stall_that_ends_is_no_hang() -> None:
    stalled = card(100, 95.0)
    again = {
        name: values + values[WORK // 2 : WORK] if isinstance(values, list) else values
        for name, values in stalled.items()
    }

    assert found(again, again) == []
