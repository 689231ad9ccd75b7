"""What ``-q`` or ``-q -x`` say of a card, text by path, to the rows that the plain table gives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.columns import FRAMES
from smianalyze.fields import SHORT_NAMES, column_for
from smianalyze.formats.format import Problem, Row
from smianalyze.formats.smi_paths import PATHS
from smianalyze.formats.smi_prints import LOST_CELLS, lost_gpu
from smianalyze.formats.smi_values import Value, field_value, is_failed, is_unknown, typed

DAMAGED = "a value that breaks off, has an unexpected unit, or stands there twice"
PROCESS_LISTS = ("processes", "compute_processes")

_LISTS = (*PROCESS_LISTS, "supported_clocks", "accounted_processes", "mig_device", "mig_devices")
KNOWN_PATHS = {path for paths in PATHS.values() for path in paths}
_KNOWN_COLUMNS = {column.name for column in FRAMES["gpus"]} | {column_for(name).name for name in PATHS}
_PROCESS = {
    "gpu_instance_id": ("gpu_instance_id",),
    "compute_instance_id": ("compute_instance_id",),
    "pid": ("process_id", "pid"),
    "type": ("type",),
    "process_name": ("name", "process_name"),
    "used_gpu_memory_mib": ("used_gpu_memory", "used_memory"),
}
_MIG_DEVICE = {
    "mig_device": ("index",),
    "gpu_instance_id": ("gpu_instance_id",),
    "compute_instance_id": ("compute_instance_id",),
    "memory_used_mib": ("fb_memory_usage/used", "shared_fb_memory_usage/used"),
    "memory_total_mib": ("fb_memory_usage/total", "shared_fb_memory_usage/total"),
    "bar1_used_mib": ("bar1_memory_usage/used", "shared_bar1_memory_usage/used"),
    "bar1_total_mib": ("bar1_memory_usage/total", "shared_bar1_memory_usage/total"),
    "sm_count": ("device_attributes/shared/multiprocessor_count",),
    "ecc_errors": ("ecc_errors/volatile/sram_uncorrectable", "ecc_error_count/volatile_count/sram_uncorrectable"),
    "uuid": ("uuid", "mig_uuid"),
}
# bits of clocks_event_reasons.active, from NVML
_REASONS = (
    *("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost"),
    *("sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clock_setting"),
)
_NO_WORD = re.compile(r"[^a-z0-9]{1,100}")
_AVERAGE = "gpu_power_readings/average_power_draw"
_HEX = ("domain", "bus", "device", "baseclass", "subclass", "device_id", "sub_device_id")


def step(words: str) -> str:
    """A heading, a key or an element as a step of a path; old drivers say throttle reasons for event reasons."""
    return _NO_WORD.sub("_", words.lower()).strip("_").replace("clocks_throttle_reason", "clocks_event_reason")


@dataclass(slots=True)
class Told:
    """What a print says of one thing: texts by path. A path that has two texts says nothing."""

    line: int
    texts: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, text: str, line: int) -> None:
        """Take one more value."""
        known = self.texts.setdefault(path, text)
        self.lines[path] = line
        if known != text:
            self.texts[path] = ""

    def first(self, paths: tuple[str, ...]) -> tuple[str, str]:
        """The first of the paths that says something known, with its text; else the last that is there."""
        found = ("", "")
        for path in paths:
            if path in self.texts:
                found = (path, self.texts[path])
                if not is_unknown(found[1]):
                    return found
        return found


@dataclass(slots=True)
class Card(Told):
    """What a print says of one GPU; ``process_list`` is "" where it does not say whether there are processes."""

    bus_id: str | None = None
    processes: list[Told] = field(default_factory=list)
    mig_devices: list[Told] = field(default_factory=list)
    process_list: str = ""

    def add_process(self, line: int) -> Told:
        """One more process, of which nothing is said yet."""
        self.processes.append(Told(line))
        self.process_list = "listed"
        return self.processes[-1]

    def say_of_processes(self, text: str) -> None:
        """Take what stands in place of a list of processes."""
        self.process_list = "not_supported" if is_unknown(text) else "none_found" if text == "None" else ""

    def rows(self, problems: list[Problem]) -> CardRows:
        """Its rows; values that cannot be read are added to the problems."""
        gpu = self._gpu(problems)
        processes = [_row("processes", _PROCESS, one, problems) for one in self.processes]
        for row in processes:
            row.update(pci_bus_id=gpu.get("pci_bus_id"), gpu_uuid=gpu.get("uuid"))
        return CardRows(
            gpu,
            [row for row in processes if "pid" in row],
            [_row("mig_devices", _MIG_DEVICE, one, problems) for one in self.mig_devices],
            self._lost(gpu),
            self.process_list,
        )

    def _gpu(self, problems: list[Problem]) -> Row:
        row: Row = {"line": self.line}
        if self.bus_id:
            row["pci_bus_id"] = self.bus_id
        for name, paths in PATHS.items():
            path, text = self.first(paths)
            if path:
                _take(row, field_value(name, text), self, path, problems)
        for path, text in self.texts.items():
            if path not in KNOWN_PATHS and path.partition("/")[0] not in _LISTS:
                value = field_value(path.replace("/", "."), text)
                if value.value is not None and value.column not in _KNOWN_COLUMNS:
                    row[value.column] = value.value
        if is_unknown(self.texts.get(_AVERAGE, "")) and "power_draw_instant_w" in row:
            row.setdefault("power_draw_w", row["power_draw_instant_w"])
        _complete(row)
        return row

    def _lost(self, gpu: Row) -> list[Row]:
        """An event where the card does not answer."""
        failed = [text for text in self.texts.values() if is_failed(text)]
        if len(failed) < LOST_CELLS and not any("lost" in text for text in failed):
            return []
        return [lost_gpu(gpu, failed[0])]


class CardRows(NamedTuple):
    """The rows of one GPU by frame; its index is not yet known."""

    gpu: Row
    processes: list[Row]
    mig_devices: list[Row]
    lost: list[Row]
    process_list: str


def _row(frame: str, paths: Mapping[str, tuple[str, ...]], told: Told, problems: list[Problem]) -> Row:
    row: Row = {"line": told.line}
    for column in FRAMES[frame]:
        path, text = told.first(paths.get(column.name, ()))
        if path:
            unit = "mib" if column.name.endswith("_mib") else ""
            _take(row, typed(column, unit, text), told, path, problems)
    return row


def _take(row: Row, value: Value, told: Told, path: str, problems: list[Problem]) -> None:
    if value.damaged:
        problems.append(Problem(told.lines[path], DAMAGED, f"{path}: {told.texts[path]}"))
    elif value.value is not None:
        row.setdefault(value.column, value.value)


def _complete(row: Row) -> None:
    """Add what the other prints say in one word, where all of its parts are known."""
    for name in _HEX:
        text = row.get(f"pci_{name}")
        if text and not str(text).startswith("0x"):  # as in XML
            row[f"pci_{name}"] = f"0x{text}"
    reasons = [row.get(f"clocks_event_reasons_{name}") for name in _REASONS]
    if set(reasons) <= {"Active", "Not Active"}:
        mask = sum(1 << bit for bit, reason in enumerate(reasons) if reason == "Active")
        row["clocks_event_reasons_active"] = f"0x{mask:016X}"
    uncorrected = _uncorrected(row)
    if uncorrected is not None:
        row.setdefault("ecc_errors_uncorrected_volatile_total", uncorrected)
    for name, short in SHORT_NAMES.items():
        if name in row:
            row[short] = row[name]


def _uncorrected(row: Row) -> int | None:
    """Volatile uncorrected ECC errors from their parts: SRAM (in one or in two kinds) and DRAM."""
    sram, parity, secded, dram = (
        row.get(f"ecc_errors_uncorrected_volatile_{part}")
        for part in ("sram", "sram_parity", "sram_secded", "dram")
    )
    parts = (parity, secded, dram) if sram is None else (sram, dram)
    counts = [part for part in parts if isinstance(part, int)]
    return sum(counts) if len(counts) == len(parts) else None
