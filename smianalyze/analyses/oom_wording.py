"""How an out-of-memory finding says what was missing, where the memory went, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from smianalyze.analyses.device_map import Witness
from smianalyze.analyses.oom_parts import OutOfMemory
from smianalyze.analyses.oom_verdict import Judged
from smianalyze.analyses.wording import named
from smianalyze.quantities import whole

MIB_PER_GIB = 1024

EXACT_BELOW_MIB = 100
"""Smaller sizes are written with a decimal."""

MAX_HOLDERS = 4
"""So many processes, or cards, are named with their memory."""

FRAMEWORKS = {
    **{"pytorch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX", "paddle": "Paddle", "cupy": "CuPy"},
    **{
        "llama.cpp": "llama.cpp",
        "nccl": "NCCL",
        "cuda": "CUDA",
        "cublas": "cuBLAS",
        "cudnn": "cuDNN",
        "hip": "HIP",
    },
}

TOLD: dict[Witness, str] = {
    "printed": "The log names the card.",
    "visible": "The log names the GPUs that the job may see, and its own numbers count only those.",
    "order": "The log names the GPUs that the job may see. As the cards differ, it may be another one: CUDA "
    "counts the fastest first, unless `CUDA_DEVICE_ORDER=PCI_BUS_ID` is set.",
    "pid": "A process that the message names stands in the process table on this card.",
    "course": "It is the only card that became as full as the message says.",
    "capacity": "It is the only card of the size that the message says.",
    "unknown": "Which card of nvidia-smi it is cannot be told from these inputs; a line with "
    "`CUDA_VISIBLE_DEVICES` in the log would tell it.",
}

SMALLER = "Lower the batch size (with gradient accumulation to keep its effect), or use activation checkpointing"
LONGER_ONLY = "If memory grows from step to step, a setting only makes the run last longer."


def title(group: Sequence[Judged]) -> str:
    """One sentence: the cards of messages of one kind, and what the last one says was missing, and why."""
    times = f" in {len(group):,} messages" if len(group) > 1 else ""
    return f"{_cards(group)} ran out of memory{times}{_asked(group[-1].oom)}{_clause(group[-1])}."


def why(judged: Judged, elsewhere: Mapping[int, int]) -> str:
    """Where the memory went, and what tells the card."""
    parts = [_sum(judged.oom), _holders(judged), TOLD[judged.place.witness]]
    if elsewhere:
        sizes = " and ".join(
            f"{whole(size)} MiB on GPU {gpu}" for gpu, size in sorted(elsewhere.items())[:MAX_HOLDERS]
        )
        parts.append(f"The job cannot see the cards with {sizes}: what is in use there does not matter here.")
    return " ".join(part for part in parts if part)


def next_step(judged: Judged, free_cards: Sequence[int], idle: Sequence[int]) -> str:
    """The one thing to do.

    Args:
        judged: The message.
        free_cards: Other cards with room for all of it.
        idle: Cards that the job may see and does not use.
    """
    if judged.verdict == "neighbour" and free_cards:
        return f"Take GPU {free_cards[0]}, which had room in the last print, or wait until the other process ends."
    if judged.verdict == "too-little" and idle:
        beside = f"{named('GPU', idle)} may be used too: with one process for each GPU, each takes its share."
        return f"{SMALLER}. {beside}"
    return _STEPS.get(judged.verdict, _smaller)(judged.oom)


def _cards(group: Sequence[Judged]) -> str:
    """Cards by their physical numbers, with those of the log where they differ."""
    physical = sorted({judged.place.gpu_index for judged in group if judged.place.gpu_index is not None})
    logical = sorted({judged.oom.gpu_index for judged in group if judged.oom.gpu_index is not None})
    name = named("GPU", physical) if physical else "A GPU"
    if any(judged.place.gpu_index is None for judged in group):
        name = f"{name} and others" if physical else "Several GPUs" if len(logical) > 1 else name
    return f"{name} ({named('GPU', logical)} of the log)" if logical and logical != physical else name


def _asked(oom: OutOfMemory) -> str:
    if oom.tried_mib is None:
        return ", and no message says a size"
    size = _sizes(oom)
    said = f": {size(oom.tried_mib)} asked for"
    if oom.free_mib is not None:
        said += f", {size(oom.free_mib)} free"
    if oom.shortfall_mib is not None and oom.shortfall_mib > 0:
        said += f", {size(oom.shortfall_mib)} short"
    return said


def _clause(judged: Judged) -> str:
    """What the verdict adds to the sentence."""
    oom, size = judged.oom, _sizes(judged.oom)
    if judged.verdict == "neighbour":
        held = size(sum(holder.mib or 0 for holder in judged.others))
        who = "another process" if len(judged.others) == 1 else "other processes"
        return f", while {who} ({named('PID', [holder.pid for holder in judged.others])}) held {held} of the card"
    clauses = {
        "too-big": f", more than the {size(oom.total_mib)} of the whole card",
        "limited": f", {size(oom.over_limit_mib)} over the {size(oom.allowed_mib)} that the framework may take",
        "no-shortfall": ", so the card was not full at that moment",
        "fragmented": f"; {size(oom.unused_mib)} were reserved but unused, so a fragmentation setting can help",
        "primary": f"; it carries {size(judged.overhead_mib)} more than the job's other cards",
        "outside": f"; {size(oom.outside_mib)} were held outside {_framework(oom)}",
        "too-little": "; fragmentation settings cannot help" if oom.unused_mib is not None else "",
        "spilled": "; tensors held more than the card has",
    }
    return clauses.get(judged.verdict, "")


def _sum(oom: OutOfMemory) -> str:
    """The parts that make the total, as far as they are known."""
    size, framework = _sizes(oom), _framework(oom)
    parts = []
    if oom.reserved_mib is not None and oom.unused_mib is not None:
        parts.append(
            f"{size(oom.reserved_mib)} reserved by {framework} ({size(oom.allocated_mib)} in tensors, "
            f"{size(oom.unused_mib)} reserved but unused, the most that fragmentation settings can win)"
        )
    elif oom.allocated_mib is not None:
        parts.append(f"{size(oom.allocated_mib)} in tensors of {framework}")
    if oom.outside_mib is not None:
        parts.append(f"{size(oom.outside_mib)} outside {framework}")
    if oom.free_mib is not None:
        parts.append(f"{size(oom.free_mib)} free")
    if not parts:
        return ""
    return (
        f"{'Of ' + size(oom.total_mib) + ': ' if oom.total_mib is not None else 'There were '}{', '.join(parts)}."
    )


def _holders(judged: Judged) -> str:
    oom, size = judged.oom, _sizes(judged.oom)
    if judged.others:
        listed = ", ".join(f"PID {holder.pid} {size(holder.mib)}" for holder in judged.others[:MAX_HOLDERS])
        return f"Held by other processes on this card: {listed}."
    if not oom.outside_mib:
        return ""
    return f"The {size(oom.outside_mib)} outside are the job's own CUDA context and libraries, or another process."


def _framework(oom: OutOfMemory) -> str:
    return FRAMEWORKS.get(oom.framework or "", "the framework")


def _sizes(oom: OutOfMemory) -> Callable[[float | None], str]:
    """Writes sizes in the unit of the message: GiB where that much was asked for, else MiB."""
    in_gib = oom.tried_mib is not None and oom.tried_mib >= MIB_PER_GIB

    def size(value: float | None) -> str:
        if value is None:
            return "?"
        if in_gib:
            return f"{value / MIB_PER_GIB:,.2f} GiB"
        return f"{value:,.1f} MiB" if value < EXACT_BELOW_MIB and value % 1 else f"{value:,.0f} MiB"

    return size


def _smaller(oom: OutOfMemory) -> str:
    return f"{SMALLER}; or use a card with more memory."


def _defragment(oom: OutOfMemory) -> str:
    """The setting that the wording of the message allows for: each came with a version of PyTorch."""
    vendor = next((name for name in ("HIP", "NPU") if f"{name} out of memory" in oom.message), "CUDA")
    if "reserved by PyTorch but unallocated" in oom.message:
        setting = f"`PYTORCH_{vendor}_ALLOC_CONF=expandable_segments:True`"
    elif "reserved in total" in oom.message:
        setting = f"`PYTORCH_{vendor}_ALLOC_CONF=max_split_size_mb:128` (PyTorch 1.10 or newer)"
    else:
        return f"Update PyTorch: this one has no setting against fragmentation. {LONGER_ONLY}"
    return f"Set {setting} before the start. {LONGER_ONLY}"


_STEPS: dict[str, Callable[[OutOfMemory], str]] = {
    "unsized": lambda oom: "Take `nvidia-smi` while the job runs, to see who holds the card.",
    "open": lambda oom: (
        f"Take `nvidia-smi` just before the failure: the message does not say what was free. {SMALLER}."
    ),
    "too-big": lambda oom: (
        "Look at the shape of the tensor that was asked for: no setting makes room for it. "
        "Often a full attention matrix, a sequence that is too long, or a wrong dimension."
    ),
    "limited": lambda oom: (
        "Raise the limit (memory fraction, or the pool of the framework) if the card has room, "
        "or lower the batch size."
    ),
    "no-shortfall": lambda oom: (
        "Run it again with `nvidia-smi -lms 200` beside it: another process may have freed "
        "its memory just then, or the free memory is in pieces."
    ),
    "fragmented": _defragment,
    "neighbour": lambda oom: "Take another card, or wait until the other process ends (end it if it is yours).",
    "outside": lambda oom: (
        "Run `nvidia-smi` on the host, to see which processes stand on this card; take another one, "
        "or end what is left of an earlier run."
    ),
    "primary": lambda oom: "Take the extra load off this card first (see `primary-card-overhead`).",
    "spilled": lambda oom: f"{SMALLER}: the driver already lends the job memory of the host, which is slow.",
}
