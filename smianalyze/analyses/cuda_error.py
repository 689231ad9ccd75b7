"""CUDA calls that failed: what the error means, and what shows its place."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, of_kind, times
from smianalyze.findings import Finding
from smianalyze.frames import Frames


class Kind(NamedTuple):
    """A wording: what it looks like, what it says in a title, why that happens, and the next step."""

    wording: str
    says: str
    why: str
    next_step: str


DEBUG = (
    "Run the job again as `CUDA_LAUNCH_BLOCKING=1 python …`: the traceback then ends at the line that fails, "
    "which otherwise stands some lines further down."
)
KINDS = (
    Kind(
        "device-side assert",
        "a check in GPU code failed, mostly an index or a label that is out of range",
        "A class label of at least the number of classes, or a token beyond the vocabulary, does that.",
        DEBUG,
    ),
    Kind(
        "illegal memory access|misaligned|unspecified launch failure|invalid (?:address|program)",
        "GPU code of the job used memory that is not its own",
        "It is a mistake in the job or in one of its libraries. After it the process cannot use the GPU any more.",
        DEBUG,
    ),
    Kind(
        "no kernel image",
        "the installed build has no code for this card",
        "A framework holds code for some generations of cards only.",
        "Install a build that is made for this card, with a newer CUDA version.",
    ),
    Kind(
        "uncorrectable ECC",
        "memory of the card lost data that it could not repair",
        "It is the fault of the card, not of the job.",
        "Take another card, and have this one reset (`sudo nvidia-smi --gpu-reset -i NUMBER`).",
    ),
    Kind(
        "launch timed out",
        "GPU code ran longer than a card with a screen allows",
        "The driver ends code that keeps a screen from being drawn for some seconds.",
        "Use a card without a screen, or less work in one call.",
    ),
    Kind(
        "driver on your system is too old|driver version is insufficient",
        "the driver is older than the CUDA version of the program",
        "A driver runs programs of its own CUDA version and older ones (top right in `nvidia-smi`).",
        "Install a newer driver, or a build of the framework for an older CUDA version.",
    ),
    Kind(
        "Torch not compiled",
        "the installed PyTorch is one for processors alone",
        "It was installed without CUDA.",
        "Install PyTorch again with the command that pytorch.org gives for your CUDA version.",
    ),
    Kind(
        "No CUDA GPUs|no NVIDIA driver|CUDA initialization|driver initialization|cuInit|CUDA-capable|"
        "initialization error",
        "the program found no GPU that it can use",
        "No card is visible to it: an empty `CUDA_VISIBLE_DEVICES`, a container without GPUs, or a driver that "
        "does not run.",
        "Run `nvidia-smi` in the same place as the program, and print `CUDA_VISIBLE_DEVICES` there. In a "
        "container, start it with `--gpus all`.",
    ),
)
OTHER = Kind("", "a call of CUDA or one of its libraries failed", "The message in the log says which one.", DEBUG)


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
        title=f"A CUDA error ended a program{times(rows)}: {kind.says}.",
        why=kind.why,
        next_step=kind.next_step,
        evidence=evidence(rows),
        confidence="medium" if kind is OTHER else "high",
    )
