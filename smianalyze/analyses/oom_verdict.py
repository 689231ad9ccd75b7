"""Why a card ran out of memory, decided from the parts of the message, and what its neighbours say."""

from __future__ import annotations

from math import isnan, nan
from typing import Literal, NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.device_map import DeviceMap, Place
from smianalyze.analyses.matching import MIB, per_process, with_index
from smianalyze.analyses.oom_parts import ROUNDING_MIB, Holder, OutOfMemory
from smianalyze.frames import Frames

Verdict = Literal[
    "unsized",
    "open",
    "spilled",
    "too-big",
    "limited",
    "no-shortfall",
    "fragmented",
    "primary",
    "neighbour",
    "outside",
    "too-little",
]

NEIGHBOUR_MIB = 2048
"""So much outside the framework is more than the job's own context and NCCL buffers; 1,350 MiB were seen."""


class Judged(NamedTuple):
    """A message with its card, its verdict, other processes on that card, and the overhead of a primary card."""

    oom: OutOfMemory
    place: Place
    verdict: Verdict
    others: tuple[Holder, ...]
    overhead_mib: int | None


class Judge:
    """Judges the messages of one capture.

    Args:
        frames: The capture.
        comparison: Its before and after, which may tell a primary card.
        devices: Its map of GPU numbers.
    """

    def __init__(self, frames: Frames, comparison: Comparison | None, devices: DeviceMap) -> None:
        self._devices = devices
        self._primary = comparison.primary if comparison is not None else None
        self._listed = _last_listed(frames)

    def judged(self, oom: OutOfMemory) -> Judged:
        """The message with everything that can be told about it."""
        place = self._devices.place(oom)
        others = oom.others or self._in_table(oom, place.gpu_index)
        primary = self._primary
        overhead = primary.overhead_mib if primary is not None and primary.gpu_index == place.gpu_index else None
        return Judged(oom, place, _verdict(oom, others, overhead), others, overhead)

    def _in_table(self, oom: OutOfMemory, gpu: int | None) -> tuple[Holder, ...]:
        """Processes of the card in the last table that lists some, where together they explain what is missing.

        Only for messages that list no processes. One that holds what the framework held is the job itself.
        """
        room, held = oom.outside_mib, oom.held_mib
        if oom.processes or oom.process_mib is not None or room is None or held is None or room < NEIGHBOUR_MIB:
            return ()
        others = tuple(
            holder
            for holder in self._listed.get(gpu, ())
            if holder.pid != oom.pid and holder.mib is not None and holder.mib < held
        )
        total = sum(holder.mib or 0 for holder in others)
        return others if room / 2 <= total <= room + ROUNDING_MIB else ()


def _verdict(oom: OutOfMemory, others: tuple[Holder, ...], overhead: int | None) -> Verdict:
    """The first reason that is enough on its own; what the user can settle alone comes before what others do."""
    tried, short = _or_nan(oom.tried_mib), _or_nan(oom.shortfall_mib)
    reasons: tuple[tuple[Verdict, bool], ...] = (
        ("unsized", isnan(tried)),
        ("spilled", oom.is_spilled),
        ("too-big", tried > _or_nan(oom.total_mib)),
        ("limited", oom.over_limit_mib is not None),
        ("open", isnan(short)),
        ("no-shortfall", short <= 0),
        ("fragmented", _or_nan(oom.unused_mib) >= short),
        ("primary", _or_nan(overhead) >= short),
        ("neighbour", sum(holder.mib or 0 for holder in others) >= short),
        ("outside", not others and _outside_job(oom) >= max(short, NEIGHBOUR_MIB)),
    )
    return next((verdict for verdict, holds in reasons if holds), "too-little")


def _or_nan(value: float | None) -> float:
    """The value for comparisons: nothing is more or less than the unknown."""
    return nan if value is None else value


def _outside_job(oom: OutOfMemory) -> float:
    """What is in use that the job itself hardly holds: 0 if unknown, or if the message says what it holds."""
    return 0 if oom.process_mib is not None or oom.processes else oom.outside_mib or 0


def _last_listed(frames: Frames) -> dict[int | None, tuple[Holder, ...]]:
    """For each card the processes of the last snapshot that lists some on it."""
    rows = per_process(with_index(frames.processes, frames)).dropna(subset=["gpu_index", "snapshot", "pid"])
    last = rows[rows["snapshot"].eq(rows.groupby("gpu_index")["snapshot"].transform("max"))]
    listed: dict[int | None, tuple[Holder, ...]] = {}
    for gpu, pid, size in zip(last["gpu_index"], last["pid"], last[MIB], strict=True):
        holder = Holder(int(pid), None if pd.isna(size) else float(size))
        listed[int(gpu)] = (*listed.get(int(gpu), ()), holder)
    return listed
