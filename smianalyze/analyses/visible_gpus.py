"""Does a job use all the GPUs that it may see?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.device_map import DeviceMap
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.oom_parts import out_of_memory_events
from smianalyze.analyses.wording import mib, named, places
from smianalyze.findings import Evidence, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

LAUNCHERS = re.compile("torchrun|launch|distributed|deepspeed|horovod|mpirun|srun|accelerate", re.IGNORECASE)
"""They start a process for each GPU; without one a script drives as many GPUs as it names itself."""


class Unused(NamedTuple):
    """GPUs that the job of an input may see and never used, those that it used, and where that stands."""

    source: str
    unused: tuple[int, ...]
    used: tuple[int, ...]
    while_running: bool
    evidence: tuple[Evidence, ...]


def visible_gpu_unused(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """GPUs that a launch line gives to the job and that hold nothing in any print."""
    return [_finding(found) for found in unused_gpus(frames)]


def unused_gpus(frames: Frames) -> list[Unused]:
    """For each input with a launch line: its visible GPUs that hold no memory, if others of them are used.

    A GPU counts as used where it holds memory in a print, or where it ran out of memory. Where only the latter
    is known, the prints were taken before or after the job, and a launcher may have used all of them.
    """
    events = frames.events
    launches = events[known_true(events["kind"].eq("launch")) & events["visible_devices"].notna()]
    if launches.empty or frames.gpus.empty:
        return []
    devices, most = DeviceMap(frames), _most_used(frames.gpus)
    launches = launches.assign(nproc_per_node=launches["nproc_per_node"].fillna("1"))
    last = launches.sort_values("line", kind="stable").drop_duplicates("source", keep="last")
    failed = _failed_on(frames, devices)
    found = []
    for source, row in zip(last["source"], last.to_dict("records"), strict=True):
        listed = devices.indexes(str(row["visible_devices"]))
        visible = [gpu for gpu in listed if gpu is not None and gpu in most]
        busy = {gpu for gpu in visible if most[gpu] >= HELD_MIB}
        used = busy | (failed.get(source, set()) & set(visible))
        unused = tuple(sorted(set(visible) - used))
        if used and unused and (busy or not _starts_ranks(str(row["message"]), str(row["nproc_per_node"]))):
            seen = places(last[last["source"].eq(source)]) + _last_places(frames.gpus, unused)
            found.append(Unused(str(source), unused, tuple(sorted(used)), bool(busy), seen))
    return found


def _most_used(gpus: pd.DataFrame) -> Mapping[int, int]:
    """The most memory of each card in any print; without cards of which one print does not say it."""
    cards = gpus.dropna(subset=["gpu_index"]).groupby("gpu_index")["memory_used_mib"]
    most = cards.max()[cards.count() == cards.size()].dropna()
    return {int(str(gpu)): int(value) for gpu, value in most.items()}


def _failed_on(frames: Frames, devices: DeviceMap) -> Mapping[str, set[int]]:
    """For each input the cards that ran out of memory."""
    failed: dict[str, set[int]] = {}
    for oom in out_of_memory_events(frames.events):
        gpu = devices.place(oom).gpu_index
        failed.setdefault(oom.source, set()).update(() if gpu is None else (gpu,))
    return failed


def _starts_ranks(message: str, ranks: str) -> bool:
    return bool(LAUNCHERS.search(message)) or ranks != "1"


def _last_places(gpus: pd.DataFrame, wanted: tuple[int, ...]) -> tuple[Evidence, ...]:
    rows = gpus[gpus["gpu_index"].isin(wanted)]
    return places(rows.drop_duplicates("gpu_index", keep="last"))


def _finding(found: Unused) -> Finding:
    one = text(
        "{gpus} is visible to the job and unused: it holds less than {size} in every print, while the job uses "
        "{used}."
    )
    some = text(
        "{gpus} are visible to the job and unused: they hold less than {size} in every print, while the job uses "
        "{used}."
    )
    return Finding(
        id="visible-gpu-unused",
        severity="medium" if found.while_running else "low",
        title=say(
            one if len(found.unused) == 1 else some,
            gpus=named("GPU", found.unused),
            size=mib(HELD_MIB),
            used=named("GPU", found.used),
        ),
        why=sentences(
            say("A script uses only the GPUs that it names; to be visible does not spread the work."),
            ""
            if found.while_running
            else say(
                "The prints show no memory of the job itself, so this rests on the launch line and on the card "
                "that ran out of memory."
            ),
        ),
        next_step=say(
            "Start one process for each GPU (`torchrun --nproc_per_node={number} …`, with "
            "`DistributedDataParallel` in the script), or leave the card to others by a shorter "
            "`CUDA_VISIBLE_DEVICES`.",
            number=len(found.unused + found.used),
        ),
        gpus=found.unused,
        evidence=found.evidence,
        confidence="medium",
    )
