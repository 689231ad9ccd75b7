"""What held the clocks, in words, from the mask or from the single reasons."""

from __future__ import annotations

import pytest
from recordings import over_time

from smianalyze.analyses.throttling import reasons_of


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        ("0x0000000000000000", []),
        ("0x0000000000000001", ["gpu_idle"]),
        ("0x0000000000000004", ["sw_power_cap"]),
        ("0x0000000000000048", ["hw_slowdown", "hw_thermal_slowdown"]),
        ("0x00000000000000A0", ["sw_thermal_slowdown", "hw_power_brake_slowdown"]),
        ("0x112", ["applications_clocks_setting", "sync_boost", "display_clocks_setting"]),
        ("0x600", ["board_limit", "reliability"]),
        ("0x0000000000000804", ["sw_power_cap", "unknown_0x800"]),
        ("0x8000000000000000", ["unknown_0x8000000000000000"]),
    ],
)
def test_each_bit_has_its_word(mask: str, names: list[str]) -> None:
    reasons = reasons_of(mask)

    assert reasons is not None
    assert [reason.name for reason in reasons] == names


def test_what_is_no_mask_says_nothing() -> None:
    assert reasons_of("Not Active") is None


def test_shares_are_those_of_the_samples_that_tell() -> None:
    masks = ["0x0000000000000001", None, "0x0000000000000004", "0x0000000000000004", "0x0000000000000000"]
    over = over_time({"clocks_event_reasons_active": masks, "memory_used_mib": [0, 0, 9000, 9000, 9000]})
    rows = over.throttling.set_index("reason")

    assert rows["samples"].to_dict() == {"gpu_idle": 1, "sw_power_cap": 2}
    assert rows["share"].to_dict() == {"gpu_idle": 0.25, "sw_power_cap": 0.5}
    assert rows["active_share"].to_dict() == {"gpu_idle": 0, "sw_power_cap": pytest.approx(2 / 3)}
    assert rows["line"].to_dict() == {"gpu_idle": 2, "sw_power_cap": 4}


def test_single_reasons_say_the_same_as_the_mask() -> None:
    over = over_time(
        {
            "utilization_gpu_pct": [1, 1, 1, 1],
            "clocks_event_reasons_sw_power_cap": ["Active", "Not Active", None, "Active"],
            "clocks_event_reasons_idle": "Not Active",
            "clocks_event_reasons_display_clock_setting": ["Active", "Not Active", "Not Active", "Not Active"],
        }
    )
    rows = over.throttling.set_index("reason")

    assert rows["share"].to_dict() == {"sw_power_cap": pytest.approx(2 / 3), "display_clocks_setting": 0.25}


def test_a_card_that_prints_no_reason_has_none() -> None:
    assert over_time({"utilization_gpu_pct": [1, 1]}).throttling.empty
