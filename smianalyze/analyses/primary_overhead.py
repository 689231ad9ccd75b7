"""Which card limits the job, because it carries more than the others, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.primary_card import Basis, Primary, primary_of_snapshot
from smianalyze.analyses.wording import mib, named
from smianalyze.findings import Confidence, Finding, Severity
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

HIGH_SHARE = 0.10
"""An overhead of this share of what the peers carry costs a tenth of the batch size on every card."""


TITLES: dict[tuple[Basis, bool], str] = {
    ("delta", False): text("GPU {gpu} grew by {more} more than {peers}{clause}."),
    ("delta", True): text("GPU {gpu} grew by {more} more than the median of {peers}{clause}."),
    ("processes", False): text("GPU {gpu} carries {more} more than {peers}{clause}."),
    ("processes", True): text("GPU {gpu} carries {more} more than the median of {peers}{clause}."),
}
"""By what the number was taken from, and whether there are several peers."""


class Cause(NamedTuple):
    """The mechanism in words: behind the number, as an explanation, and the step that fits."""

    clause: str
    why: str
    next_step: str


DATA_PARALLEL = Cause(
    text(", and one process drives them all"),
    text(
        "`torch.nn.DataParallel` keeps outputs, loss and gradients of all cards on its first one. A model "
        "that is placed across cards by hand can look the same."
    ),
    text("Use `DistributedDataParallel`: one process a card, the same memory on each."),
)
GATHER = Cause(
    text(", with one process on each card"),
    text(
        "One rank collects from the others (outputs or metrics gathered on its card) or does work that only it "
        "has, such as evaluation."
    ),
    text(
        "Gather on the CPU (a `gloo` group, tensors moved with `.cpu()` first), or reduce numbers instead of "
        "gathering tensors on one rank."
    ),
)
UNEXPLAINED = Cause(
    "",
    text("The process tables show no contexts of other ranks on it, nor one process on all cards."),
    text("Look at what runs on this card only: evaluation, logging, data loader workers that use CUDA."),
)
UNLISTED = Cause(
    text("; the cause cannot be told without a process table"),
    text("Contexts of other ranks, DataParallel and gathering on one rank all look like this from outside."),
    text("Take `nvidia-smi` with its process table (on the host) while the job runs, and compare again."),
)


def primary_card_overhead(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """The card that carries more than its peers: by growth, or by the processes of one snapshot."""
    if comparison is not None and comparison.primary is not None:
        return [_finding(comparison.primary, compared=True)]
    grew = comparison is not None and bool(comparison.gpus["used_by_job"].any())
    held = frames.processes.groupby("snapshot")["used_gpu_memory_mib"].sum()
    if grew or held.empty:
        return []
    primary = primary_of_snapshot(frames, int(held.index[int(held.to_numpy().argmax())]))
    return [] if primary is None else [_finding(primary, compared=False)]


def _finding(primary: Primary, *, compared: bool) -> Finding:
    cause = _cause(primary)
    confidence = _confidence(primary)
    return Finding(
        id="primary-card-overhead",
        severity=_severity(primary, confidence),
        title=say(
            TITLES[primary.basis, len(primary.peers) > 1],
            gpu=primary.gpu_index,
            more=mib(primary.overhead_mib),
            peers=named("GPU", primary.peers),
            clause=cause.clause,
        ),
        why=sentences(cause.why, _basis(primary, compared=compared)),
        next_step=cause.next_step,
        gpus=(primary.gpu_index,),
        evidence=primary.evidence,
        confidence=confidence,
    )


def _cause(primary: Primary) -> Cause:
    if primary.mechanism == "extra-contexts":
        return _contexts(primary)
    if primary.mechanism == "data-parallel":
        return _said(DATA_PARALLEL)
    if primary.mechanism == "gather":
        return _said(GATHER)
    return _said(UNEXPLAINED if primary.processes_known else UNLISTED)


def _said(cause: Cause) -> Cause:
    return Cause(*(part and say(part) for part in cause))


def _contexts(primary: Primary) -> Cause:
    pids = [context.pid for context in primary.extra_contexts]
    held = mib(sum(context.used_gpu_memory_mib for context in primary.extra_contexts))
    one = text(", because {pids}, which works on another card, also opened a context on it ({held})")
    some = text(", because {pids}, which work on other cards, also opened contexts on it ({held} in all)")
    return Cause(
        say(one if len(pids) == 1 else some, pids=named("PID", pids), held=held),
        sentences(
            say(
                "A rank that makes a CUDA call before it chooses its card, or loads a checkpoint without "
                "`map_location`, leaves a context on the first card."
            ),
            "" if primary.expected_contexts is None else _of_all(len(pids), primary.expected_contexts),
        ),
        say(
            "Give each rank its card before its first CUDA call, with `torch.cuda.set_device(local_rank)`, and "
            "load checkpoints with `map_location`."
        ),
    )


def _of_all(number: int, ranks: int) -> str:
    if ranks == 1:
        return say("The other rank did.")
    if number == ranks:
        return say("All {ranks} other ranks did.", ranks=ranks)
    return say("{number} of {ranks} other ranks did.", number=number, ranks=ranks)


def _basis(primary: Primary, *, compared: bool) -> str:
    """What the number was taken from."""
    if primary.basis == "delta":
        return say("Memory that was in use before is not counted.")
    if compared:
        return say(
            "Other processes on these cards changed too, so the job's processes are compared, not the cards."
        )
    return say("One snapshot shows no growth, so this is what the processes of the job hold.")


def _confidence(primary: Primary) -> Confidence:
    """High where PIDs prove it; low where two cards may be two jobs, or where the first card is another."""
    if primary.mechanism == "extra-contexts":
        return "high"
    return "medium" if len(primary.peers) > 1 and primary.gpu_index < primary.peers[0] else "low"


def _severity(primary: Primary, confidence: Confidence) -> Severity:
    if confidence == "low":
        return "low"
    return "high" if primary.overhead_mib >= HIGH_SHARE * primary.peer_mib else "medium"
