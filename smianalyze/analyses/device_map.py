"""Which card of nvidia-smi the GPU number of a log stands for: a job counts only the GPUs that it may see."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Literal, NamedTuple

import pandas as pd

from smianalyze.analyses.matching import MIB, known_true, with_index
from smianalyze.analyses.oom_parts import ROUNDING_MIB, OutOfMemory
from smianalyze.findings import Evidence
from smianalyze.frames import Frames

Witness = Literal["printed", "visible", "order", "pid", "course", "capacity", "unknown"]

DRIVER_SHARE = 0.05
"""nvidia-smi counts up to 2 % more memory than CUDA offers, as the driver keeps some; seen on T4 to H200."""

COURSE_SHARE = 0.05
"""A card was as full as a message says within so much: the last sample may be up to a second old."""

SHORT_UUID = len("GPU-") + 4
"""CUDA takes the beginning of a UUID; fewer digits than these are a cut text."""

WHOLE = ("listed", "none_found", "empty", "not_supported")
"""Process sections that stand behind the cards of a print, so that no card is cut off."""


class Place(NamedTuple):
    """The physical GPU, None if it cannot be told, what tells it, and where that stands."""

    gpu_index: int | None
    witness: Witness
    evidence: tuple[Evidence, ...] = ()


class Launch(NamedTuple):
    """A line that names visible devices."""

    line: int
    source: str
    devices: str


class DeviceMap:
    """Finds the card that a message means, from everything that a capture says of cards and processes.

    Args:
        frames: A capture; where it holds prints of several hosts, no card can be told.
    """

    def __init__(self, frames: Frames) -> None:
        cards = frames.gpus.dropna(subset=["gpu_index"])
        used = cards.groupby("gpu_index")["memory_used_mib"]
        self._several_hosts = frames.snapshots["host"].nunique() > 1
        self._totals = _by_gpu(cards.groupby("gpu_index")["memory_total_mib"].max())
        self._least, self._most = _by_gpu(used.min()), _by_gpu(used.max())
        self._whole = bool(frames.snapshots["process_section"].isin(WHOLE).any())
        self._split = set(cards.loc[known_true(cards["mig_mode"].eq("Enabled")), "gpu_index"].astype(int))
        self._mixed = cards["name"].nunique() > 1
        processes = with_index(frames.processes, frames)
        self._holders, self._places = _holders(processes), _places(processes)
        named = pd.concat([cards[["uuid", "gpu_index"]], frames.devices[["uuid", "gpu_index"]]]).dropna()
        self._uuids = dict(zip(named["uuid"], named["gpu_index"].astype(int), strict=True))
        self._launches = _Launches(frames.events)
        self._told = _told(frames)

    def place(self, oom: OutOfMemory) -> Place:
        """The card of an out-of-memory message; unknown where nothing tells it, or two witnesses disagree."""
        if oom.physical_gpu_index is not None:
            return Place(oom.physical_gpu_index, "printed")
        if self._several_hosts:
            return Place(None, "unknown")
        by_list, by_pid, told = self._by_visible(oom), self._by_pid(oom), self._by_log(oom)
        if len({gpu for gpu in (by_list, by_pid, told and told[0]) if gpu is not None}) > 1:
            return Place(None, "unknown")
        if told is not None and self._fits(told[0], oom):
            return Place(told[0], "printed", (told[1],))
        witnesses: tuple[tuple[int | None, Witness], ...] = (
            (by_list, "order" if self._mixed else "visible"),
            (by_pid, "pid"),
            (self._by_course(oom), "course"),
            (self._by_capacity(oom), "capacity"),
        )
        for gpu, witness in witnesses:
            if gpu is not None and self._fits(gpu, oom):
                return Place(gpu, witness, self._seen(oom, gpu, witness))
        return Place(None, "unknown")

    def visible_to(self, oom: OutOfMemory) -> tuple[int | None, ...]:
        """Physical indexes of the GPUs that the job of a message may see, in the job's order; empty if unknown."""
        if oom.visible_devices is not None:
            return self.indexes(oom.visible_devices)
        launch = self._launches.before(oom)
        return self.indexes(launch.devices if launch else None)

    def indexes(self, visible: str | None) -> tuple[int | None, ...]:
        """The physical index of each entry of a list such as ``2,3``; None for an entry that is not known.

        CUDA ignores everything behind an entry that names no GPU, such as ``-1``.
        """
        entries = [entry.strip() for entry in visible.split(",")] if visible else []
        ends = [place for place, entry in enumerate(entries) if entry.startswith("-")]
        return tuple(self._index(entry) for entry in entries[: ends[0] if ends else None])

    def _index(self, entry: str) -> int | None:
        if entry.isdecimal() and entry.isascii():
            return int(entry)
        begin = {gpu for uuid, gpu in self._uuids.items() if uuid.startswith(entry) and len(entry) >= SHORT_UUID}
        return begin.pop() if len(begin) == 1 else None

    def _seen(self, oom: OutOfMemory, gpu: int, witness: Witness) -> tuple[Evidence, ...]:
        """The launch line, or the process in a table, that tells the card."""
        launch = self._launches.before(oom)
        if witness in ("visible", "order") and launch and oom.visible_devices is None:
            return (Evidence(launch.source, launch.line),)
        if witness == "pid":
            pids = [oom.pid, *(process.pid for process in oom.processes)]
            return tuple(self._places[pid, gpu] for pid in pids if (pid, gpu) in self._places)
        return ()

    def _by_log(self, oom: OutOfMemory) -> tuple[int, Evidence] | None:
        """The card that NCCL or TensorFlow names for this number, in the same log and of the same rank."""
        said = self._told.get((oom.source, oom.gpu_index), [])
        of_rank = [(gpu, place) for rank, gpu, place in said if oom.rank is None or rank in (None, oom.rank)]
        return of_rank[0] if len({gpu for gpu, _ in of_rank}) == 1 else None

    def _by_visible(self, oom: OutOfMemory) -> int | None:
        visible = self.visible_to(oom)
        logical = 0 if oom.gpu_index is None and len(visible) == 1 else oom.gpu_index
        return visible[logical] if logical is not None and logical < len(visible) else None

    def _by_pid(self, oom: OutOfMemory) -> int | None:
        """The one card on which all processes of the message stand that the table lists at all."""
        told = [(process.pid, process.mib) for process in oom.processes]
        told += [(oom.pid, None)] if oom.pid is not None else []
        cards = [self._standing(pid, size) for pid, size in told if pid in self._holders]
        common = set.intersection(*cards) if cards else set()
        return common.pop() if len(common) == 1 else None

    def _standing(self, pid: int, size: float | None) -> set[int]:
        """Cards with that process; of several, those on which it holds what the message says."""
        sizes = self._holders[pid]
        if len(sizes) == 1 or size is None:
            return set(sizes)
        return {gpu for gpu, held in sizes.items() if any(abs(mib - size) <= ROUNDING_MIB for mib in held)}

    def _by_course(self, oom: OutOfMemory) -> int | None:
        """The one card that became as full as the message says, by as much as the framework held."""
        if oom.used_mib is None or oom.held_mib is None:
            return None
        level, off = oom.used_mib, COURSE_SHARE
        full = [
            gpu
            for gpu, most in self._most.items()
            if abs(most - level) <= off * level and most - self._least[gpu] >= (1 - off) * oom.held_mib > 0
        ]
        return full[0] if len(full) == 1 else None

    def _by_capacity(self, oom: OutOfMemory) -> int | None:
        """The one card of the message's size; a list that may be cut off tells nothing."""
        if oom.total_mib is None or not self._whole or self._split:
            return None
        fitting = [gpu for gpu in self._totals if self._fits(gpu, oom)]
        return fitting[0] if len(fitting) == 1 else None

    def _fits(self, gpu: int, oom: OutOfMemory) -> bool:
        """Whether the card may be of the size that the message says, as far as both are known."""
        total = self._totals.get(gpu)
        if total is None or oom.total_mib is None:
            return True
        if gpu in self._split:
            return oom.total_mib <= total
        return oom.total_mib - ROUNDING_MIB <= total <= oom.total_mib * (1 + DRIVER_SHARE)


def _by_gpu(values: pd.Series) -> dict[int, int]:
    known = values.dropna()
    return {int(str(gpu)): int(value) for gpu, value in known.items()}


def _holders(processes: pd.DataFrame) -> Mapping[int, Mapping[int, list[int]]]:
    """For each PID its cards, and the sizes that it was seen with on each."""
    rows = processes.dropna(subset=["pid", "gpu_index"]).drop_duplicates(["pid", "gpu_index", MIB])
    holders: dict[int, dict[int, list[int]]] = {}
    for pid, gpu, size in zip(rows["pid"], rows["gpu_index"], rows[MIB], strict=True):
        sizes = holders.setdefault(int(pid), {}).setdefault(int(gpu), [])
        sizes += [] if pd.isna(size) else [int(size)]
    return holders


def _places(processes: pd.DataFrame) -> Mapping[tuple[int | None, int], Evidence]:
    """Where each process was last listed on each card."""
    rows = processes.dropna(subset=["pid", "gpu_index", "line"]).drop_duplicates(["pid", "gpu_index"], keep="last")
    columns = zip(rows["pid"], rows["gpu_index"], rows["source"], rows["line"], strict=True)
    return {(int(pid), int(gpu)): Evidence(str(source), int(line)) for pid, gpu, source, line in columns}


def _told(frames: Frames) -> Mapping[tuple[str, int | None], list[tuple[int | None, int, Evidence]]]:
    """For each input and GPU number in it: the ranks that say so, the card that they mean, and where."""
    events = frames.events
    rows = events[known_true(events["kind"].eq("device_map")) & events[["gpu_index", "line"]].notna().all(axis=1)]
    unknown = pd.Series(pd.NA, index=rows.index, dtype="Int64")
    by_slot = with_index(rows.assign(gpu_index=unknown), frames)["gpu_index"]
    has_slots = bool(frames.gpus["pci_bus_id"].notna().any())
    listed = rows["pci_bus_id"].notna() & has_slots  # a slot is the same inside and outside of a container
    rows = rows.assign(physical=by_slot.fillna(rows["physical_gpu_index"].mask(listed))).dropna(
        subset=["physical"]
    )
    told: dict[tuple[str, int | None], list[tuple[int | None, int, Evidence]]] = {}
    columns = zip(rows["source"], rows["gpu_index"], rows["rank"], rows["physical"], rows["line"], strict=True)
    for source, gpu, rank, card, line in columns:
        place = Evidence(str(source), int(line))
        told.setdefault((str(source), int(gpu)), []).append(
            (None if pd.isna(rank) else int(rank), int(card), place)
        )
    return told


class _Launches:
    """What the launch lines of all inputs say about visible devices."""

    def __init__(self, events: pd.DataFrame) -> None:
        rows = events[known_true(events["kind"].eq("launch")) & events["visible_devices"].notna()]
        rows = rows.sort_values("line", kind="stable")
        lists = rows.groupby("source")["visible_devices"].nunique()
        ranks = rows.groupby("source")["rank"].nunique()
        self._by_rank = set(lists.index[(lists > 1) & (ranks > 1)])
        self._listed: dict[tuple[str, int | None], list[Launch]] = {}
        self._anywhere: dict[str, Launch] = {}
        columns = zip(rows["source"], rows["rank"], rows["line"], rows["visible_devices"], strict=True)
        for source, rank, line, devices in columns:
            launch = Launch(int(line), str(source), str(devices))
            said_by = int(rank) if pd.notna(rank) and source in self._by_rank else None
            self._listed.setdefault((launch.source, said_by), []).append(launch)
            self._anywhere.setdefault(launch.devices, launch)

    def before(self, oom: OutOfMemory) -> Launch | None:
        """The last launch before a message in its input (of its rank, if each has a list of its own).

        Of other inputs only where all launches of the capture agree.
        """
        said_by = oom.rank if oom.source in self._by_rank else None
        listed = self._listed.get((oom.source, said_by), [])
        earlier = bisect_right(listed, oom.line, key=lambda launch: launch.line)
        if earlier:
            return listed[earlier - 1]
        return next(iter(self._anywhere.values())) if len(self._anywhere) == 1 else None
