"""Errors of NCCL, through which the ranks of a job exchange their data."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, of_kind, times
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, text


class Kind(NamedTuple):
    """What a code of NCCL says in a title, and the next step."""

    says: str
    next_step: str


EARLIER = text("Look for the first error of any rank before this line: that one is the cause.")
INFO = text("Start again with `NCCL_DEBUG=INFO`, which prints the call that failed before this line.")
CODES = {
    "ncclRemoteError": Kind(text("another rank ended, or the network between two hosts broke"), EARLIER),
    "ncclUnhandledCudaError": Kind(
        text("a CUDA call in it failed, such as for memory that is not there"), EARLIER
    ),
    "ncclSystemError": Kind(text("a call of the system failed, mostly the network or shared memory"), INFO),
    "ncclInvalidUsage": Kind(
        text("it was used wrongly, mostly by two ranks on one card"),
        text("Give each rank its card before anything else: `torch.cuda.set_device(local_rank)`."),
    ),
    "ncclInvalidArgument": Kind(text("it was given a wrong argument"), INFO),
    "ncclInternalError": Kind(text("it failed in itself, mostly by versions that do not fit"), INFO),
}
OTHER = Kind(text("the message does not say why"), INFO)


def nccl_error(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log and code."""
    rows = of_kind(frames.events, "nccl_error")
    return [_finding(found) for _, found in rows.groupby(["source", "code"], dropna=False)]


def _finding(rows: pd.DataFrame) -> Finding:
    kind = CODES.get(str(rows["code"].iloc[0]), OTHER)
    return Finding(
        id="nccl-error",
        severity="high",
        title=say("Communication between ranks failed{times}: {says}.", times=times(rows), says=say(kind.says)),
        why=say(
            "Ranks are the processes of a job, one for each card; NCCL carries their data. When it fails in one, "
            "the others cannot go on."
        ),
        next_step=say(kind.next_step),
        evidence=evidence(rows),
        confidence="medium" if kind is OTHER else "high",
    )
