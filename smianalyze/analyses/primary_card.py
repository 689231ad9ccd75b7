"""Which card of a job carries more than its peers, and by what mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import pandas as pd

from smianalyze.analyses.matching import known_true, per_process, with_index
from smianalyze.analyses.wording import places
from smianalyze.findings import Evidence
from smianalyze.frames import Frames

Basis = Literal["delta", "processes"]
Mechanism = Literal["extra-contexts", "data-parallel", "gather", "unknown"]

NOISE_MIB = 200
"""A smaller surplus is noise: ranks of one job differ by tens of MiB, a CUDA context is 200 to 600."""

NOISE_SHARE = 0.02
"""Nor does a surplus below this share of the peers' growth count: allocators round up in large blocks."""

PEER_SHARE = 0.25
"""A card with less than this share of the median growth is no peer: a notebook beside the job, say."""

ALIKE_SHARE = 0.1
"""Ranks of one job take as much memory within a tenth; without PIDs, other cards may be several jobs."""

CONTEXT_SHARE = 0.5
"""On its second card a rank holds a context and perhaps a checkpoint; with more than this it works there."""

CONTEXT_MIB = 1024
"""The same for a small model, beside which its context is large: one alone takes up to 600 MiB."""

OTHERS_MIB = 32
"""Other jobs that change by more than this on a card spoil its total; then the job's processes are summed."""


class ExtraContext(NamedTuple):
    """A process of the job with a context on the primary card, though it works on another one."""

    pid: int
    used_gpu_memory_mib: int


class Standout(NamedTuple):
    """The card with the most, its peers, what the median of them has, and the surplus over it."""

    gpu_index: int
    peers: tuple[int, ...]
    peer_mib: int
    surplus_mib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """The card that carries more than the other cards of its job.

    Attributes:
        gpu_index: The card.
        peers: The other cards of the job.
        overhead_mib: What it has above the median of its peers.
        peer_mib: That median.
        basis: ``delta`` of the cards' memory, or the memory of the job's ``processes``.
        mechanism: ``extra-contexts``, ``data-parallel``, ``gather``, or ``unknown``.
        extra_contexts: The other ranks' processes on it.
        expected_contexts: How many there would be if every other rank had one; None if the job is not known.
        processes_known: Whether a process table could have shown the mechanism.
        evidence: Where it stands in the inputs.
    """

    gpu_index: int
    peers: tuple[int, ...]
    overhead_mib: int
    peer_mib: int
    basis: Basis
    mechanism: Mechanism
    extra_contexts: tuple[ExtraContext, ...] = ()
    expected_contexts: int | None = None
    processes_known: bool = True
    evidence: tuple[Evidence, ...] = ()


def primary_of_growth(gpus: pd.DataFrame, processes: pd.DataFrame) -> Primary | None:
    """The primary card of the job that started or grew between two snapshots.

    Args:
        gpus: The ``gpus`` of a comparison.
        processes: Its ``processes``.

    Returns:
        None where no card stands out, where the job has one card, and where two cards may be two jobs.
    """
    cards = gpus[gpus["change"].eq("matched") & ~known_true(gpus["mig_mode"].eq("Enabled"))]
    job = _job(processes)
    growth, basis = _growth(cards, processes, job)
    found = standout(growth[growth >= PEER_SHARE * growth.median()])
    if found is None:
        return None
    shares = job if len(job) else _seen_after(processes)
    mechanism, extra = _mechanism(shares, found, certain=len(job) > 0)
    without_pids = mechanism in ("gather", "unknown")
    if without_pids and len(found.peers) == 1 and found.surplus_mib > found.peer_mib:
        return None  # one rank twice as large as the only other one: more likely two jobs
    if without_pids and _differ(growth[list(found.peers)]):
        return None
    top = cards[cards["gpu_index"].eq(found.gpu_index)]
    ranks = shares[shares["pid"].isin(extra["pid"])]
    seen = ((top, "_before"), (top, "_after"), (ranks, "_after"))
    return Primary(
        gpu_index=found.gpu_index,
        peers=found.peers,
        overhead_mib=found.surplus_mib,
        peer_mib=found.peer_mib,
        basis=basis,
        mechanism=mechanism,
        extra_contexts=_contexts(extra),
        expected_contexts=len(found.peers) if len(job) else None,
        processes_known=len(shares) > 0,
        evidence=tuple(place for rows, side in seen for place in places(rows, suffix=side)),
    )


def _differ(peers: pd.Series) -> bool:
    """Whether the other cards are so unlike that nothing says that they work for one job."""
    return bool(peers.max() - peers.min() > ALIKE_SHARE * peers.median())


def primary_of_snapshot(frames: Frames, snapshot: int) -> Primary | None:
    """The primary card of a job that one snapshot shows, by its processes alone.

    Growth is not known here, and jobs of several people may run. So only a PID on several cards is evidence:
    ranks with a context on one rank's card, or one process that holds more on one of at least three cards.

    Args:
        frames: A capture.
        snapshot: Number of the snapshot.

    Returns:
        The largest overhead of its jobs; None where no job shows one.
    """
    rows = frames.processes[frames.processes["snapshot"].eq(snapshot)]
    rows = _computing(per_process(with_index(rows, frames)), "used_gpu_memory_mib")
    mig = frames.gpus.loc[frames.gpus["mig_mode"].eq("Enabled"), "gpu_index"]
    rows = rows[~rows["gpu_index"].isin(mig)]
    found = [_by_contexts(job) for _, job in rows.groupby(_program(rows["process_name"]))]
    found += [_by_one_process(job) for _, job in rows.groupby("pid")]
    primaries = [primary for primary in found if primary is not None]
    return max(primaries, key=lambda primary: primary.overhead_mib, default=None)


def standout(held: pd.Series) -> Standout | None:
    """The card that has more than the others, if noise and their own differences cannot explain it.

    Args:
        held: MiB by gpu_index.

    Returns:
        None with fewer than two cards, and where the surplus over the median of the others is noise or no
        larger than the others differ among themselves.
    """
    if len(held) < 2:
        return None
    top = _fullest(held)
    others = held.drop(top)
    surplus = held[top] - others.median()
    if surplus <= max(NOISE_MIB, NOISE_SHARE * others.median(), others.max() - others.min()):
        return None
    peers = tuple(sorted(int(gpu) for gpu in others.index))
    return Standout(top, peers, round(others.median()), round(surplus))


def _fullest(held: pd.Series) -> int:
    return int(held.index[int(held.to_numpy().argmax())])


def _growth(cards: pd.DataFrame, processes: pd.DataFrame, job: pd.DataFrame) -> tuple[pd.Series, Basis]:
    """What the job took on each card: the cards' growth, or its processes where others changed as well."""
    deltas = cards.set_index("gpu_index")["memory_used_mib_delta"].dropna()
    if job.empty:
        return deltas[deltas.index.isin(cards.loc[cards["used_by_job"].eq(True), "gpu_index"])], "delta"
    own = job.groupby("gpu_index")["mib"].sum()
    others = processes[processes["gpu_index"].isin(own.index) & ~processes.index.isin(job.index)]
    moved = others["used_gpu_memory_mib_delta"].abs().groupby(others["gpu_index"]).sum()
    if own.index.isin(deltas.index).all() and not (moved > OTHERS_MIB).any():
        return deltas[own.index], "delta"
    return own, "processes"


def _job(processes: pd.DataFrame) -> pd.DataFrame:
    """The processes of the job: those that started, else those that grew; of several programs the widest.

    Who was there before and did not change belongs to somebody else.
    """
    rows = _computing(processes, "used_gpu_memory_mib_delta")
    started = rows[rows["change"].eq("started")]
    job = started if len(started) else rows[rows["change"].eq("grown")]
    program = _program(job["process_name"])
    if program.nunique() < 2:
        return job
    programs = job.groupby(program).agg(cards=("gpu_index", "nunique"), mib=("mib", "sum"))
    return job[program.eq(programs.sort_values(["cards", "mib"]).index[-1])]


def _seen_after(processes: pd.DataFrame) -> pd.DataFrame:
    """Processes of the second snapshot of which the first one says nothing: the job's, or other people's."""
    return _computing(processes[processes["change"].eq("unknown")], "used_gpu_memory_mib_after")


def _computing(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Compute processes on a known GPU, with their known size in ``mib``; graphics is no job."""
    graphics = known_true(~rows["type"].str.contains("C"))
    known = rows[["pid", "gpu_index", column]].notna().all(axis=1)
    return rows.assign(mib=rows[column])[known & ~graphics]


def _program(names: pd.Series) -> pd.Series:
    """Names without digits: ranks may carry theirs, as in ``VLLM::Worker_TP0``."""
    return names.str.replace(r"[0-9]+", "", regex=True).fillna("")


def _mechanism(shares: pd.DataFrame, found: Standout, *, certain: bool) -> tuple[Mechanism, pd.DataFrame]:
    """Why the card stands out, and the rows of other ranks' contexts on it.

    Args:
        shares: Processes with pid, gpu_index, mib.
        found: The card.
        certain: Whether all of them belong to the job.
    """
    extra = _bare_contexts(shares)
    extra = extra[extra["gpu_index"].eq(found.gpu_index)]
    none = extra.iloc[:0]
    if len(extra) and (certain or extra["mib"].sum() <= found.surplus_mib + NOISE_MIB):
        return "extra-contexts", extra
    mine = shares[shares["gpu_index"].isin([found.gpu_index, *found.peers])]
    spans = mine.groupby("pid")["gpu_index"].nunique()
    wide = mine[mine["pid"].isin(spans.index[spans == len(found.peers) + 1])].groupby("gpu_index")["mib"].sum()
    if len(wide) and 2 * (wide[found.gpu_index] - wide.drop(found.gpu_index).median()) > found.surplus_mib:
        return "data-parallel", none
    if certain and spans.eq(1).all() and not mine["gpu_index"].duplicated().any():
        return "gather", none
    return "unknown", none


def _bare_contexts(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of processes that hold their main memory on another card and little more than a context here."""
    main = rows.groupby("pid")["mib"].transform("max")
    little = (rows["mib"] <= CONTEXT_SHARE * main) | (rows["mib"] <= CONTEXT_MIB)
    return rows[little & (rows["mib"] < main)]


def _contexts(rows: pd.DataFrame) -> tuple[ExtraContext, ...]:
    pairs = rows.sort_values("pid")[["pid", "mib"]].itertuples(index=False, name=None)
    return tuple(ExtraContext(int(pid), int(mib)) for pid, mib in pairs)


def _by_contexts(rows: pd.DataFrame) -> Primary | None:
    """The primary card of one program, if its processes on other cards hold contexts on it."""
    extra = _bare_contexts(rows)
    if extra.empty:
        return None
    top = _fullest(extra.groupby("gpu_index")["mib"].sum())
    here = extra[extra["gpu_index"].eq(top)]
    mains = rows[~rows.index.isin(extra.index)]
    peers = mains[mains["pid"].isin(here["pid"])].groupby("gpu_index")["mib"].sum()
    contexts = extra.groupby("gpu_index")["mib"].sum().reindex([top, *peers.index]).fillna(0)
    found = standout(contexts)
    if found is None or top not in set(mains["gpu_index"]) or found.surplus_mib <= NOISE_SHARE * peers.median():
        return None
    return Primary(
        gpu_index=found.gpu_index,
        peers=found.peers,
        overhead_mib=found.surplus_mib,
        peer_mib=round(peers.median()),
        basis="processes",
        mechanism="extra-contexts",
        extra_contexts=_contexts(here),
        evidence=places(here),
    )


def _by_one_process(rows: pd.DataFrame) -> Primary | None:
    """The primary card of one process, if it holds more on one of at least three cards.

    With two cards, or unequal others, it may as well have placed a model across them.
    """
    found = standout(rows.groupby("gpu_index")["mib"].sum())
    if found is None or len(found.peers) < 2:
        return None
    return Primary(
        gpu_index=found.gpu_index,
        peers=found.peers,
        overhead_mib=found.surplus_mib,
        peer_mib=found.peer_mib,
        basis="processes",
        mechanism="data-parallel",
        evidence=places(rows),
    )
