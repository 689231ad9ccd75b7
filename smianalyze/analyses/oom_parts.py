"""An out-of-memory message taken apart: who held the card, and how much was missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.matching import known_true

ROUNDING_MIB = 32
"""Messages round to 0.01 GiB (10 MiB); sums of three sizes are off by up to twice that."""


class Holder(NamedTuple):
    """A process on the card, and what it holds; None if unknown."""

    pid: int
    mib: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfMemory:
    """One message. Sizes in MiB, None if it does not say them; the properties follow from them.

    Attributes:
        source: Input of the message.
        line: Its line.
        gpu_index: GPU number as printed, which counts the GPUs that the job may see.
        physical_gpu_index: That of nvidia-smi, where the message itself says it.
        pid: Process that ran out.
        rank: Rank of that process.
        framework: pytorch, tensorflow, …
        message: The message; only its wording is looked at.
        visible_devices: GPUs that the job may see, where the message says it.
        processes: Processes on the card that it lists.
        tried_mib: What was asked for.
        total_mib: Memory of the card.
        free_mib: What was free on it.
        allocated_mib: What tensors held.
        unused_mib: What the framework had reserved and no tensor used: the most that settings could win.
        reserved_mib: Both together.
        allowed_mib: What the framework may take at most.
        process_mib: What the process held, with what is outside the framework.
    """

    source: str
    line: int
    gpu_index: int | None
    physical_gpu_index: int | None
    pid: int | None
    rank: int | None
    framework: str | None
    message: str
    visible_devices: str | None
    processes: tuple[Holder, ...]
    tried_mib: float | None
    total_mib: float | None
    free_mib: float | None
    allocated_mib: float | None
    unused_mib: float | None
    reserved_mib: float | None
    allowed_mib: float | None
    process_mib: float | None

    @property
    def held_mib(self) -> float | None:
        """What the framework held, as far as the message says."""
        return self.allocated_mib if self.reserved_mib is None else self.reserved_mib

    @property
    def used_mib(self) -> float | None:
        """What was in use on the card."""
        return _less(self.total_mib, self.free_mib)

    @property
    def shortfall_mib(self) -> float | None:
        """What was missing; negative if enough was free."""
        return _less(self.tried_mib, self.free_mib)

    @property
    def outside_mib(self) -> float | None:
        """What was in use outside the framework: other processes, and the job's own CUDA context and libraries."""
        outside = _less(self.used_mib, self.reserved_mib)
        return None if outside is None or outside < -ROUNDING_MIB else max(outside, 0)

    @property
    def over_limit_mib(self) -> float | None:
        """By how much the framework's own limit was exceeded; None where it was not the reason."""
        if self.allowed_mib is None or (self.total_mib is not None and self.allowed_mib > self.total_mib):
            return None
        over = _less(self.tried_mib, _less(self.allowed_mib, self.held_mib))
        short = self.shortfall_mib
        return over if over is not None and over > 0 and (short is None or short <= 0) else None

    @property
    def others(self) -> tuple[Holder, ...]:
        """Listed processes that are not the job's own: each fits into what the framework does not hold.

        In a container the job may list itself, under a PID that it does not know as its own.
        """
        room = self.outside_mib
        if room is None:
            return ()
        sized = [holder for holder in self.processes if holder.mib is not None and holder.pid != self.pid]
        return tuple(holder for holder in sized if (holder.mib or 0) <= room + ROUNDING_MIB)

    @property
    def is_spilled(self) -> bool:
        """Whether tensors hold more than the card has: Windows lends it memory of the host."""
        beyond = _less(self.allocated_mib, self.total_mib)
        return beyond is not None and beyond > ROUNDING_MIB


def out_of_memory_events(events: pd.DataFrame) -> list[OutOfMemory]:
    """Every out-of-memory message of the events, in their order."""
    rows = events[known_true(events["kind"].eq("oom")) & events["line"].notna()]
    unused = rows["reserved_unallocated_mib"].fillna(rows["cached_mib"])
    unused = unused.fillna((rows["reserved_mib"] - rows["allocated_mib"]).clip(lower=0))
    reserved = rows["reserved_mib"].fillna(rows["allocated_mib"] + unused)
    rows = rows.assign(unused_mib=unused, reserved_mib=reserved)
    names = [name for name in OutOfMemory.__slots__ if name not in ("processes", "message")]
    plain = rows[names].astype(object).where(rows[names].notna(), None)
    texts = rows["message"].fillna("").astype(str)
    listed = zip(plain.to_dict("records"), texts, rows["other_processes"], strict=True)
    return [
        OutOfMemory(**{str(name): value for name, value in row.items()}, message=text, processes=_holders(others))
        for row, text, others in listed
    ]


def _holders(others: Iterable[Mapping[str, object]] | None) -> tuple[Holder, ...]:
    if not isinstance(others, list | tuple):
        return ()
    return tuple(Holder(int(str(other["pid"])), _number(other.get("mib"))) for other in others)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _less(whole: float | None, part: float | None) -> float | None:
    return None if whole is None or part is None else whole - part
