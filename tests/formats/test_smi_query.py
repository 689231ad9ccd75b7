from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import captures, check_pair

import smianalyze

HEAD = """\
==============NVSMI LOG==============

Timestamp                                 : Mon Nov 30 21:50:06 2026
Driver Version                            : 580.159.04

Attached GPUs                             : {attached}
"""


def card(bus_id: str, *lines: str) -> str:
    return "\n".join([f"GPU {bus_id}", *lines, "", ""])


def minor(number: int) -> str:
    return f"    Minor Number                          : {number}"


def indices(text: str) -> list[object]:
    return smianalyze.loads(text).gpus["gpu_index"].tolist()


def first_gpu(*lines: str) -> pd.Series:
    return smianalyze.loads(HEAD.format(attached=1) + card("00000000:3B:00.0", *lines)).gpus.iloc[0]


@pytest.mark.parametrize("capture", captures("smi_query"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_gpus_of_a_whole_print_are_numbered_in_order() -> None:
    assert indices(HEAD.format(attached=2) + card("00000000:3B:00.0") + card("00000000:5E:00.0")) == [0, 1]


def test_gpu_that_stands_alone_among_several_has_no_number() -> None:
    assert indices(HEAD.format(attached=8) + card("00000000:3B:00.0", minor(3))) == [pd.NA]


def test_minor_numbers_that_count_from_0_confirm_the_order_of_a_part() -> None:
    two = card("00000000:3B:00.0", minor(0)) + card("00000000:5E:00.0", minor(1))

    assert indices(HEAD.format(attached=8) + two) == [0, 1]


def test_card_on_the_first_bus_is_gpu_0() -> None:
    assert indices(HEAD.format(attached=4) + card("00000000:01:00.0", minor(2))) == [0]


def test_part_of_a_print_takes_its_numbers_from_a_whole_print_beside_it() -> None:
    whole = HEAD.format(attached=2) + card("00000000:3B:00.0") + card("00000000:5E:00.0")

    assert indices(whole + HEAD.format(attached=2) + card("00000000:5E:00.0")) == [0, 1, 1]


def test_number_that_two_hosts_give_differently_is_unknown() -> None:
    first = HEAD.format(attached=2) + card("00000000:3B:00.0") + card("00000000:5E:00.0")
    second = HEAD.format(attached=2) + card("00000000:5E:00.0") + card("00000000:86:00.0")

    assert indices(first + second + HEAD.format(attached=2) + card("00000000:5E:00.0")) == [0, 1, 0, 1, pd.NA]


def test_gpu_that_is_listed_again_begins_a_print() -> None:
    capture = smianalyze.loads(card("00000000:3B:00.0", minor(0)) + card("00000000:3B:00.0", minor(0)))

    assert capture.gpus["snapshot"].tolist() == [0, 1]


def test_average_power_stands_for_power_draw() -> None:
    gpu = first_gpu(
        "    GPU Power Readings",
        "        Average Power Draw                : 351.77 W",
        "        Instantaneous Power Draw          : 615.89 W",
    )

    assert (gpu["power_draw_w"], gpu["power_draw_instant_w"]) == (351.77, 615.89)


def test_instantaneous_power_stands_for_power_draw_where_there_is_no_average() -> None:
    gpu = first_gpu(
        "    GPU Power Readings",
        "        Average Power Draw                : N/A",
        "        Instantaneous Power Draw          : 98.55 W",
    )

    assert gpu["power_draw_w"] == 98.55


def test_instantaneous_power_does_not_stand_for_an_average_that_is_damaged() -> None:
    gpu = first_gpu(
        "    GPU Power Readings",
        "        Average Po#er Draw                : 351.77 W",
        "        Instantaneous Power Draw          : 615.89 W",
    )

    assert gpu["power_draw_w"] is pd.NA


@pytest.mark.parametrize(
    "value", ["310", "310 M", "310 W", "3 10 MiB", "310 MiB  0 MiB", "-", "31O MiB", "3.5 MiB"]
)
def test_memory_that_is_no_amount_of_mib_stays_unknown(value: str) -> None:
    gpu = first_gpu(
        "    FB Memory Usage", f"        Used                              : {value}", "    Fan Speed : 1 %"
    )

    assert gpu["memory_used_mib"] is pd.NA
    assert gpu["fan_speed_pct"] == 1


def test_key_without_a_value_is_unknown_and_no_problem() -> None:
    capture = smianalyze.loads(
        HEAD.format(attached=1)
        + card("00000000:3B:00.0", "    Platform Info", "        Chassis Serial Number             : ")
    )

    assert "platform_chassis_serial_number" not in capture.gpus
    assert len(capture.problems) == 0


def test_value_that_stands_there_twice_stays_unknown() -> None:
    gpu = first_gpu(
        "    FB Memory Usage",
        "        Used                              : 100 MiB",
        "        Used                              : 7 MiB",
    )

    assert gpu["memory_used_mib"] is pd.NA


def test_volatile_errors_are_counted_only_when_all_parts_are_known() -> None:
    sram = ("    ECC Errors", "        Volatile", "            SRAM Uncorrectable            : 3")
    dram = "            DRAM Uncorrectable            : 4"

    assert first_gpu(*sram, dram)["ecc_errors"] == 7
    assert first_gpu(*sram, "            DRAM Uncorrectable            : N/A")["ecc_errors"] is pd.NA
    assert first_gpu(*sram)["ecc_errors"] is pd.NA


def test_mask_of_reasons_needs_every_reason() -> None:
    names = ("Idle", "Applications Clocks Setting", "SW Power Cap", "HW Slowdown", "Sync Boost")
    names += ("SW Thermal Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown", "Display Clock Setting")
    lines = [f"        {name:<34}: {'Active' if name == 'SW Power Cap' else 'Not Active'}" for name in names]

    assert first_gpu("    Clocks Event Reasons", *lines)["clocks_event_reasons_active"] == "0x0000000000000004"
    assert first_gpu("    Clocks Throttle Reasons", *lines)["clocks_event_reasons_active"] == "0x0000000000000004"
    assert pd.isna(first_gpu("    Clocks Event Reasons", *lines[:-1])["clocks_event_reasons_active"])


def test_key_that_no_field_has_becomes_a_column_with_its_unit() -> None:
    gpu = first_gpu(
        "    Photon Drive", "        Core Flux                         : 12.50 W", "        Mode : Warm"
    )

    assert (gpu["photon_drive_core_flux_w"], gpu["photon_drive_mode"]) == (12.5, "Warm")


def test_key_of_another_section_does_not_pass_for_a_known_field() -> None:
    gpu = first_gpu("    Memory", "        Used                              : 5 MiB")

    assert gpu["memory_used_mib"] is pd.NA


def test_process_list_at_the_end_of_the_text_may_go_on() -> None:
    lines = (
        "    Processes",
        "        Process ID                        : 4711",
        "            Type                          : C",
        "            Used GPU Memory               : 100 MiB",
    )
    whole = HEAD.format(attached=1) + card("00000000:3B:00.0", *lines)
    cut = smianalyze.loads(whole.rstrip())

    assert smianalyze.loads(whole).snapshots["process_section"].tolist() == ["listed"]
    assert cut.snapshots["process_section"].tolist() == ["absent"]
    assert cut.processes["pid"].tolist() == [4711]


def test_process_whose_id_is_damaged_is_left_out() -> None:
    capture = smianalyze.loads(
        HEAD.format(attached=1)
        + card(
            "00000000:3B:00.0",
            "    Processes",
            "        Process ID                        : 47#1",
            "            Used GPU Memory               : 100 MiB",
            "        Process ID                        : 4712",
            "            Used GPU Memory               : 200 MiB",
        )
    )

    assert capture.processes[["pid", "used_gpu_memory_mib"]].to_numpy().tolist() == [[4712, 200]]
    assert capture.problems["line"].tolist() == [9]


def test_damage_among_processes_leaves_the_others_alone() -> None:
    capture = smianalyze.loads(
        HEAD.format(attached=1)
        + card(
            "00000000:3B:00.0",
            "    Processes",
            "        Process ID                        : 4711",
            "           Type                           : C",
            "            Name                          : python",
            "        Process ID                        : 4712",
            "            Type                          : C",
        )
    )

    assert capture.processes["pid"].tolist() == [4711, 4712]
    assert capture.processes["process_name"].isna().tolist() == [True, True]


def test_print_that_ends_above_its_gpus_is_no_snapshot() -> None:
    assert len(smianalyze.loads(HEAD.format(attached=2)).snapshots) == 0


def test_text_below_a_head_is_not_counted_as_ours() -> None:
    capture = smianalyze.loads(
        HEAD.format(attached=1) + "Broadcast message from root\nepoch : 3\n" + card("00000000:3B:00.0", minor(0))
    )

    assert capture.inputs["ignored"].tolist() == [3]
    assert capture.gpus["gpu_index"].tolist() == [0]


@pytest.mark.parametrize(
    "first", ["======#=======NVSMI LOG====", "NVSMI LOG", "GPU : NVSMI LOG", "NVSMI LOG " + "x" * 2000]
)
def test_damaged_first_line_begins_no_print(first: str) -> None:
    assert len(smianalyze.loads(f"{first}\nUsed : 5 MiB\n").snapshots) == 0


def test_lines_of_other_programs_are_left_alone() -> None:
    capture = smianalyze.loads("GPU 0: idle\nTimestamp : now\nUsed : 5 MiB\nAttached GPUs : many\n")

    assert capture.inputs["used"].tolist() == [0]
