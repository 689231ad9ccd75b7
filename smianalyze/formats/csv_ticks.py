"""Rows of a CSV block to snapshots: which rows one run, or one tick of a series, has printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from smianalyze.formats.csv_header import Header
from smianalyze.formats.format import Row

TICK_S = 1.0  # rows of a tick follow each other faster: a GPU takes 5 to 100 ms, and -l counts whole seconds
SAME_TIME_S = 0.02  # rows of one GPU have one time; without its name only times this close are one tick
MAX_CARDS = 16  # no host has more; beyond it rows of no time are a series
SPREAD_S = 0.25  # from the first to the second row of a tick at most; a series of one GPU may be as quick
MIN_PAUSES = 3  # so many pauses at equal distances are no stalls of a series of one GPU
CLEARLY = 2  # the pause between two ticks is so much longer than any inside, or the ticks cannot be told

BY_ORDER = "Rows name no GPU: they were taken for GPUs 0, 1, … in the order in which they were printed."
SAME_INDEX = "Rows of several GPUs have the same index: another column tells them apart."
WHICH_GPU = "Rows name no GPU (index, uuid, pci.bus_id): which one a row is about is unknown."


class CsvRow(NamedTuple):
    """One row: its values by column, what tells its GPU, whether a header stands above it, words of a loss."""

    line: int
    values: Row
    key: tuple[object, ...]
    begins_print: bool
    lost: str

    @property
    def time(self) -> datetime | None:
        """When it was taken; None if unknown."""
        time = self.values.get("time")
        return time if isinstance(time, datetime) else None


def ticks(rows: Sequence[CsvRow], header: Header, *, is_whole: bool) -> tuple[list[list[CsvRow]], str]:
    """The rows of each snapshot, and what has to be said about them ("" if nothing).

    Without a name of the GPU in the rows, their order is one if every tick clearly has as many rows as the next:
    they then get a ``gpu_index``.

    Args:
        rows: All rows of a block, one or more.
        header: Its columns.
        is_whole: Whether no row is missing between two others.
    """
    if header.has_many_rows_a_gpu:
        return list(_by_key(rows, header)), ""
    if any(part is not None for row in rows for part in row.key):
        found = list(_by_key(rows, header))
        return found, SAME_INDEX if any(_share_an_index(tick) for tick in found) else ""
    cards = _cards(rows, header) if is_whole else 1
    if cards == 1:
        return [[row] for row in rows], WHICH_GPU if len(rows) > 1 else ""
    for number, row in enumerate(rows):
        row.values["gpu_index"] = number % cards
    return [list(rows[start : start + cards]) for start in range(0, len(rows), cards)], BY_ORDER


def _by_key(rows: Sequence[CsvRow], header: Header) -> Iterator[list[CsvRow]]:
    tick: list[CsvRow] = []
    seen: dict[object, datetime | None] = {}
    named: dict[tuple[int, object], object] = {}
    for row in rows:
        key = _full_key(row) if header.has_many_rows_a_gpu and row.time is None else row.key
        before = key if key in seen or header.has_many_rows_a_gpu else _named_in_part(row.key, named)
        if tick and (_is_later(tick[-1], row) or (before in seen and _repeats(seen[before], row, header))):
            yield tick
            tick, seen, named = [], {}, {}
        tick.append(row)
        seen.setdefault(key, row.time)
        named.update((part, row.key) for part in enumerate(row.key))
    if tick:
        yield tick


def _named_in_part(key: tuple[object, ...], named: Mapping[tuple[int, object], object]) -> object:
    """The key of the GPU that a key with unknown parts, as in a row that was cut, names by the others."""
    if None not in key:
        return None
    found = {named.get((place, part)) for place, part in enumerate(key) if part is not None}
    return found.pop() if len(found) == 1 else None


def _share_an_index(tick: Sequence[CsvRow]) -> bool:
    """Whether each of its rows was printed where only that GPU could be seen, as in a container."""
    indexes = [row.values["gpu_index"] for row in tick if "gpu_index" in row.values]
    return len(set(indexes)) < len(indexes)


def _full_key(row: CsvRow) -> object:
    """What tells one row of a list of processes or pages from the next; pages of one GPU may read alike."""
    pid = row.values.get("pid")
    return (row.key, pid, row.values.get("process_name")) if pid is not None else row.line


def _is_later(last: CsvRow, row: CsvRow) -> bool:
    if row.begins_print or row.values.get("host") != last.values.get("host"):
        return True
    return not 0 <= _seconds(last.time, row.time) <= TICK_S


def _repeats(first: datetime | None, row: CsvRow, header: Header) -> bool:
    """Whether a row about a GPU that the tick has begins the next one; all processes of a GPU have one time."""
    if not header.has_many_rows_a_gpu or first is None or row.time is None:
        return True
    return abs(_seconds(first, row.time)) > (0 if row.key else SAME_TIME_S)


def _seconds(first: datetime | None, second: datetime | None) -> float:
    """Seconds between two times; 0 if one is unknown."""
    return (second - first).total_seconds() if first and second else 0.0


def _cards(rows: Sequence[CsvRow], header: Header) -> int:
    """How many GPUs each tick of rows without a name of the GPU has; 1 also where that cannot be told."""
    starts = [index for index, row in enumerate(rows) if row.begins_print]
    sizes = {end - start for start, end in pairwise([*starts, len(rows)])}
    if len(sizes) > 1:
        return 1
    if len(starts) > 1 or header.one_print:
        return min(sizes) if min(sizes) <= MAX_CARDS else 1
    if len(rows) < 2 or any(row.time is None for row in rows):
        return 1
    gaps = [_seconds(first.time, second.time) for first, second in pairwise(rows)]
    if len(rows) <= MAX_CARDS and all(0 <= gap <= SAME_TIME_S for gap in gaps):
        return len(rows)
    return next((cards for cards in range(2, MAX_CARDS + 1) if _have_pauses(gaps, cards)), 1)


def _have_pauses(gaps: Sequence[float], cards: int) -> bool:
    """Whether after every so many rows, and only there, a clear pause follows."""
    inside = [gap for number, gap in enumerate(gaps, 1) if number % cards]
    pauses = gaps[cards - 1 :: cards]
    limit = SPREAD_S if len(pauses) >= MIN_PAUSES else SAME_TIME_S
    return bool(pauses) and min(inside) >= 0 and max(inside) <= limit and max(inside) * CLEARLY < min(pauses)
