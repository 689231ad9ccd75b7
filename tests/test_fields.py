from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from smianalyze.columns import FRAMES
from smianalyze.fields import SHORT_NAMES, column_for, is_field, known_unit, unit_suffix

ROOT = Path(__file__).resolve().parents[1]
REAL = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "corpus" / "h200"

with_real_captures = pytest.mark.skipif(
    not REAL.exists(), reason="the shared corpora are not beside this checkout"
)


def header_of_all_fields() -> list[tuple[str, str]]:
    """Field and unit of each cell of a header with every field of driver 580."""
    header = (REAL / "allfields.csv").read_text(encoding="utf-8").splitlines()[0]
    return [(cell.partition(" [")[0], cell.partition(" [")[2].rstrip("]")) for cell in header.split(", ")]


@pytest.mark.parametrize(
    ("field", "unit", "name", "dtype"),
    [
        ("timestamp", "", "time", "datetime64[us]"),
        ("index", "", "gpu_index", "Int64"),
        ("name", "", "name", "string"),
        ("pci.bus_id", "", "pci_bus_id", "string"),
        ("memory.used", "MiB", "memory_used_mib", "Int64"),
        ("utilization.gpu", "%", "utilization_gpu_pct", "Int64"),
        ("temperature.gpu", "", "temperature_gpu_c", "Int64"),
        ("power.draw", "W", "power_draw_w", "Float64"),
        ("enforced.power.limit", "W", "enforced_power_limit_w", "Float64"),
        (
            "clocks_event_reasons_counters.sw_power_cap",
            "us",
            "clocks_event_reasons_counters_sw_power_cap_us",
            "Int64",
        ),
        ("encoder.stats.sessionCount", "", "encoder_stats_sessioncount", "Int64"),
        ("serial", "", "serial", "string"),
        ("inforom.oem", "", "inforom_oem", "string"),
        ("platform.chassis_serial_number", "", "platform_chassis_serial_number", "string"),
    ],
)
def test_field_becomes_snake_case_with_its_unit(field: str, unit: str, name: str, dtype: str) -> None:
    column = column_for(field, unit)

    assert (column.name, column.dtype) == (name, dtype)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("gpu_name", "name"),
        ("gpu_bus_id", "pci_bus_id"),
        ("gpu_serial", "serial"),
        ("gpu_uuid", "uuid"),
        ("used_memory", "used_gpu_memory_mib"),
        ("clocks.sm", "clocks_current_sm_mhz"),
        ("clocks.gr", "clocks_current_graphics_mhz"),
        ("clocks.mem", "clocks_current_memory_mhz"),
        ("clocks.video", "clocks_current_video_mhz"),
        ("clocks.max.gr", "clocks_max_graphics_mhz"),
        ("clocks_throttle_reasons.active", "clocks_event_reasons_active"),
        ("clocks_throttle_reasons.gpu_idle", "clocks_event_reasons_gpu_idle"),
        ("gpu_util", "gpu_utilization_pct"),
    ],
)
def test_alias_is_folded(alias: str, name: str) -> None:
    assert column_for(alias).name == name


def test_declared_column_keeps_its_declaration() -> None:
    assert column_for("memory.used", "MiB") in FRAMES["gpus"]


def test_gpu_of_a_process_does_not_pass_for_the_process() -> None:
    names = [
        column_for(field, frame="processes").name for field in ("gpu_name", "gpu_uuid", "name", "used_memory")
    ]

    assert names == ["gpu_name", "gpu_uuid", "process_name", "used_gpu_memory_mib"]


def test_other_unit_makes_another_column() -> None:
    column = column_for("memory.used", "GiB")

    assert (column.name, column.dtype) == ("memory_used_gib", "object")


def test_field_of_a_driver_to_come_is_read_by_the_same_rule() -> None:
    column = column_for("nvlink.errors.crc_flits", "KB/s")

    assert (column.name, column.dtype) == ("nvlink_errors_crc_flits_kb_s", "object")


@pytest.mark.parametrize(("field", "name"), [("GPU #", "gpu"), ("5min load", "column_5min_load"), ("%", "column")])
def test_foreign_name_becomes_a_name_of_a_column(field: str, name: str) -> None:
    assert column_for(field).name == name


@pytest.mark.parametrize(
    "field", ["memory_used", "Memory.used [MiB]", "time", "loss", "cpu.percent", "pci_bus_id"]
)
def test_what_nvidia_smi_spells_otherwise_is_no_field(field: str) -> None:
    assert not is_field(field)


@pytest.mark.parametrize(
    ("unit", "suffix"), [("%", "pct"), ("MiB", "mib"), ("MB/s", "mb_s"), ("C", "c"), ("mJ", "mj")]
)
def test_unit_becomes_a_suffix(unit: str, suffix: str) -> None:
    assert unit_suffix(unit) == suffix


def test_short_names_are_declared_columns() -> None:
    assert set(SHORT_NAMES.values()) < {column.name for column in FRAMES["gpus"]}


@with_real_captures
def test_all_fields_of_a_driver_have_columns_of_their_own() -> None:
    names = [column_for(field, unit).name for field, unit in header_of_all_fields()]

    assert len(set(names)) == len(names) == 213
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", name)] == []


@with_real_captures
def test_all_fields_of_a_driver_have_the_same_column_without_their_unit() -> None:
    header = header_of_all_fields()

    assert [field for field, _ in header] == (REAL / "fields_ok.txt").read_text(encoding="utf-8").split()
    assert [column_for(field) for field, _ in header] == [column_for(field, unit) for field, unit in header]
    assert [field for field, unit in header if unit and known_unit(field) != unit_suffix(unit)] == []


@with_real_captures
def test_all_fields_of_a_driver_are_known() -> None:
    assert [field for field, _ in header_of_all_fields() if not is_field(field)] == []
