"""Cards whose clocks are held by power or by heat."""

from __future__ import annotations

import pytest
from recordings import Columns, over_time

from smianalyze.analyses.power_capped import power_capped
from smianalyze.analyses.thermal_slowdown import thermal_slowdown
from smianalyze.findings import Finding

POWER, HEAT, BRAKE, IDLE = ("0x0000000000000004", "0x0000000000000040", "0x0000000000000080", "0x0000000000000001")


def card(reason: str | None, **columns: object) -> Columns:
    """A card that works for thirty samples, with what the driver says of its clocks."""
    usual = {
        "memory_used_mib": [9000] * 30,
        "utilization_gpu_pct": 99,
        "power_draw_w": 398.0,
        "clocks_current_sm_mhz": 1200,
        "clocks_max_sm_mhz": 1980,
        "clocks_event_reasons_active": reason,
        "temperature_gpu_c": 88,
    }
    return {**usual, **columns}


def power(*cards: Columns) -> list[Finding]:
    return power_capped(over_time(*cards))


def heat(*cards: Columns) -> list[Finding]:
    return thermal_slowdown(over_time(*cards))


def test_heavy_work_at_the_limit_is_low() -> None:
    (finding,) = power(card(POWER))

    assert finding.title == (
        "GPU 0 runs at 1,200 of 1,980 MHz because its power is at the limit of 400 W, in 100 % of 30 samples."
    )
    assert (finding.severity, finding.gpus) == ("low", (0,))


def test_a_limit_that_was_lowered_is_medium_and_named() -> None:
    (finding,) = power(card(POWER, power_default_limit_w=500))

    assert finding.severity == "medium"
    assert "500 W that the card was built for" in finding.why
    assert "nvidia-smi -i 0 -pl 500" in finding.next_step


def test_dmon_says_it_in_a_column_of_its_own() -> None:
    assert len(power(card(None, power_violation_pct=60))) == 1
    assert len(heat(card(None, thermal_violation=1))) == 1


def test_the_brake_of_a_power_supply() -> None:
    (finding,) = power(card(BRAKE, power_draw_w=200.0))

    assert finding.title.startswith("The power supply holds GPU 0 back at 1,200 of 1,980 MHz")


@pytest.mark.parametrize(
    ("why", "columns"),
    [
        ("nothing holds the clocks", card("0x0000000000000000")),
        ("the driver says nothing", card(None)),
        ("its clock is hardly lower", card(POWER, clocks_current_sm_mhz=1900)),
        ("its clock is unknown", card(POWER, clocks_current_sm_mhz=None, clocks_max_sm_mhz=None)),
        ("it draws half of the limit", card(POWER, power_draw_w=200.0)),
        ("it is idle", card(POWER, utilization_gpu_pct=0)),
        ("it happens now and then", card([POWER] * 5 + [IDLE] * 25)),
    ],
)
def test_power_is_not_said_where(why: str, columns: Columns) -> None:
    assert power(columns) == [], why


def test_heat_that_costs_much_is_high() -> None:
    (finding,) = heat(card(HEAT))

    assert finding.title == "Heat slows GPU 0 down at 1,200 of 1,980 MHz, in 100 % of 30 samples, up to 88 °C."
    assert finding.severity == "high"


@pytest.mark.parametrize(
    ("why", "columns"),
    [
        ("the clock is hardly lower", card(HEAT, clocks_current_sm_mhz=1800)),
        ("it happens at times", card([HEAT] * 5 + [IDLE] * 25)),
        ("the clock is unknown", card(HEAT, clocks_current_sm_mhz=None, clocks_max_sm_mhz=None)),
    ],
)
def test_heat_is_medium_where(why: str, columns: Columns) -> None:
    assert [finding.severity for finding in heat(columns)] == ["medium"], why


def test_few_prints_show_a_moment() -> None:
    few = {**card(HEAT), "memory_used_mib": [9000] * 2}

    (finding,) = heat(few)

    assert finding.title == "Heat slows GPU 0 down at 1,200 of 1,980 MHz, at that moment, up to 88 °C."
    assert (finding.severity, finding.confidence) == ("low", "medium")


def test_one_hot_sample_is_chance() -> None:
    assert heat(card([HEAT] + [IDLE] * 29)) == []
