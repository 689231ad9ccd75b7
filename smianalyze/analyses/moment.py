"""What a capture says about one snapshot: its cards, its processes, and whether the process list is whole."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.matching import MIB, chosen, known_true, per_process, with_index
from smianalyze.frames import Frames

OWN_MIB = 100
"""A card may hold so much beside its listed processes: 0 to 75 MiB is healthy, a CUDA context over 150."""

HELD_MIB = 256
"""From here on somebody holds memory: an idle card without a display keeps 25 MiB, a context over 150."""

LIST_GAP_S = 2
"""A process list of its own (``--query-compute-apps``) belongs to cards seen this close: ticks of 1 s."""


LASTING = ("name", "memory_total_mib", "power_limit_w")
"""What a card has from print to print."""


class Moment(NamedTuple):
    """One snapshot.

    ``host`` and ``time`` are None if unknown; ``processes`` has one row a process. ``is_whole`` says that the
    print has its head and goes on behind its cards, so that none is cut off; ``lists_processes``, that a process
    that it does not list was not there.
    """

    number: int
    host: str | None
    time: pd.Timestamp | None
    cards: pd.DataFrame
    processes: pd.DataFrame
    is_whole: bool
    lists_processes: bool


def moment_of(frames: Frames, number: int) -> Moment:
    """The snapshot of that number, with processes from a list of its own if that one was taken just then."""
    heads = frames.snapshots[frames.snapshots["snapshot"].eq(number)]
    host, time, section = (next(iter(heads[name].dropna()), None) for name in ("host", "time", "process_section"))
    cards = _with_lasting(_of_snapshot(frames.gpus, number), frames.gpus)
    rows = _of_snapshot(frames.processes, number)
    if rows.empty and time is not None and section in (None, "absent"):
        rows = _list_beside(frames, time)
    processes = _placed_by_size(per_process(with_index(rows, frames)), cards)
    believed = _is_believed(cards, processes, section) and number not in set(with_gaps(frames))
    has_head = heads[["smi_version", "driver_version"]].notna().any(axis=None)
    is_whole = bool(has_head) and section not in (None, "absent")
    return Moment(number, host, time, cards, processes, is_whole, believed)


def with_gaps(frames: Frames) -> pd.Series:
    """Numbers of the snapshots in which a process may be missing: a line was damaged, or the screen too small."""
    heads = frames.snapshots
    too_few = known_true(heads["cut_right"] | heads["cut_bottom"] | heads["damaged"])
    unseen: pd.Series = heads.loc[too_few, "snapshot"]
    if frames.problems.empty:
        return unseen
    cards = frames.gpus[["source", "line", "snapshot"]].dropna().astype({"line": int}).sort_values("line")
    lines = frames.problems[["source", "line"]].dropna().astype({"line": int}).sort_values("line")
    broken = pd.merge_asof(lines, cards, on="line", by="source")["snapshot"].dropna()
    return pd.Series(pd.concat([unseen, broken]))


def fullest(gpus: pd.DataFrame) -> int:
    """The snapshot with most memory in use over all its cards, the first of equals."""
    used = gpus.groupby("snapshot")["memory_used_mib"].sum()
    return int(used.index[int(used.to_numpy().argmax())])


def _of_snapshot(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    rows = chosen(frame, frame["snapshot"].eq(number))
    rows.attrs = {}  # pandas copies them deeply at every step
    return rows


def _with_lasting(cards: pd.DataFrame, gpus: pd.DataFrame) -> pd.DataFrame:
    """The cards with what lasts and their print leaves out, as ``dmon`` does, where all others say the same.

    Of several hosts each has a GPU of the same number: nothing is filled in.
    """
    missing = [name for name in LASTING if cards[name].isna().any()]
    if not missing or gpus["host"].nunique() > 1:
        return cards
    filled = {}
    for name in missing:
        said = gpus[["gpu_index", name]].dropna().drop_duplicates()
        agreed = said.drop_duplicates("gpu_index", keep=False).set_index("gpu_index")[name]
        filled[name] = cards[name].fillna(cards["gpu_index"].map(agreed).astype(cards[name].dtype))
    return cards.assign(**filled)


def _list_beside(frames: Frames, time: pd.Timestamp) -> pd.DataFrame:
    """Processes of the nearest snapshot in time that lists processes and no cards; none if it is not near."""
    if frames.processes.empty:
        return frames.processes
    lists = frames.processes[~frames.processes["snapshot"].isin(frames.gpus["snapshot"])]
    gaps = (lists["time"] - time).abs()
    near = gaps[gaps <= pd.Timedelta(seconds=LIST_GAP_S)]
    return lists[lists["snapshot"].isin(lists.loc[near[near == near.min()].index, "snapshot"])]


def _placed_by_size(processes: pd.DataFrame, cards: pd.DataFrame) -> pd.DataFrame:
    """Processes known by UUID only, each on the one card whose memory they explain; NA if two may be it.

    ``--query-compute-apps=gpu_uuid,…`` beside ``--query-gpu=index,…`` has no other link.
    """
    unplaced = processes[processes["gpu_index"].isna() & processes["gpu_uuid"].notna()]
    used = cards.set_index("gpu_index")["memory_used_mib"].dropna()
    if unplaced.empty or used.empty:
        return processes
    listed = unplaced.groupby("gpu_uuid")[MIB].agg(lambda mib: mib.sum(skipna=False)).dropna()
    rest = used.to_numpy(int) - listed.to_numpy(int)[:, None]
    fits = (rest >= 0) & (rest <= OWN_MIB)
    uuids, indexes = (fits & (fits.sum(axis=0) == 1) & (fits.sum(axis=1, keepdims=True) == 1)).nonzero()
    placed = processes["gpu_uuid"].map(pd.Series(used.index[indexes], index=listed.index[uuids]))
    return processes.assign(gpu_index=processes["gpu_index"].fillna(placed.astype("Int64")))


def _is_believed(cards: pd.DataFrame, processes: pd.DataFrame, section: object) -> bool:
    """Whether the list can be believed: with sizes, or empty while the cards are empty too."""
    if len(processes):
        return bool(processes["used_gpu_memory_mib"].notna().any())
    return section == "none_found" and not (cards["memory_used_mib"] >= HELD_MIB).any()
