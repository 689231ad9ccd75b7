"""What the host did meanwhile: CPUs that are full, one process that fills one CPU, waiting for a disk."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.matching import known_true
from smianalyze.analyses.wording import places
from smianalyze.findings import Evidence
from smianalyze.frames import Frames

ONE_CPU_PCT = (90, 110)
"""A process within these percent of one CPU has one busy thread; top counts 100 for each CPU."""

FULL_IDLE_PCT = 10
"""With less idle time of all CPUs further workers have nothing to run on."""

IOWAIT_PCT = 20
"""So much time of all CPUs waits for a disk only where several processes do."""

RECORDERS = ("nvidia-smi", "top", "dmon", "watch")
"""Programs that only look."""


class HostLoad(NamedTuple):
    """Medians over the samples of ``top``; what is not known is None. ``cpus`` is that of ``lscpu``."""

    cpus: int | None
    idle_pct: float | None
    iowait_pct: float | None
    busiest_pct: float | None
    evidence: tuple[Evidence, ...]

    @property
    def waits_for_disk(self) -> bool:
        """Whether much of the time goes into waiting for a disk."""
        return self.iowait_pct is not None and self.iowait_pct >= IOWAIT_PCT

    @property
    def is_full(self) -> bool:
        """Whether all CPUs are busy."""
        return self.idle_pct is not None and self.idle_pct <= FULL_IDLE_PCT

    @property
    def has_one_busy_process(self) -> bool:
        """Whether one process keeps one CPU busy while others have nothing to do."""
        low, high = ONE_CPU_PCT
        alone = self.busiest_pct is not None and low <= self.busiest_pct <= high
        return alone and self.idle_pct is not None and not self.is_full


def host_load(frames: Frames) -> HostLoad:
    """How busy the host was.

    Args:
        frames: A capture; of several samples the median counts.
    """
    hosts, processes = frames.hosts, frames.host_processes
    worked = processes[~known_true(processes["command"].isin(RECORDERS))]
    by_process = worked.groupby(["source", "pid"])["cpu_pct"]
    enough = by_process.size() * 2 >= hosts["cpu_idle_pct"].notna().sum()
    busy = by_process.median()[enough]
    seen = hosts[hosts["cpu_idle_pct"].notna()]
    cpus = hosts["cpus"].dropna()
    return HostLoad(
        cpus=int(cpus.iloc[-1]) if len(cpus) else None,
        idle_pct=_median(hosts["cpu_idle_pct"]),
        iowait_pct=_median(hosts["cpu_iowait_pct"]),
        busiest_pct=float(busy.max()) if len(busy) else None,
        evidence=places(pd.concat([seen.head(1), seen.tail(1)])),
    )


def _median(values: pd.Series) -> float | None:
    known = values.dropna()
    return float(known.median()) if len(known) else None
