"""Rows of a CSV block to snapshots: which rows one run, or one tick of a series, has printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from smianalyze.columns import HOST, TIME
from smianalyze.formats.csv_header import Header
from smianalyze.formats.tick_starts import next_equal, starts_of
from smianalyze.frame_parts import Part, flags
from smianalyze.shapes import Flags, Indexes

SECOND = 1_000_000  # of the microseconds in which times are compared
TICK = SECOND  # rows of a tick follow each other faster: a GPU takes 5 to 100 ms, and -l counts whole seconds
SAME_TIME = SECOND // 50  # rows of one GPU have one time; without its name only times this close are one tick
MAX_CARDS = 16  # no host has more; beyond it rows of no time are a series
SPREAD = SECOND // 4  # from the first to the second row of a tick at most; a series of one GPU may be as quick
MIN_PAUSES = 3  # so many pauses at equal distances are no stalls of a series of one GPU
CLEARLY = 2  # the pause between two ticks is so much longer than any inside, or the ticks cannot be told

BY_ORDER = "Rows name no GPU: they were taken for GPUs 0, 1, … in the order in which they were printed."
SAME_INDEX = "Rows of several GPUs have the same index: another column tells them apart."
WHICH_GPU = "Rows name no GPU (index, uuid, pci.bus_id): which one a row is about is unknown."
_INDEX = "gpu_index"
MAX_CODE = 2**16  # smaller numbers name themselves
_OF_A_PROCESS = ("pid", "process_name")


class Ticks(NamedTuple):
    """The first row of each snapshot, how many GPUs each has where their order names them, and a note."""

    starts: Indexes
    cards: int = 0
    note: str = ""


class _Rows(NamedTuple):
    """What tells one tick from the next.

    Attributes:
        keys: A number for each value that names a GPU, one row of them for each such column; -1 is unknown.
        times: Microseconds; 0 where the time is unknown.
        dated: Where it is known.
        later: Rows that the row before shows to be later than its tick.
    """

    keys: npt.NDArray[np.int64]
    times: Indexes
    dated: Flags
    later: Flags


def columns_for_ticks(header: Header) -> set[str]:
    """Names of the columns that :func:`ticks` looks at."""
    keys = {target.name for target in header.targets if target.is_key}
    return keys | {TIME.name, HOST.name, _INDEX, *_OF_A_PROCESS}


def name_gpus(part: Part, header: Header) -> bool:
    """Whether some row names its GPU: then no row below can change which rows are one tick, but for the last."""
    names = {target.name for target in header.targets if target.is_key} & part.columns.keys()
    return any(bool(flags(part.columns[name], part.count).any()) for name in names)


def ticks(part: Part, header: Header, begins: Flags, *, is_whole: bool) -> Ticks:
    """Which rows make a snapshot, and what has to be said about them ("" if nothing).

    Without a name of the GPU in the rows, their order is one if every tick clearly has as many rows as the next.

    Args:
        part: All rows of a block, one or more.
        header: Its columns.
        begins: Rows above which a header stands.
        is_whole: Whether no row is missing between two others.
    """
    rows = _rows(part, header, begins)
    if header.has_many_rows_a_gpu:
        return Ticks(_by_key(rows, part, header))
    if (rows.keys >= 0).any():
        starts = _by_key(rows, part, header)
        return Ticks(starts, note=SAME_INDEX if _share_an_index(part, starts, header) else "")
    cards = _cards(rows, header, begins) if is_whole else 1
    starts = np.arange(0, part.count, cards)
    if cards == 1:
        return Ticks(starts, note=WHICH_GPU if part.count > 1 else "")
    return Ticks(starts, cards, BY_ORDER)


def _rows(part: Part, header: Header, begins: Flags) -> _Rows:
    names = dict.fromkeys(target.name for target in header.targets if target.is_key)
    keys = np.array([_codes(part, name) for name in names], np.int64).reshape(len(names), part.count)
    times, dated = np.zeros(part.count, np.int64), np.zeros(part.count, np.bool_)
    if TIME.name in part.columns:
        cells = part.columns[TIME.name]
        dated = flags(cells, part.count)
        times = np.where(dated, cells.values.astype("M8[us]").astype(np.int64), 0)
    hosts = _codes(part, HOST.name)
    gaps = _gaps(times, dated)
    later = begins.copy()
    later[1:] |= (hosts[1:] != hosts[:-1]) | (gaps < 0) | (gaps > TICK)
    return _Rows(keys, times, dated, later)


def _codes(part: Part, name: str) -> Indexes:
    """A number for each value of a column, -1 where it is unknown."""
    cells = part.columns.get(name)
    if cells is None:
        return np.full(part.count, -1, np.int64)
    values, known = cells.values, flags(cells, part.count)
    is_number = values.dtype.kind == "i" and values.min(initial=0) >= 0 and values.max(initial=0) < MAX_CODE
    codes = values.astype(np.int64) if is_number or cells.texts is not None else pd.factorize(values)[0]
    return codes if known.all() else np.where(known, codes, -1)


def _gaps(times: Indexes, dated: Flags) -> Indexes:
    """From each row to the next; 0 if a time is unknown."""
    return np.where(dated[1:] & dated[:-1], np.diff(times), 0)


def _by_key(rows: _Rows, part: Part, header: Header) -> Indexes:
    """A row about a GPU that the tick has begins the next one; all processes of a GPU have one time."""
    many = header.has_many_rows_a_gpu
    if not many and all((key >= 0).all() or (key < 0).all() for key in rows.keys):
        return starts_of(next_equal(_joint(rows.keys)), rows.later)
    if many and not rows.dated.any():
        return starts_of(next_equal(_full_keys(rows, part)), rows.later)
    if many and rows.dated.all() and len(rows.keys):
        following = next_equal(_joint(rows.keys))
        times = np.append(rows.times, 0)
        is_same = (following < part.count) & (times[following] == rows.times)
        return starts_of(np.where(is_same, part.count, following), rows.later)
    return np.array(list(_one_by_one(rows, _full_keys(rows, part), many=many)), np.int64)


def _joint(keys: npt.NDArray[np.int64]) -> Indexes:
    """One number for several."""
    joint: Indexes = keys[0]
    for key in keys[1:]:
        joint, _ = pd.factorize(joint * (key.max() + 2) + key)
    return joint


def _full_keys(rows: _Rows, part: Part) -> Indexes:
    """What tells one row of a list of processes or pages from the next; pages of one GPU may read alike."""
    pids = _codes(part, "pid")
    joint = _joint(np.stack([*rows.keys, pids, _codes(part, "process_name")]))
    return np.where(pids < 0, joint.max() + 1 + np.arange(part.count), joint)


def _one_by_one(rows: _Rows, full_keys: Indexes, *, many: bool) -> Iterator[int]:
    seen: dict[object, int | None] = {}
    named: dict[tuple[int, object], object] = {}
    keys = list(zip(*rows.keys.tolist(), strict=True)) or [()] * len(full_keys)
    for place, key in enumerate(keys):
        time = int(rows.times[place]) if rows.dated[place] else None
        name = int(full_keys[place]) if many and time is None else key
        before = name if name in seen or many else _named_in_part(key, named)
        if place == 0 or rows.later[place] or (before in seen and _repeats(seen[before], time, key, many=many)):
            yield place
            seen, named = {}, {}
        seen.setdefault(name, time)
        named.update((part, key) for part in enumerate(key))


def _named_in_part(key: Sequence[int], named: Mapping[tuple[int, object], object]) -> object:
    """The key of the GPU that a key with unknown parts, as in a row that was cut, names by the others."""
    if -1 not in key:
        return None
    found = {named.get((place, part)) for place, part in enumerate(key) if part != -1}
    return found.pop() if len(found) == 1 else None


def _repeats(first: int | None, time: int | None, key: Sequence[int], *, many: bool) -> bool:
    if not many or first is None or time is None:
        return True
    return abs(time - first) > (0 if key else SAME_TIME)


def _share_an_index(part: Part, starts: Indexes, header: Header) -> bool:
    """Whether rows of a tick were printed where only that GPU could be seen, as in a container."""
    keys = {target.name for target in header.targets if target.is_key}
    if _INDEX not in part.columns or keys == {_INDEX}:
        return False
    ends = np.append(starts[1:], part.count)
    end_of = np.repeat(ends, np.diff(np.append(starts, part.count)))
    indexes = _codes(part, _INDEX)
    return bool(((indexes >= 0) & (next_equal(indexes) < end_of)).any())


def _cards(rows: _Rows, header: Header, begins: Flags) -> int:
    """How many GPUs each tick of rows without a name of the GPU has; 1 also where that cannot be told."""
    count = len(begins)
    starts = np.flatnonzero(begins)
    sizes = np.unique(np.diff(np.append(starts, count)))
    if len(sizes) > 1:
        return 1
    if len(starts) > 1 or header.one_print:
        return int(sizes[0]) if sizes[0] <= MAX_CARDS else 1
    if count < 2 or not rows.dated.all():
        return 1
    gaps = np.diff(rows.times)
    if count <= MAX_CARDS and gaps.min() >= 0 and gaps.max() <= SAME_TIME:
        return count
    return next((cards for cards in range(2, MAX_CARDS + 1) if _have_pauses(gaps, cards)), 1)


def _have_pauses(gaps: Indexes, cards: int) -> bool:
    """Whether after every so many rows, and only there, a clear pause follows."""
    pauses = gaps[cards - 1 :: cards]
    if not len(pauses):
        return False
    inside = gaps[np.arange(1, len(gaps) + 1) % cards > 0]
    limit = SPREAD if len(pauses) >= MIN_PAUSES else SAME_TIME
    return bool(inside.min() >= 0 and inside.max() <= limit and inside.max() * CLEARLY < pauses.min())
