"""The cards and the processes of two snapshots side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.matching import MIB, bus_key, known_true, matched
from smianalyze.analyses.moment import Moment

JOB_MIB = 150
"""Growth from which a card is used by the job: the smallest context seen; an idle card moves by 25 MiB."""

MEASURES = (
    "memory_used_mib",
    "utilization_gpu_pct",
    "power_draw_w",
    "temperature_gpu_c",
    "fan_speed_pct",
)
LASTING = ("gpu_index", "name", "memory_total_mib", "power_limit_w", "mig_mode")
"""Columns that stand once: from the second snapshot, or from the first where only that one has them."""

PER_SIDE = ("gpu_index", "pstate", "source", "line")
PROCESS = ["card", "gpu_instance_id", "pid"]
PROCESS_LASTING = ["gpu_index", "type", "process_name"]
PROCESS_PER_SIDE = [MIB, "source", "line"]


def card_changes(before: Moment, after: Moment) -> pd.DataFrame:
    """The ``gpus`` of a comparison: one row for each card of either snapshot, by gpu_index."""
    pairs = matched(before.cards, after.cards)
    left = before.cards.reset_index(drop=True).reindex(pairs["before"]).reset_index(drop=True)
    right = after.cards.reset_index(drop=True).reindex(pairs["after"]).reset_index(drop=True)
    columns = {name: right[name].fillna(left[name]) for name in LASTING}
    columns["change"] = _card_change(pairs["change"].astype("string"), before, after)
    for name in MEASURES:
        columns |= {f"{name}_before": left[name], f"{name}_after": right[name]}
        columns[f"{name}_delta"] = right[name] - left[name]
    columns["used_by_job"] = columns["memory_used_mib_delta"] > JOB_MIB
    for name in PER_SIDE:
        columns |= {f"{name}_before": left[name], f"{name}_after": right[name]}
    return pd.DataFrame(columns).sort_values("gpu_index", kind="stable", ignore_index=True)


def process_changes(before: Moment, after: Moment, cards: pd.DataFrame) -> pd.DataFrame:
    """The ``processes`` of a comparison: one row for each process of either snapshot, by GPU and PID.

    Args:
        before: The first snapshot.
        after: The second one.
        cards: Their card changes; a GPU whose index moved keeps its processes.
    """
    moved = cards.dropna(subset="gpu_index_before").drop_duplicates("gpu_index_before")
    now = moved.set_index("gpu_index_before")["gpu_index"]
    earlier = before.processes["gpu_index"]
    left = _placed(before.processes.assign(gpu_index=earlier.map(now).fillna(earlier)))
    right = _placed(after.processes)
    both = _split_reused(left.merge(right, on=PROCESS, how="outer", suffixes=("_before", "_after")))
    whole = before.lists_processes and after.lists_processes and _in_one_spelling(left, right)
    columns = {name: both[f"{name}_after"].fillna(both[f"{name}_before"]) for name in PROCESS_LASTING}
    columns |= {"gpu_instance_id": both["gpu_instance_id"], "pid": both["pid"], **_changes(both, whole=whole)}
    sides = [f"{name}_{side}" for name in PROCESS_PER_SIDE for side in ("before", "after")]
    changes = pd.DataFrame(columns | {name: both[name] for name in sides})
    return changes.sort_values(["gpu_index", "pid"], kind="stable", ignore_index=True)


def _card_change(change: pd.Series, before: Moment, after: Moment) -> pd.Series:
    """Who is missing from a print that may be cut has not vanished, nor appeared."""
    change = change if after.is_whole else change.replace("vanished", "unknown")
    return change if before.is_whole else change.replace("appeared", "unknown")


def _placed(processes: pd.DataFrame) -> pd.DataFrame:
    """The columns to compare; UUID and bus id say where a process runs only if the index does not."""
    rows = processes[processes["pid"].notna()]
    card = rows["gpu_index"].astype("string").fillna(rows["gpu_uuid"]).fillna(bus_key(rows["pci_bus_id"]))
    return rows[[*PROCESS[1:], *PROCESS_LASTING, *PROCESS_PER_SIDE]].assign(card=card, listed=True)


def _in_one_spelling(left: pd.DataFrame, right: pd.DataFrame) -> bool:
    """Whether both lists name cards in the same way: an index on one side cannot be found by UUID."""
    return len({bool(side["gpu_index"].notna().all()) for side in (left, right) if len(side)}) < 2


def _split_reused(both: pd.DataFrame) -> pd.DataFrame:
    """A PID that belongs to another program now is two processes: one ended, another started."""
    names = zip(both["process_name_before"], both["process_name_after"], strict=True)
    reused = both[[not _same_program(old, new) for old, new in names]]
    if reused.empty:
        return both
    parts = [both.drop(index=reused.index)]
    for side in ("_after", "_before"):
        other = [name for name in both.columns.astype(str) if name.endswith(side)]
        parts.append(reused.assign(**{name: reused[name].mask(reused["listed_after"].notna()) for name in other}))
    return pd.concat(parts, ignore_index=True)


def _same_program(before: object, after: object) -> bool:
    """Whether two names may be of one program: a table cuts long paths at the front, ``...bin/python``."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return True
    old, new = before.lstrip("."), after.lstrip(".")
    return old.endswith(new) or new.endswith(old)


def _changes(both: pd.DataFrame, *, whole: bool) -> dict[str, pd.Series]:
    """The ``change`` of each process and the growth of its memory.

    Args:
        both: The processes of both sides.
        whole: Whether a process that one side does not list was not there.
    """
    old, new = both[f"{MIB}_before"], both[f"{MIB}_after"]
    started, ended = both["listed_before"].isna() & whole, both["listed_after"].isna() & whole
    delta = (new - old).mask(started, new).mask(ended, -old)
    sign = (started, ended, *(known_true(holds) for holds in (delta > 0, delta < 0, delta == 0)))
    change = np.select(sign, ("started", "ended", "grown", "shrunk", "unchanged"), "unknown")
    return {"change": pd.Series(change, index=both.index, dtype="string"), f"{MIB}_delta": delta}
