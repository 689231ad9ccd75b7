"""The memory of the host, not of a card, ran out: who was ended for it, and whose limit it was."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, of_kind, processes
from smianalyze.analyses.wording import mib, places
from smianalyze.findings import Confidence, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

SHORT_SHARE = 0.05
"""With so little of its memory available a host is about to end programs; below that it swaps."""


class Kind(NamedTuple):
    """A wording: what it looks like, what it says of whom in a title, the next step, and how sure it is."""

    wording: str
    says: str
    next_step: str
    confidence: Confidence = "high"
    one: str = text("A process{pids} {says}{size}.")
    some: str = text("{number:,} processes{pids} {says}{size}.")


FEWER = text("fewer loader processes (`num_workers`), or load less of the data set at once")
KINDS = (
    Kind(
        "slurmstepd|Detected [0-9]+ oom|Exceeded job memory limit",
        text("used more host memory than Slurm gives it"),
        text("Ask for more memory (`#SBATCH --mem=…`), or start {fewer}."),
    ),
    Kind(
        "cgroup|CONSTRAINT_MEMCG",
        text("used more host memory than its container or group may have, so the kernel ended it"),
        text("Raise the memory limit of the container (`--memory`) or the group, or start {fewer}."),
    ),
    Kind(
        "Out of memory: Kill|CONSTRAINT_NONE|oom_kill_process",
        text("was ended by the kernel, as the host had no memory left"),
        text("Start {fewer}; look with `top` at what else takes memory on this host."),
    ),
    Kind(
        "DefaultCPUAllocator|Unable to allocate|MemoryError",
        text("asked for more host memory than there was"),
        text("Start {fewer}: the traceback below this line names the array that did not fit."),
    ),
    Kind(
        "signal: Killed",
        text("was killed from outside, most likely as the host had no memory left"),
        text(
            "Look for its PID in the kernel log (`dmesg -T | grep -i 'killed process'`). If it is there, start "
            "{fewer}."
        ),
        "medium",
        text("A data loader process{pids} {says}{size}."),
        text("{number:,} data loader processes{pids} {says}{size}."),
    ),
)


def host_memory_killed(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each input and wording that says that the memory of the host, or of the job, ran out."""
    rows = of_kind(frames.events, "host_oom", "dataloader_worker_killed")
    kinds = pd.Series([_kind(str(message)) for message in rows["message"]], index=rows.index, dtype="Int64")
    short = _short(frames.hosts)
    return [_finding(KINDS[int(str(kind))], found, short) for (_, kind), found in rows.groupby(["source", kinds])]


def _kind(message: str) -> int | None:
    """The first wording that fits; None for a message about something else."""
    return next((number for number, kind in enumerate(KINDS) if re.search(kind.wording, message)), None)


def _short(hosts: pd.DataFrame) -> pd.DataFrame:
    """The sample of ``top`` with the least memory available, if that is next to nothing; else no row."""
    share = (hosts["mem_available_mib"] / hosts["mem_total_mib"]).astype("Float64")
    least = hosts.assign(share=share).dropna(subset=["share"]).sort_values("share", kind="stable").head(1)
    return least[least["share"] <= SHORT_SHARE]


def _finding(kind: Kind, rows: pd.DataFrame, short: pd.DataFrame) -> Finding:
    """The finding of one wording.

    Args:
        kind: The wording.
        rows: Its messages.
        short: A moment in which the host had hardly any memory left, as a second witness; may be empty.
    """
    asked = rows["tried_mib"].max()
    exact, at_most = text(" ({size})"), text(" (up to {size})")
    seen = text("`top` shows {left} of {total} available.")
    return Finding(
        id="host-memory-killed",
        severity="high",
        title=say(
            kind.one if len(rows) == 1 else kind.some,
            number=len(rows),
            pids=processes(rows),
            says=say(kind.says),
            size=say(exact if len(rows) == 1 else at_most, size=mib(asked)) if pd.notna(asked) else "",
        ),
        why=sentences(
            say(
                "This is the memory of the host, not that of a card: each loader process and each rank needs its "
                "own part, and a data set that is read whole needs it once for each of them."
            ),
            *(say(seen, left=mib(left), total=mib(total)) for left, total in _available(short)),
        ),
        next_step=say(kind.next_step, fewer=say(FEWER)),
        evidence=(*evidence(rows), *places(short)),
        confidence="high" if len(short) else kind.confidence,
    )


def _available(short: pd.DataFrame) -> list[tuple[float, float]]:
    return list(zip(short["mem_available_mib"], short["mem_total_mib"], strict=True))
