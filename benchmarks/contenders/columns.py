"""The columns of each kind of line with their conversions, columns as lists, and their sums."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from made_up_host import START
from made_up_training import Sums

Columns = dict[str, list[object]]
Layout = Mapping[str, Callable[[str], object]]
MONTHS = {name: number for number, name in enumerate(calendar.month_abbr)}


def _date(text: str) -> datetime:
    """``Mon Nov 30 19:35:52 2026``; strptime takes five times as long."""
    _, month, day, clock, year = text.split()
    return datetime(int(year), MONTHS[month], int(day), *map(int, clock.split(":")))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("/", "-"))


def _date_and_clock(text: str) -> datetime:
    date, clock = text.split()
    return datetime.fromisoformat(f"{date}T{clock}")


def _seconds(text: str) -> int:
    minutes, seconds = text.split(":")
    return 60 * int(minutes) + int(seconds)


DATE: Layout = {"snapshots.time": _date}
CARD: Layout = {
    "gpus.gpu_index": int,
    "gpus.name": str,
    "gpus.persistence_mode": str,
    "gpus.pci_bus_id": str,
    "gpus.ecc_errors": int,
}
LOAD: Layout = {
    "gpus.temperature_gpu_c": int,
    "gpus.power_draw_w": float,
    "gpus.power_limit_w": float,
    "gpus.memory_used_mib": int,
    "gpus.memory_total_mib": int,
    "gpus.utilization_gpu_pct": int,
    "gpus.compute_mode": str,
}
MIG: Layout = {"gpus.mig_mode": str}
PROCESS: Layout = {
    "processes.gpu_index": int,
    "processes.pid": int,
    "processes.process_name": str,
    "processes.used_gpu_memory_mib": int,
}
QUERY: Layout = {
    "gpus.time": _time,
    "gpus.gpu_index": int,
    "gpus.name": str,
    "gpus.pci_bus_id": str,
    "gpus.pstate": str,
    "gpus.temperature_gpu_c": int,
    "gpus.utilization_gpu_pct": int,
    "gpus.utilization_memory_pct": int,
    "gpus.memory_used_mib": int,
    "gpus.memory_free_mib": int,
    "gpus.power_draw_w": float,
    "gpus.clocks_current_sm_mhz": int,
}
UNITS = {
    "gpus.utilization_gpu_pct": " %",
    "gpus.utilization_memory_pct": " %",
    "gpus.memory_used_mib": " MiB",
    "gpus.memory_free_mib": " MiB",
    "gpus.power_draw_w": " W",
    "gpus.clocks_current_sm_mhz": " MHz",
}
DMON: Layout = {
    "gpus.time": _date_and_clock,
    "gpus.gpu_index": int,
    "gpus.power_draw_w": float,
    "gpus.temperature_gpu_c": int,
    "gpus.temperature_memory_c": int,
    "gpus.utilization_gpu_pct": int,
    "gpus.utilization_memory_pct": int,
    "gpus.clocks_current_memory_mhz": int,
    "gpus.clocks_current_sm_mhz": int,
    "gpus.memory_used_mib": int,
    "gpus.bar1_memory_used_mib": int,
}
PMON: Layout = {
    "processes.time": _date_and_clock,
    "processes.gpu_index": int,
    "processes.pid": int,
    "processes.type": str,
    "processes.sm_utilization_pct": int,
    "processes.memory_utilization_pct": int,
    "processes.used_gpu_memory_mib": int,
    "processes.process_name": str,
}
DICT: Layout = {"steps.loss": float, "steps.grad_norm": float, "steps.lr": float, "steps.epoch": float}
IMAGENET: Layout = {
    "steps.epoch": float,
    "steps.step": int,
    "steps.total_steps": int,
    "steps.step_time_s": float,
    "steps.step_time_avg_s": float,
    "steps.data_time_s": float,
    "steps.data_time_avg_s": float,
    "steps.loss": float,
    "steps.loss_avg": float,
    "steps.acc_1": float,
    "steps.acc_1_avg": float,
    "steps.acc_5": float,
    "steps.acc_5_avg": float,
}
BAR: Layout = {
    "steps.epoch": float,
    "steps.progress_pct": float,
    "steps.step": int,
    "steps.total_steps": int,
    "steps.elapsed_s": _seconds,
    "steps.eta_s": _seconds,
    "steps.steps_per_s": float,
    "steps.loss": float,
    "steps.lr": float,
}


def converted(columns: Columns, layout: Layout, rows: Iterable[Iterable[str]]) -> None:
    """Append the texts of some rows, converted, to their columns."""
    for (column, convert), texts in zip(layout.items(), zip(*rows, strict=True), strict=False):
        columns.setdefault(column, []).extend(map(convert, texts))


def sums(columns: Mapping[str, list[object]]) -> Sums:
    """The sum of each column: of a text its characters, of a time the seconds since the capture began."""
    return {name: sum(map(_weight, values)) for name, values in columns.items()}


def _weight(value: object) -> float:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, datetime):
        return (value - START).total_seconds()
    assert isinstance(value, int | float)  # noqa: S101 - a benchmark tells its own mistakes
    return value
