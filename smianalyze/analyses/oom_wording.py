"""How an out-of-memory finding says what was missing, where the memory went, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from smianalyze.analyses.device_map import Witness
from smianalyze.analyses.oom_parts import OutOfMemory
from smianalyze.analyses.oom_verdict import Judged, Verdict
from smianalyze.analyses.wording import named
from smianalyze.language import say, sentences, text
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
    "printed": text("The log names the card."),
    "visible": text("The log names the GPUs that the job may see, and its own numbers count only those."),
    "order": text(
        "The log names the GPUs that the job may see. As the cards differ, it may be another one: CUDA "
        "counts the fastest first, unless `CUDA_DEVICE_ORDER=PCI_BUS_ID` is set."
    ),
    "pid": text("A process that the message names stands in the process table on this card."),
    "course": text("It is the only card that became as full as the message says."),
    "capacity": text("It is the only card of the size that the message says."),
    "unknown": text(
        "Which card of nvidia-smi it is cannot be told from these inputs; a line with "
        "`CUDA_VISIBLE_DEVICES` in the log would tell it."
    ),
}

SMALLER = text(
    "Lower the batch size (with gradient accumulation to keep its effect), or use activation checkpointing"
)
STEPS: dict[Verdict, str] = {
    "unsized": text("Take `nvidia-smi` while the job runs, to see who holds the card."),
    "open": text("Take `nvidia-smi` just before the failure: the message does not say what was free. {smaller}."),
    "too-big": text(
        "Look at the shape of the tensor that was asked for: no setting makes room for it. "
        "Often a full attention matrix, a sequence that is too long, or a wrong dimension."
    ),
    "limited": text(
        "Raise the limit (memory fraction, or the pool of the framework) if the card has room, "
        "or lower the batch size."
    ),
    "no-shortfall": text(
        "Run it again with `nvidia-smi -lms 200` beside it: another process may have freed "
        "its memory just then, or the free memory is in pieces."
    ),
    "neighbour": text("Take another card, or wait until the other process ends (end it if it is yours)."),
    "outside": text(
        "Run `nvidia-smi` on the host, to see which processes stand on this card; take another one, "
        "or end what is left of an earlier run."
    ),
    "primary": text("Take the extra load off this card first (see `primary-card-overhead`)."),
    "spilled": text("{smaller}: the driver already lends the job memory of the host, which is slow."),
    "too-little": text("{smaller}; or use a card with more memory."),
}
"""What to do by verdict; for pieces of memory the wording of the message decides."""


def title(group: Sequence[Judged]) -> str:
    """One sentence: the cards of messages of one kind, and what the last one says was missing, and why."""
    cards = _cards(group)
    one = text("A GPU ran out of memory{times}{asked}{clause}.")
    known = text("{cards} ran out of memory{times}{asked}{clause}.")
    return say(
        known if cards else one,
        cards=cards,
        times=say(" in {number:,} messages", number=len(group)) if len(group) > 1 else "",
        asked=_asked(group[-1].oom),
        clause=_clause(group[-1]),
    )


def why(judged: Judged, elsewhere: Mapping[int, int]) -> list[str]:
    """Where the memory went, and what tells the card, in some sentences."""
    parts = [_sum(judged.oom), _holders(judged), say(TOLD[judged.place.witness])]
    if elsewhere:
        few = sorted(elsewhere.items())[:MAX_HOLDERS]
        sizes = say(" and ").join(say("{size} MiB on GPU {gpu}", size=whole(size), gpu=gpu) for gpu, size in few)
        unseen = text("The job cannot see the cards with {sizes}: what is in use there does not matter here.")
        parts.append(say(unseen, sizes=sizes))
    return parts


def next_step(judged: Judged, free_cards: Sequence[int], idle: Sequence[int]) -> str:
    """The one thing to do.

    Args:
        judged: The message.
        free_cards: Other cards with room for all of it.
        idle: Cards that the job may see and does not use.
    """
    if judged.verdict == "neighbour" and free_cards:
        return say(
            "Take GPU {gpu}, which had room in the last print, or wait until the other process ends.",
            gpu=free_cards[0],
        )
    smaller = say(SMALLER)
    if judged.verdict == "too-little" and idle:
        return say(
            "{smaller}. {gpus} may be used too: with one process for each GPU, each takes its share.",
            smaller=smaller,
            gpus=named("GPU", idle),
        )
    return (
        _defragment(judged.oom) if judged.verdict == "fragmented" else say(STEPS[judged.verdict], smaller=smaller)
    )


def _cards(group: Sequence[Judged]) -> str:
    """Cards by their physical numbers, with those of the log where they differ; empty where both are unknown."""
    physical = sorted({judged.place.gpu_index for judged in group if judged.place.gpu_index is not None})
    logical = sorted({judged.oom.gpu_index for judged in group if judged.oom.gpu_index is not None})
    if not physical and not logical:
        return ""
    numbers = named("GPU", logical) if logical else ""
    if not physical:
        one, several = text("A GPU ({numbers} of the log)"), text("Several GPUs ({numbers} of the log)")
        return say(one if len(logical) == 1 else several, numbers=numbers)
    cards = named("GPU", physical)
    if any(judged.place.gpu_index is None for judged in group):
        cards = say("{cards} and others", cards=cards)
    if not logical or logical == physical:
        return cards
    return say("{cards} ({numbers} of the log)", cards=cards, numbers=numbers)


def _asked(oom: OutOfMemory) -> str:
    if oom.tried_mib is None:
        return say(", and no message says a size")
    size = _sizes(oom)
    said = say(": {size} asked for", size=size(oom.tried_mib))
    if oom.free_mib is not None:
        said += say(", {size} free", size=size(oom.free_mib))
    if oom.shortfall_mib is not None and oom.shortfall_mib > 0:
        said += say(", {size} short", size=size(oom.shortfall_mib))
    return said


def _clause(judged: Judged) -> str:
    """What the verdict adds to the sentence."""
    oom, size = judged.oom, _sizes(judged.oom)
    if judged.verdict == "neighbour":
        one = text(", while another process ({pids}) held {size} of the card")
        some = text(", while other processes ({pids}) held {size} of the card")
        held = size(sum(holder.mib or 0 for holder in judged.others))
        pids = named("PID", [holder.pid for holder in judged.others])
        return say(one if len(judged.others) == 1 else some, pids=pids, size=held)
    clauses: dict[Verdict, str] = {
        "too-big": say(", more than the {size} of the whole card", size=size(oom.total_mib)),
        "limited": say(
            ", {size} over the {allowed} that the framework may take",
            size=size(oom.over_limit_mib),
            allowed=size(oom.allowed_mib),
        ),
        "no-shortfall": say(", so the card was not full at that moment"),
        "fragmented": say(
            "; {size} were reserved but unused, so a fragmentation setting can help", size=size(oom.unused_mib)
        ),
        "primary": say("; it carries {size} more than the job's other cards", size=size(judged.overhead_mib)),
        "outside": say(
            "; {size} were held outside {framework}", size=size(oom.outside_mib), framework=_framework(oom)
        ),
        "too-little": say("; fragmentation settings cannot help") if oom.unused_mib is not None else "",
        "spilled": say("; tensors held more than the card has"),
    }
    return clauses.get(judged.verdict, "")


def _sum(oom: OutOfMemory) -> str:
    """The parts that make the total, as far as they are known."""
    size, framework = _sizes(oom), _framework(oom)
    parts = []
    if oom.reserved_mib is not None and oom.unused_mib is not None:
        parts.append(
            say(
                "{reserved} reserved by {framework} ({tensors} in tensors, {unused} reserved but unused, the most "
                "that fragmentation settings can win)",
                reserved=size(oom.reserved_mib),
                framework=framework,
                tensors=size(oom.allocated_mib),
                unused=size(oom.unused_mib),
            )
        )
    elif oom.allocated_mib is not None:
        parts.append(say("{size} in tensors of {framework}", size=size(oom.allocated_mib), framework=framework))
    if oom.outside_mib is not None:
        parts.append(say("{size} outside {framework}", size=size(oom.outside_mib), framework=framework))
    if oom.free_mib is not None:
        parts.append(say("{size} free", size=size(oom.free_mib)))
    if not parts:
        return ""
    whole = text("There were {parts}.") if oom.total_mib is None else text("Of {total}: {parts}.")
    return say(whole, total=size(oom.total_mib), parts=say(", ").join(parts))


def _holders(judged: Judged) -> str:
    oom, size = judged.oom, _sizes(judged.oom)
    if judged.others:
        listed = [f"PID {holder.pid} {size(holder.mib)}" for holder in judged.others[:MAX_HOLDERS]]
        return say("Held by other processes on this card: {processes}.", processes=say(", ").join(listed))
    if not oom.outside_mib:
        return ""
    return say(
        "The {size} outside are the job's own CUDA context and libraries, or another process.",
        size=size(oom.outside_mib),
    )


def _framework(oom: OutOfMemory) -> str:
    name = FRAMEWORKS.get(oom.framework or "")
    return say("{framework}", framework=name) if name else say("the framework")


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


def _defragment(oom: OutOfMemory) -> str:
    """The setting that the wording of the message allows for: each came with a version of PyTorch."""
    vendor = next((name for name in ("HIP", "NPU") if f"{name} out of memory" in oom.message), "CUDA")
    if "reserved by PyTorch but unallocated" in oom.message:
        setting = f"`PYTORCH_{vendor}_ALLOC_CONF=expandable_segments:True`"
        step = say("Set {setting} before the start.", setting=setting)
    elif "reserved in total" in oom.message:
        setting = f"`PYTORCH_{vendor}_ALLOC_CONF=max_split_size_mb:128`"
        step = say("Set {setting} (PyTorch 1.10 or newer) before the start.", setting=setting)
    else:
        step = say("Update PyTorch: this one has no setting against fragmentation.")
    return sentences(step, say("If memory grows from step to step, a setting only makes the run last longer."))
