"""A framework whose CUDA runtime is older than the card: kernels are compiled at the first load, or missing."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, numbers, of_kind, says
from smianalyze.analyses.wording import named
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say

FIRST_RUNTIME = {5: "6.5", 6: "8.0", 7: "9.0", 8: "11.0", 9: "11.8", 10: "12.8", 11: "13.0", 12: "12.8"}
"""For each major compute capability the first CUDA toolkit that compiles for it (its release notes). A kernel runs
on all cards of its major capability with the same or a higher minor one, so the minor one does not matter."""

NOT_COMPATIBLE = "is not compatible with the current PyTorch installation"
_VERSION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")


class Version(NamedTuple):
    """A version of CUDA or a compute capability, to be compared."""

    major: int
    minor: int


def runtime_older_than_gpu(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log that names a runtime without code for its card, or says that it has none."""
    rows = of_kind(frames.events, "runtime_versions").dropna(subset=["compute_capability"])
    older = [
        _is_older(*pair) for pair in zip(rows["runtime_cuda_version"], rows["compute_capability"], strict=True)
    ]
    missing = says(rows, NOT_COMPATIBLE)
    compiled = rows[pd.Series(older, index=rows.index, dtype=bool) & ~missing]
    return [
        *(_compiled(found) for _, found in compiled.groupby("source")),
        *(_missing(found) for _, found in rows[missing].groupby("source")),
    ]


def _is_older(runtime: object, capability: object) -> bool:
    """Whether a runtime has no code for a capability; False where a version or the capability is not known."""
    has, card = version(runtime), version(capability)
    needed = version(FIRST_RUNTIME.get(card.major)) if card else None
    return has is not None and needed is not None and has < needed


def version(text: object) -> Version | None:
    """``10.2`` as numbers; None for anything else."""
    match = _VERSION.match(text) if isinstance(text, str) else None
    return Version(int(match[1]), int(match[2])) if match else None


def _compiled(rows: pd.DataFrame) -> Finding:
    runtime, card = rows["runtime_cuda_version"].iloc[0], version(rows["compute_capability"].iloc[0])
    first = FIRST_RUNTIME[card.major] if card else "?"
    return Finding(
        id="runtime-older-than-gpu",
        severity="medium",
        title=say(
            "The framework was built with CUDA {runtime}, which has no code for {cards}; CUDA {first} is the "
            "first that has.",
            runtime=_said(runtime),
            cards=_cards(rows),
            first=first,
        ),
        why=say(
            "The driver then compiles every kernel when it is loaded first, which takes minutes before the first "
            "step and fills memory slowly; kernels without a portable form fail."
        ),
        next_step=say(
            "Install a build of the framework for CUDA {first} or newer. Until then a larger `CUDA_CACHE_MAXSIZE` "
            "(4294967296) keeps what was compiled for the next start.",
            first=first,
        ),
        evidence=evidence(rows),
    )


def _missing(rows: pd.DataFrame) -> Finding:
    return Finding(
        id="runtime-older-than-gpu",
        severity="high",
        title=say("The installed PyTorch has no code for {cards}, and says so.", cards=_cards(rows)),
        why=say(
            "PyTorch holds kernels for some generations of cards only. On another one each of its kernels fails "
            "with `no kernel image is available for execution on the device`."
        ),
        next_step=say(
            "Install a PyTorch that is built for this card: the selector on pytorch.org, with the newest "
            "CUDA version that the driver allows (top right in `nvidia-smi`)."
        ),
        evidence=evidence(rows),
    )


def _cards(rows: pd.DataFrame) -> str:
    cards = numbers(rows, "gpu_index")
    return say(
        "{cards} (compute capability {capability})",
        cards=say("{gpus} of the log", gpus=named("GPU", cards)) if cards else say("a card"),
        capability=_said(rows["compute_capability"].iloc[0]),
    )


def _said(text: object) -> str:
    """A version in our own digits."""
    found = version(text)
    return f"{found.major}.{found.minor}" if found else "?"
