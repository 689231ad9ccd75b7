"""Which GPU of one print is which of another, and on which GPU a process runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.frames import Frames

MIB = "used_gpu_memory_mib"
_SEEN = ["snapshot", "gpu_index", "pid"]  # where these differ, the others need not be looked at
PROCESS = ["snapshot", "gpu_index", "gpu_uuid", "pci_bus_id", "gpu_instance_id", "pid", "process_name"]
"""What makes a process of one snapshot: a PID may be used again, for a program of another name."""


def bus_key(bus_ids: pd.Series) -> pd.Series:
    """Bus ids in one spelling, whatever their case, the width of their domain and a missing function number.

    ``00000000:3B:00.0``, ``0000:3b:00.0`` and the kernel's ``0000:3b:00`` are the same slot.
    """
    return bus_ids.str.lower().str.lstrip("0").str.removesuffix(".0")


def known_true(condition: pd.Series) -> pd.Series:
    """Plain booleans: what is unknown does not hold."""
    return condition.fillna(False).astype(bool)


def chosen(rows: pd.DataFrame, which: pd.Series | np.ndarray) -> pd.DataFrame:
    """The rows of which a condition is true; those that stand together are not copied.

    Args:
        rows: Perhaps millions.
        which: Of each row, by its position; unknown is false.
    """
    is_one = known_true(which).to_numpy() if isinstance(which, pd.Series) else which
    if is_one.all():
        return rows
    places = np.flatnonzero(is_one)
    if len(places) and places[-1] - places[0] + 1 == len(places):
        return rows.iloc[places[0] : places[-1] + 1]
    return rows.iloc[places]


def matched(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Which row of ``before`` is which row of ``after``, by UUID, else bus id, else index.

    Args:
        before: GPUs of one snapshot, with uuid, pci_bus_id, gpu_index.
        after: GPUs of another one.

    Returns:
        ``before`` and ``after`` are row positions (-1: none), ``change`` is matched, vanished, appeared, or
        unknown where a row has nothing that tells it from every GPU of the other snapshot.
    """
    same, told = _same(before, after)
    one_to_one = same & (same.sum(axis=0) == 1) & (same.sum(axis=1, keepdims=True) == 1)
    left, right = one_to_one.nonzero()
    gone = (~one_to_one.any(axis=1)).nonzero()[0]
    new = (~one_to_one.any(axis=0)).nonzero()[0]
    changes = [
        np.full(len(left), "matched"),
        np.where(_is_alone(same[gone], told[gone]), "vanished", "unknown"),
        np.where(_is_alone(same[:, new].T, told[:, new].T), "appeared", "unknown"),
    ]
    return pd.DataFrame(
        {
            "before": np.concatenate([left, gone, np.full(len(new), -1)]),
            "after": np.concatenate([right, np.full(len(gone), -1), new]),
            "change": pd.Series(np.concatenate(changes), dtype="string"),
        }
    )


def with_index(rows: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    """The rows with ``gpu_index`` filled where only a UUID or bus id was printed; NA where nothing tells it.

    Args:
        rows: Have gpu_index, pci_bus_id and perhaps gpu_uuid (a list of processes from CSV has no index).
        frames: The capture; its GPUs and ``-L`` lines say which UUID and bus id has which index, and where they
            do not, its processes: those of a UUID are all on one GPU.
    """
    index = rows["gpu_index"]
    if index.notna().all():
        return rows
    if "gpu_uuid" in rows:
        named = pd.concat([frames.gpus[["uuid", "gpu_index"]], frames.devices[["uuid", "gpu_index"]]])
        index = index.fillna(rows["gpu_uuid"].map(_index_of(named["uuid"], named["gpu_index"])))
        index = index.fillna(rows["gpu_uuid"].map(_index_of_same_pids(frames.processes)))
    slots = _index_of(bus_key(frames.gpus["pci_bus_id"]), frames.gpus["gpu_index"])
    return rows.assign(gpu_index=index.fillna(bus_key(rows["pci_bus_id"]).map(slots)))


def per_process(processes: pd.DataFrame) -> pd.DataFrame:
    """One row for each process, GPU, MIG GPU instance and snapshot, with all its memory counted once.

    The driver may list a process once as C and once as G, each time with all its memory, and once for each
    MIG compute instance, each time with the memory of that one. A sum with an unknown part is unknown. A row
    with neither PID nor memory (``pmon`` prints one for an idle card) is no process.
    """
    is_process = processes["pid"].notna() | processes[MIB].notna()
    listed = processes if is_process.all() else processes[is_process]
    if not (listed.duplicated(_SEEN).any() and listed.duplicated(PROCESS).any()):
        return listed
    instance = [*PROCESS, "compute_instance_id"]
    rows = listed.sort_values("type", kind="stable")  # C before G: a process that computes stays one
    rows = rows.assign(**{MIB: rows.groupby(instance, dropna=False)[MIB].transform("max")})
    rows = rows.drop_duplicates(instance)
    parts = rows.assign(unknown=rows[MIB].isna()).groupby(PROCESS, dropna=False)
    total = parts[MIB].transform("sum").mask(parts["unknown"].transform("any"))
    return rows.assign(**{MIB: total}).drop_duplicates(PROCESS).sort_index()


def _index_of_same_pids(processes: pd.DataFrame) -> pd.Series:
    """The one GPU index that lists all PIDs of a UUID, by UUID: ``pmon`` beside ``--query-compute-apps``.

    PIDs that no index lists say nothing. Of several hosts each may use the same PID.
    """
    if processes["host"].nunique() > 1:
        return pd.Series(dtype="Int64")
    by_index = processes[["pid", "gpu_index"]].dropna().drop_duplicates()
    by_uuid = processes.loc[processes["gpu_index"].isna(), ["pid", "gpu_uuid"]].dropna().drop_duplicates()
    pairs = by_uuid.merge(by_index, on="pid")
    shared = pairs.groupby(["gpu_uuid", "gpu_index"])["pid"].size().rename("shared").reset_index()
    listed = shared["gpu_uuid"].map(pairs.groupby("gpu_uuid")["pid"].nunique())
    fits = shared[shared["shared"].eq(listed)]
    alone = fits.drop_duplicates("gpu_uuid", keep=False).drop_duplicates("gpu_index", keep=False)
    return alone.set_index("gpu_uuid")["gpu_index"]


def _same(before: pd.DataFrame, after: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of rows: whether it is the same GPU, and whether that can be told.

    The strongest key that is known on both sides decides, as an index moves when a GPU is lost and a slot may
    be refilled.
    """
    same = np.zeros((len(before), len(after)), dtype=bool)
    told = np.zeros_like(same)
    for left, right in zip(_keys(before), _keys(after), strict=True):
        both = left.notna().to_numpy(bool)[:, None] & right.notna().to_numpy(bool)
        equal = left.fillna("").to_numpy(object)[:, None] == right.fillna("").to_numpy(object)
        same |= equal.astype(bool) & both & ~told
        told |= both
    return same, told


def _is_alone(same: np.ndarray, told: np.ndarray) -> np.ndarray:
    """Which rows are certainly none of the others: there are some, and each can be told from it."""
    count = told.shape[1]
    alone: np.ndarray = (same.sum(axis=1) == 0) & (told.sum(axis=1) == count)
    return alone if count else np.zeros_like(alone)


def _keys(gpus: pd.DataFrame) -> tuple[pd.Series, ...]:
    """What tells GPUs apart, the strongest first."""
    return (gpus["uuid"], bus_key(gpus["pci_bus_id"]), gpus["gpu_index"].astype("string"))


def _index_of(keys: pd.Series, indexes: pd.Series) -> pd.Series:
    """The GPU index of each key; a key with two indexes (another host, after a reboot) is left out."""
    known = pd.DataFrame({"key": keys, "gpu_index": indexes}).dropna().drop_duplicates()
    return known.drop_duplicates("key", keep=False).set_index("key")["gpu_index"]
