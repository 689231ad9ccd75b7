"""What changed between two snapshots: cards, processes, and the card that carries more than its peers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from smianalyze.analyses.changes import card_changes, process_changes
from smianalyze.analyses.matching import chosen, known_true, matched
from smianalyze.analyses.moment import Moment, fullest, moment_of
from smianalyze.analyses.primary_card import NOISE_MIB, Primary, primary_of_growth
from smianalyze.frames import Frames

__all__ = ["Comparison", "Primary", "compare", "compare_run", "compare_snapshots"]

PLATEAU_SHARE = 0.9
"""A series is judged while the card holds this share of its growth: a moment of loading does not count."""


SHOWN = ("memory_used_mib", "utilization_gpu_pct")

SERIES_PRINTS = 10
"""So many prints are a series, which may outlast its job; fewer were taken by hand, the last one on purpose."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two snapshots side by side; in every column NA is unknown.

    Attributes:
        gpus: One row for each GPU of either snapshot, by gpu_index: gpu_index (now; before, if it vanished),
            name, change (matched, appeared, vanished, unknown), ``*_before``, ``*_after`` and ``*_delta`` of
            memory, utilization, power, temperature and fan, pstate, gpu_index, source and line on both sides,
            memory_total_mib, power_limit_w, mig_mode, and used_by_job (its memory grew by more than noise).
        processes: One row for each process of either snapshot, by GPU and PID: gpu_index, gpu_instance_id,
            pid, type, process_name, change (started, ended, grown, shrunk, unchanged, unknown),
            ``used_gpu_memory_mib_*``, source and line on both sides. Without a process list on one side
            nobody can be said to have started or ended: unknown.
        primary: The card that carries more than its peers.
        before: Number of the first snapshot.
        after: Number of the second one.
        elapsed_s: Seconds from the first to the second, None if a time is unknown.
    """

    gpus: pd.DataFrame
    processes: pd.DataFrame
    primary: Primary | None
    before: int
    after: int
    elapsed_s: float | None


def compare_snapshots(frames: Frames, before: int, after: int) -> Comparison:
    """Two snapshots of one capture.

    Args:
        frames: The capture.
        before: Number of the first snapshot.
        after: Number of the second one.
    """
    return _compare(moment_of(frames, before), moment_of(frames, after))


def compare(before: Frames, after: Frames) -> Comparison | None:
    """Two captures: the first snapshot of one and the last of the other (of a series, its fullest).

    Args:
        before: Taken before the job, or of another run.
        after: Taken while the job runs.

    Returns:
        None if one of them has no card.
    """
    if before.gpus["snapshot"].isna().all() or after.gpus["snapshot"].isna().all():
        return None
    first = int(_with_memory(before.gpus)["snapshot"].min())
    return _compare(moment_of(before, first), moment_of(after, _when_it_ran(_with_memory(after.gpus))))


def compare_run(frames: Frames) -> Comparison | None:
    """Before and after of one capture: its first snapshot and its last (of a series, its fullest).

    A primary card must then last: while it holds most of its memory, not in one moment of loading.

    Args:
        frames: A capture; of several hosts the first one is compared.

    Returns:
        None with fewer than two snapshots that have cards.
    """
    gpus = _with_memory(frames.gpus)
    is_first = gpus["snapshot"].eq(gpus["snapshot"].min())
    first, later = chosen(gpus, is_first), chosen(gpus, ~is_first)
    if len(first) and pd.notna(first["host"].iloc[0]):
        later = chosen(later, later["host"].eq(first["host"].iloc[0]))
    if later.empty:
        return None
    found = compare_snapshots(frames, int(first["snapshot"].iloc[0]), _when_it_ran(later))
    return found if _lasts(found, later) else replace(found, primary=None)


def _with_memory(gpus: pd.DataFrame) -> pd.DataFrame:
    """The columns to choose by, of prints that show memory if any does: ``vgpu`` and ``dmon`` may show none.

    A print without utilization counts too: its cards may be lost.
    """
    rows = gpus[["snapshot", "host", "gpu_index", *SHOWN]].dropna(subset="snapshot")
    if rows[SHOWN[0]].notna().all():
        return rows
    memory, use = (rows[name].notna().groupby(rows["snapshot"]).transform("any") for name in SHOWN)
    return rows[memory | ~use] if memory.any() else rows


def _when_it_ran(gpus: pd.DataFrame) -> int:
    """The snapshot that shows the job: the last of a few, or the one of a series with most memory in use."""
    return fullest(gpus) if gpus["snapshot"].nunique() >= SERIES_PRINTS else int(gpus["snapshot"].max())


def _lasts(comparison: Comparison, gpus: pd.DataFrame) -> bool:
    """Whether the primary card stands out in the median of the moments in which it is nearly full."""
    primary, cards = comparison.primary, comparison.gpus
    if primary is None or primary.basis == "processes":
        return True
    start = cards[cards["change"].eq("matched")].set_index("gpu_index")["memory_used_mib_before"]
    used = gpus.pivot_table(index="snapshot", columns="gpu_index", values="memory_used_mib", aggfunc="last")
    growth = used[[primary.gpu_index, *primary.peers]] - start
    own = growth[primary.gpu_index]
    surplus = own - growth[list(primary.peers)].median(axis=1)
    return bool(surplus[own >= PLATEAU_SHARE * own.max()].median() > NOISE_MIB)


def _compare(before: Moment, after: Moment) -> Comparison:
    """The comparison; of two hosts it has no job, as PIDs and memory of one say nothing about the other.

    Prints without host names are of two hosts if a slot holds cards of two models.
    """
    one_host = before.host is None or after.host is None or before.host == after.host
    one_host = one_host and not _has_other_cards(before, after)
    gpus = card_changes(before, after)
    processes = process_changes(before, after, gpus)
    if not one_host:
        change = gpus["change"].where(gpus["change"].eq("matched"), "unknown")
        gpus = gpus.assign(used_by_job=gpus["used_by_job"].mask(gpus["used_by_job"].notna()), change=change)
        processes = processes.assign(change=processes["change"].mask(processes["change"].notna(), "unknown"))
    return Comparison(
        gpus=gpus,
        processes=processes,
        primary=primary_of_growth(gpus, processes) if one_host else None,
        before=before.number,
        after=after.number,
        elapsed_s=_seconds(before.time, after.time),
    )


def _has_other_cards(before: Moment, after: Moment) -> bool:
    """Whether a card of the second print is of another model than the one in the same place in the first."""
    pairs = matched(before.cards, after.cards)
    pairs = pairs[pairs["change"].eq("matched")]
    old, new = before.cards.iloc[pairs["before"]], after.cards.iloc[pairs["after"]]
    names = zip(old["name"], new["name"], strict=True)
    sizes = old["memory_total_mib"].reset_index(drop=True).eq(new["memory_total_mib"].reset_index(drop=True))
    is_other = pd.Series([not _may_be_one_model(*pair) for pair in names], dtype=bool)
    return bool((is_other & ~known_true(sizes)).any())


def _may_be_one_model(before: object, after: object) -> bool:
    """Whether two names may be of one model: a table cuts long ones, and older drivers leave out the vendor."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return True
    old, new = before.removesuffix("..."), after.removesuffix("...")
    return old in new or new in old


def _seconds(before: pd.Timestamp | None, after: pd.Timestamp | None) -> float | None:
    """Seconds between two times; None if one is unknown, or only one has a zone."""
    if before is None or after is None or (before.tz is None) != (after.tz is None):
        return None
    return (after - before).total_seconds()
