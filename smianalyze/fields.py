"""Names of nvidia-smi fields to our columns: one column for a field, however it is spelled, with unit or without.

The rules are families and not lists, as each driver brings new fields. A field that no rule knows becomes a
column too: under its own name, and each of its values is what it looks like.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from smianalyze.columns import FRAMES, TIME, Column, Dtype, columns_of

SHORT_NAMES = {
    "ecc_errors_uncorrected_volatile_total": "ecc_errors",
    "mig_mode_current": "mig_mode",
    "driver_model_current": "driver_model",
    "hostname": "host",
}
"""Columns that other formats fill under a shorter name: a row that has one of these carries both."""

FAMILIES = (
    *("accounting", "c2c", "clocks", "clocks_event_reasons", "clocks_event_reasons_counters"),
    *("clocks_throttle_reasons", "dramEncryption", "driver_model", "ecc", "encoder", "enforced", "fabric", "fan"),
    *(
        "gom",
        "gpu_operation_mode",
        "gsp",
        "inforom",
        "memory",
        "mig",
        "module",
        "pci",
        "pcie",
        "platform",
        "power",
    ),
    *("power_smoothing", "protected_memory", "remapped_rows", "retired_pages", "temperature", "utilization"),
    *("vgpu_device_capability", "vgpu_driver_capability"),
)
"""What stands before the first dot of a field, if it has one."""

_ALIASES = {
    "timestamp": "time",
    "index": "gpu_index",
    "gpu_name": "name",
    "gpu_bus_id": "pci_bus_id",
    "gpu_serial": "serial",
    "gpu_uuid": "uuid",
    "used_memory": "used_gpu_memory",
    "gpu_util": "gpu_utilization",
    "mem_util": "mem_utilization",
    "retired_pages_sbe": "retired_pages_single_bit_ecc_count",
    "retired_pages_dbe": "retired_pages_double_bit_count",
    "inforom_image": "inforom_img",
    "inforom_power": "inforom_pwr",
}
_PREFIX_ALIASES = {
    "clocks_throttle_reasons": "clocks_event_reasons",
    "gpu_operation_mode": "gom",
}
# in a list of processes the name of a GPU must not pass for the name of a process
_PROCESS_NAMES = {
    "gpu_name": "gpu_name",
    "gpu_serial": "gpu_serial",
    "gpu_uuid": "gpu_uuid",
    "serial": "gpu_serial",
    "uuid": "gpu_uuid",
    "name": "process_name",
}
_CLOCK = re.compile(
    r"clocks_(?:(current|applications|default_applications|max)_)?(gr|graphics|sm|mem|memory|video)"
)
_CLOCK_NAMES = {"gr": "graphics", "mem": "memory"}


class _Kind(NamedTuple):
    """Fields of one kind: their folded names, unit suffix and dtype."""

    names: re.Pattern[str]
    unit: str
    dtype: Dtype


def _kind(names: str, unit: str, dtype: Dtype) -> _Kind:
    return _Kind(re.compile(names), unit, dtype)


# The first that matches holds. `object`: the driver decides whether it prints a number or a word.
_KINDS = (
    _kind(r"memory_(?:total|reserved|used|free)|protected_memory_(?:total|used|free)", "mib", "Int64"),
    _kind(r"used_gpu_memory|max_memory_usage", "mib", "Int64"),
    _kind(r"utilization_[a-z_]+|(?:gpu|mem)_utilization|fan_speed", "pct", "Int64"),
    _kind(r"edpp_multiplier", "pct", "Float64"),
    _kind(r"(?:module_)?(?:enforced_)?power_(?:draw|(?:[a-z]+_)?limit)(?:_average|_instant)?", "w", "Float64"),
    _kind(r"power_smoothing_[a-z_]*(?:power_floor|activation_offset|activation_point|act_offset)", "w", "Float64"),
    _kind(r"power_smoothing_window_multiplier", "ms", "Int64"),
    _kind(r"power_smoothing_[a-z_]+_window_multiplier", "", "object"),
    _kind(r"temperature_[a-z_]+", "c", "Int64"),
    _kind(r"clocks_event_reasons_counters_[a-z_]+", "us", "Int64"),
    _kind(r"clocks_event_reasons_[a-z_]+", "", "string"),
    _kind(r"clocks_[a-z_]+", "mhz", "Int64"),
    _kind(r"ecc_errors_[a-z0-9_]+_thresholdexceeded", "", "string"),
    _kind(r"ecc_errors_[a-z0-9_]+|pcie_link_[a-z_]+|encoder_stats_[a-z]+", "", "Int64"),
    _kind(r"gpu_index|count|pid|accounting_buffer_size|retired_pages_[a-z_]+_count", "", "Int64"),
    _kind(r"remapped_rows_(?:(?:un)?correctable(?:_inactive)?|histogram_[a-z]+)", "", "Int64"),
    _kind(r"platform_(?:slot_number|tray_index|host_id|module_id)|fabric_cliqueid", "", "object"),
    _kind(
        r"(?:gpu_)?(?:name|serial|uuid)|process_name|hostname|vbios_version|driver_version|compute_cap|compute_mode",
        "",
        "string",
    ),
    _kind(r"pstate|persistence_mode|addressing_mode|display_(?:mode|attached|active)", "", "string"),
    _kind(r"gpu_recovery_action|vgpu_instance|power_management|power_smoothing_[a-z_]+", "", "string"),
    _kind(
        r"(?:pci|inforom|driver_model|gom|mig_mode|gsp_mode|ecc_mode|dramencryption_mode)_[a-z_]+", "", "string"
    ),
    _kind(r"(?:accounting|c2c)_mode|(?:fabric|platform|retired_pages|remapped_rows)_[a-z_]+", "", "string"),
    _kind(r"vgpu_(?:driver|device)_capability_[a-z_]+", "", "string"),
)
_TAKEN = {column.name for frame in FRAMES for column in columns_of(frame)} | set(_ALIASES.values())
_FAMILY = re.compile(rf"(?:{'|'.join(FAMILIES).lower()})_")
_UNITS = {"%": "pct", "°C": "c"}
MAX_NAMES = 4_096  # names that are remembered: an input may hold ever new ones
_NO_WORD = re.compile(r"[^a-z0-9]{1,100}")


def column_for(field: str, unit: str = "", *, frame: str = "gpus") -> Column:
    """The column of a field: a declared one where there is one.

    Args:
        field: As ``--query-gpu`` and its relatives name it, aliases and old names included.
        unit: As printed behind it in the header. A field of known unit has the same column without it; with
            another unit than usual it has a column of its own, since nothing is converted.
        frame: The frame that the row goes to: among processes ``gpu_uuid`` is not ``uuid``.

    Returns:
        A column whose name is in snake_case; dtype ``object`` if each value is what it looks like.
    """
    return _column(field, unit_suffix(unit), frame)


def own_column(name: str, unit: str = "") -> Column:
    """The column of a name that is no field of nvidia-smi: the name itself in snake_case, with its unit.

    A name that is a column of ours, such as ``line``, gets ``own_`` in front: it means something else there.
    """
    suffix = unit_suffix(unit)
    plain = f"{_plain(name)}_{suffix}" if suffix else _plain(name)
    return Column(f"own_{plain}" if plain in _TAKEN else plain, "object", "", name)


@lru_cache(MAX_NAMES)
def unit_suffix(unit: str) -> str:
    """A printed unit as the suffix of a column: ``%`` is ``pct``, ``MiB`` is ``mib``, ``KB/s`` is ``kb_s``."""
    return _UNITS.get(unit) or _NO_WORD.sub("_", unit.lower()).strip("_")


def known_unit(field: str) -> str:
    """The unit suffix of a field that nvidia-smi knows; "" if it has none or is not known."""
    kind = _kind_of(_folded(field))
    return kind.unit if kind else ""


@lru_cache(MAX_NAMES)
def is_field(name: str) -> bool:
    """Whether nvidia-smi has a field of this very spelling: ``memory.used`` and not ``memory_used``."""
    has_dot = _FAMILY.match(_plain(name)) is not None
    return name == TIME.smi_name or (("." in name) == has_dot and _kind_of(_folded(name)) is not None)


@lru_cache(MAX_NAMES)
def _column(field: str, suffix: str, frame: str) -> Column:
    folded = _PROCESS_NAMES.get(_plain(field), "") if frame == "processes" else ""
    folded = folded or _folded(field)
    kind = _kind_of(folded)
    unit = suffix or (kind.unit if kind else "")
    name = f"{folded}_{unit}" if unit else folded
    declared = {column.name: column for column in FRAMES[frame]}
    if name in declared:
        return declared[name]
    return Column(name, kind.dtype if kind and unit == kind.unit else "object", "", field)


def _plain(field: str) -> str:
    """The field in snake_case, not yet folded with its aliases."""
    plain = _NO_WORD.sub("_", field.strip().lower()).strip("_")
    return plain if plain[:1].isalpha() else f"column_{plain}".rstrip("_")


def _folded(field: str) -> str:
    """The one name of a field that has several."""
    plain = _plain(field)
    for old, new in _PREFIX_ALIASES.items():
        if plain.startswith(f"{old}_"):
            plain = new + plain.removeprefix(old)
    clock = _CLOCK.fullmatch(plain)
    if clock:
        of, what = clock.groups()
        return f"clocks_{of or 'current'}_{_CLOCK_NAMES.get(what, what)}"
    return _ALIASES.get(plain, plain)


def _kind_of(folded: str) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.names.fullmatch(folded)), None)
