"""CUDA calls that failed: what the error means, and what shows its place."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, of_kind, times
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, text


class Kind(NamedTuple):
    """A wording: what it looks like, what it says in a title, why that happens, and the next step."""

    wording: str
    says: str
    why: str
    next_step: str


DEBUG = text(
    "Run the job again as `CUDA_LAUNCH_BLOCKING=1 python …`: the traceback then ends at the line that fails, "
    "which otherwise stands some lines further down."
)
KINDS = (
    Kind(
        "device-side assert",
        text("a check in GPU code failed, mostly an index or a label that is out of range"),
        text("A class label of at least the number of classes, or a token beyond the vocabulary, does that."),
        DEBUG,
    ),
    Kind(
        "illegal memory access|misaligned|unspecified launch failure|invalid (?:address|program)",
        text("GPU code of the job used memory that is not its own"),
        text(
            "It is a mistake in the job or in one of its libraries. After it the process cannot use the GPU any "
            "more."
        ),
        DEBUG,
    ),
    Kind(
        "no kernel image",
        text("the installed build has no code for this card"),
        text("A framework holds code for some generations of cards only."),
        text("Install a build that is made for this card, with a newer CUDA version."),
    ),
    Kind(
        "uncorrectable ECC",
        text("memory of the card lost data that it could not repair"),
        text("It is the fault of the card, not of the job."),
        text("Take another card, and have this one reset (`sudo nvidia-smi --gpu-reset -i NUMBER`)."),
    ),
    Kind(
        "launch timed out",
        text("GPU code ran longer than a card with a screen allows"),
        text("The driver ends code that keeps a screen from being drawn for some seconds."),
        text("Use a card without a screen, or less work in one call."),
    ),
    Kind(
        "driver on your system is too old|driver version is insufficient",
        text("the driver is older than the CUDA version of the program"),
        text("A driver runs programs of its own CUDA version and older ones (top right in `nvidia-smi`)."),
        text("Install a newer driver, or a build of the framework for an older CUDA version."),
    ),
    Kind(
        "Torch not compiled",
        text("the installed PyTorch is one for processors alone"),
        text("It was installed without CUDA."),
        text("Install PyTorch again with the command that pytorch.org gives for your CUDA version."),
    ),
    Kind(
        "No CUDA GPUs|no NVIDIA driver|CUDA initialization|driver initialization|cuInit|CUDA-capable|"
        "initialization error",
        text("the program found no GPU that it can use"),
        text(
            "No card is visible to it: an empty `CUDA_VISIBLE_DEVICES`, a container without GPUs, or a driver "
            "that does not run."
        ),
        text(
            "Run `nvidia-smi` in the same place as the program, and print `CUDA_VISIBLE_DEVICES` there. In a "
            "container, start it with `--gpus all`."
        ),
    ),
)
OTHER = Kind(
    "",
    text("a call of CUDA or one of its libraries failed"),
    text("The message in the log says which one."),
    DEBUG,
)


def cuda_error(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log and kind of error."""
    rows = of_kind(frames.events, "cuda_error", "cuda_init_failed")
    kinds = pd.Series([_kind(str(message)) for message in rows["message"]], index=rows.index, dtype="Int64")
    return [
        _finding((*KINDS, OTHER)[int(str(kind))], found) for (_, kind), found in rows.groupby(["source", kinds])
    ]


def _kind(message: str) -> int:
    """The place of the first wording that fits; behind the last one for any other."""
    return next((number for number, kind in enumerate(KINDS) if re.search(kind.wording, message)), len(KINDS))


def _finding(kind: Kind, rows: pd.DataFrame) -> Finding:
    return Finding(
        id="cuda-error",
        severity="high",
        title=say("A CUDA error ended a program{times}: {says}.", times=times(rows), says=say(kind.says)),
        why=say(kind.why),
        next_step=say(kind.next_step),
        evidence=evidence(rows),
        confidence="medium" if kind is OTHER else "high",
    )
