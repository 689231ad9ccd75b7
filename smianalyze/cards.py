"""The cards and processes that a report shows, as plain values: one snapshot, or before and after.

A frame answers questions over many rows; a page or a picture wants the few things it prints, with ``None``
for what is not known. A single snapshot stands in ``after``, so that pages and pictures have one way to draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, cast

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.moment import Moment, moment_of
from smianalyze.analyses.primary_card import Primary
from smianalyze.frames import Frames
from smianalyze.language import say
from smianalyze.quantities import Number, whole

NO_SNAPSHOT = -1
"""Snapshots count from 0: the moment of this one is empty."""


class Reading(NamedTuple):
    """One quantity before and after; ``None`` where it is not known."""

    before: Number | None = None
    after: Number | None = None
    delta: Number | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process on one card; ``change`` is the comparison's word, or ``present`` in a single snapshot."""

    gpu_index: int | None
    pid: int | None
    type: str | None
    name: str | None
    change: str
    memory: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One GPU; ``state`` is matched, appeared or vanished, or ``present`` in a single snapshot."""

    gpu_index: int | None
    name: str | None
    state: str
    memory: Reading
    utilization: Reading
    power: Reading
    temperature: Reading
    memory_total_mib: int | None
    power_limit_w: float | None
    used_by_job: bool | None
    processes: tuple[Process, ...] = field(default=())

    @property
    def label(self) -> str:
        """``GPU 0``; a card whose number was not printed is ``GPU ?``."""
        return f"GPU {'?' if self.gpu_index is None else self.gpu_index}"


def cards(frames: Frames, comparison: Comparison | None) -> tuple[Card, ...]:
    """The cards by number, each with its processes.

    Args:
        frames: Of a capture; without a comparison its last snapshot that has cards is shown.
        comparison: Before and after, where there are two snapshots.
    """
    frame = _last(frames).cards if comparison is None else comparison.gpus
    by_card: dict[int | None, list[Process]] = {}
    for process in processes(frames, comparison):
        by_card.setdefault(process.gpu_index, []).append(process)
    rows = sorted(records(frame), key=lambda row: _order(row["gpu_index"]))
    return tuple(_card(row, by_card.get(cast("int | None", row["gpu_index"]), [])) for row in rows)


def processes(frames: Frames, comparison: Comparison | None) -> tuple[Process, ...]:
    """The processes by card and PID, also those whose card was not read."""
    frame = _last(frames).processes if comparison is None else comparison.processes
    found = [
        Process(
            gpu_index=cast("int | None", row["gpu_index"]),
            pid=cast("int | None", row["pid"]),
            type=cast("str | None", row["type"]),
            name=cast("str | None", row["process_name"]),
            change=cast("str", row.get("change", "present")),
            memory=_reading(row, "used_gpu_memory_mib"),
        )
        for row in records(frame)
    ]
    return tuple(sorted(found, key=lambda process: (_order(process.gpu_index), _order(process.pid))))


def more_than_peers(primary: Primary) -> str:
    """What the primary card has over its peers, such as ``619 MiB more than GPU 1``."""
    if len(primary.peers) == 1:
        return say("{size} MiB more than GPU {peer}", size=whole(primary.overhead_mib), peer=primary.peers[0])
    return say("{size} MiB more than its peers", size=whole(primary.overhead_mib))


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """The rows as plain Python values, with ``None`` for unknown."""
    columns: dict[str, list[object]] = {
        str(name): [
            None if unknown else value for value, unknown in zip(column.tolist(), column.isna(), strict=True)
        ]
        for name, column in frame.items()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _last(frames: Frames) -> Moment:
    """The last snapshot that has cards, or the last one with processes where none has."""
    shown = frames.processes if frames.gpus["snapshot"].isna().all() else frames.gpus
    number = shown["snapshot"].max()
    return moment_of(frames, NO_SNAPSHOT if pd.isna(number) else int(number))


def _card(row: dict[str, object], on_it: list[Process]) -> Card:
    return Card(
        gpu_index=cast("int | None", row["gpu_index"]),
        name=cast("str | None", row["name"]),
        state=cast("str", row.get("change", "present")),
        memory=_reading(row, "memory_used_mib"),
        utilization=_reading(row, "utilization_gpu_pct"),
        power=_reading(row, "power_draw_w"),
        temperature=_reading(row, "temperature_gpu_c"),
        memory_total_mib=cast("int | None", row["memory_total_mib"]),
        power_limit_w=cast("float | None", row["power_limit_w"]),
        used_by_job=cast("bool | None", row.get("used_by_job")),
        processes=tuple(on_it),
    )


def _reading(row: dict[str, object], column: str) -> Reading:
    if column in row:
        return Reading(after=cast("Number | None", row[column]))
    return Reading(*(cast("Number | None", row[f"{column}_{side}"]) for side in Reading._fields))


def _order(number: object) -> tuple[bool, int]:
    """Sorts numbers upwards and the unknown last."""
    return (number is None, cast("int", number) if number is not None else 0)
