"""Shared memory (``/dev/shm``), through which loader processes and NCCL hand over data, was full."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, of_kind, processes, says
from smianalyze.analyses.wording import mib
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text


def shared_memory_full(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each input that says so; several lines and processes say it of one failure."""
    rows = of_kind(frames.events, "shm_full", "dataloader_worker_killed")
    rows = rows[rows["kind"].eq("shm_full") | says(rows, "Bus error")]
    return [_finding(found) for _, found in rows.groupby("source")]


def _finding(rows: pd.DataFrame) -> Finding:
    by_nccl = says(rows, "NCCL").all()
    asked = rows["tried_mib"].max()
    nccl = text("NCCL ran out of shared memory in `/dev/shm`{size}.")
    loader = text("A data loader process{pids} ran out of shared memory in `/dev/shm`{size}.")
    ranks = text("The ranks of one host hand data over through `/dev/shm`.")
    loaders = text("Loader processes and the training process hand data over through `/dev/shm`.")
    return Finding(
        id="shared-memory-full",
        severity="high",
        title=say(
            nccl if by_nccl else loader,
            pids=processes(rows),
            size=say(" ({size} could not be had)", size=mib(max(asked, 1))) if pd.notna(asked) else "",
        ),
        why=sentences(
            say(ranks if by_nccl else loaders),
            say("A container has only 64 MiB of it unless it is started with more."),
        ),
        next_step=say(
            "Start the container with more (`docker run --shm-size=16g`, or `--ipc=host`; in Kubernetes an "
            "`emptyDir` of medium Memory at `/dev/shm`). Outside of a container, `df -h /dev/shm` shows who fills "
            "it."
        ),
        evidence=evidence(rows),
    )
