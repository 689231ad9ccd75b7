"""Which of the records that were found in blocks count, as the formats that read a log line by line decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from smianalyze.formats import log_pairs
from smianalyze.formats.log_dicts import LENT
from smianalyze.formats.log_pairs import SECOND_ACCOUNT
from smianalyze.formats.log_said import values
from smianalyze.formats.log_steps import MAX_METRICS
from smianalyze.frame_parts import numbered, part_of
from smianalyze.growing import Growing
from smianalyze.log_chosen import Records
from smianalyze.log_found import BAR, LINE, PLACE, REPEATS, STEPS, Collector
from smianalyze.log_pieces import BARS, DICTS, PAIRS
from smianalyze.offsets import Cells
from smianalyze.shapes import Flags, Indexes


class NotAlike(Exception):
    """Reading line by line might give something else."""


class Counted(NamedTuple):
    """Records that count, and the lines that were understood with them."""

    name: str
    steps: Records
    used: Indexes


class OpenLine(NamedTuple):
    """The last line of an input without a line end: its number, and the number and text of its last state."""

    number: int
    place: int
    text: str


def counted(
    store: Growing, found: Mapping[str, Collector], used: Flags, gone: Indexes, open_line: OpenLine | None
) -> Iterator[Counted]:
    """The records of one format after the other.

    Args:
        store: All records.
        found: Which of them each format has.
        used: Of each line, by its number, whether it was understood before.
        gone: Numbers of their pieces among all that are not blank, in order.
        open_line: Whose last value may be cut; None if no line is.

    Raises:
        NotAlike: The input is to be read line by line.
    """
    if open_line:
        open_line = open_line._replace(place=open_line.place - int(np.searchsorted(gone, open_line.place)))
    records, draws, pairs = (_not_used(store, found[name], used, gone) for name in (DICTS, BARS, PAIRS))
    dicts = _dicts(records, draws) if records else None
    is_taken = np.zeros_like(used)
    if dicts:
        is_taken[dicts.used] = True
        yield dicts
    draws = _closed_draws(draws, used | is_taken, open_line) if draws else None
    bars = _bars(draws) if draws else None
    if bars:
        is_taken[bars.used] = True
        yield bars
    if draws and (~is_taken[draws.integers(LINE)] & draws.flag("is_double")).any():
        raise NotAlike
    if open_line:
        none = Records(store, (), np.zeros(0, np.int64))
        pairs = _closed_pairs(pairs or none, found[PAIRS], used | is_taken, open_line)
    if pairs:
        if is_taken[pairs.integers(LINE)].any():
            raise NotAlike
        yield _pairs(pairs)


def _not_used(store: Growing, collector: Collector, used: Flags, gone: Indexes) -> Records | None:
    """The records of a format in lines that nobody has used yet; None if there are none.

    Raises:
        NotAlike: What is said again of those that are left is not known.
    """
    if not collector.columns:
        return None
    names = [*collector.columns]
    whole = Records(store, names, np.concatenate(collector.rows))
    is_used = used[whole.integers(LINE)] if used.any() else np.zeros(whole.count, np.bool_)
    if len(names) > MAX_METRICS or (REPEATS in names and (is_used[:-1] & ~is_used[1:]).any()):
        raise NotAlike
    left = whole.taken(~is_used)
    if not left.count:
        return None
    places = left.integers(PLACE)
    return left.with_column(PLACE, Cells(places - np.searchsorted(gone, places))) if len(gone) else left


def _closed_draws(draws: Records, used: Flags, open_line: OpenLine | None) -> Records | None:
    """The draws, without one that breaks off."""
    draws = draws.taken(~used[draws.integers(LINE)])
    if open_line is None or not draws.count:
        return draws if draws.count else None
    if used[open_line.number]:
        raise NotAlike  # another line is the last one then
    if not open_line.text.rstrip().endswith("]"):
        draws = draws.taken(draws.integers(PLACE) != open_line.place)
    return draws if draws.count else None


def _closed_pairs(pairs: Records, collector: Collector, used: Flags, open_line: OpenLine) -> Records | None:
    """The pairs, the last one without what may be cut."""
    if used[open_line.number]:
        if pairs.count:
            raise NotAlike
        return None
    record = log_pairs.record_of(open_line.text, may_break_off=True)
    is_last = pairs.count > 0 and pairs.integers(PLACE)[-1] == open_line.place
    is_repeated = is_last and bool(pairs.flag(REPEATS.strip())[-1])
    if record and not is_last and record.text.encode() == collector.last:
        raise NotAlike
    others = pairs.taken(np.arange(pairs.count - is_last))
    added = ~_repeated(others) if others.count else np.zeros(0, np.bool_)
    formats = numbered(others.cells("format")) if others.count else Cells(added)
    family = (formats.texts or ())[formats.values[added][-1]] if others.count else None
    if record is None or family not in {None, record.row["format"]}:
        return others if others.count else None
    row = {**values({**record.label, **record.row}), LINE: open_line.number}
    last = part_of(STEPS, [row])
    last.columns |= {PLACE: Cells(np.array([open_line.place])), REPEATS: Cells(np.array([is_repeated]))}
    return others.with_last(last)


def _dicts(records: Records, draws: Records | None) -> Counted:
    """Dicts, with what the bars between them lend; see :mod:`smianalyze.formats.log_dicts`."""
    counts = ~_repeated(records)
    lines = records.integers(LINE)
    if draws is None or not (~draws.flag("shows_metric")).any():
        return Counted(DICTS, records.taken(counts), _different(lines))
    bars = draws.taken(~draws.flag("shows_metric"))
    steps = records.taken(counts)
    borrows = ~steps.known("step")
    places, bar_places = steps.integers(PLACE), bars.integers(PLACE)
    before = np.searchsorted(bar_places, places) - 1
    last = np.concatenate(([-1], np.maximum.accumulate(np.where(borrows, places, -1))[:-1]))
    lends = borrows & (before >= 0)
    lends[lends] = bar_places[before[lends]] > last[lends]
    behind = np.minimum(before + 1, bars.count - 1)
    draws_on = borrows & (bar_places[behind] == places + 1)
    for name in LENT:
        own = steps.column(name)
        own = _filled(own, ~own[1] & lends, bars.column(name), before)
        steps = steps.with_column(name, Cells(*_filled(own, draws_on, bars.column(name), behind)))
    return Counted(DICTS, steps, np.concatenate([lines, bars.integers(LINE)]))


def _bars(draws: Records) -> Counted | None:
    """The last draw of each step of the bars that count; see :mod:`smianalyze.formats.log_bars`."""
    of_bar = draws.integers(BAR)
    counts = np.isin(of_bar, of_bar[draws.flag("is_source")]) & draws.flag("may_count")
    step, has_step = draws.column("step")
    counts &= draws.flag("shows_metric") | (has_step & (step != 0))
    if not counts.any():
        return None
    draws, step, has_step = draws.taken(counts), step[counts], has_step[counts]
    by_bar = np.argsort(draws.integers(BAR), kind="stable")
    of_bar, step, has_step = draws.integers(BAR)[by_bar], step[by_bar], has_step[by_bar]
    is_first = np.ones(draws.count, np.bool_)
    is_first[1:] = (of_bar[1:] != of_bar[:-1]) | (step[1:] != step[:-1]) | (has_step[1:] != has_step[:-1])
    first = by_bar[is_first]
    last = by_bar[np.append(is_first[1:], True)]
    kept = last[np.argsort(first, kind="stable")]
    lines = _different(draws.integers(LINE))
    steps = draws.taken(kept)
    return Counted(BARS, steps.taken(steps.flag("has_label")), lines)


def _pairs(records: Records) -> Counted:
    """Pairs, without second accounts; see :mod:`smianalyze.formats.log_pairs`."""
    lines = _different(records.integers(LINE))
    steps = records.taken(~_repeated(records))
    formats = numbered(steps.cells("format"))
    is_second = np.array([text == SECOND_ACCOUNT for text in formats.texts or ()], np.bool_)[formats.values]
    if is_second.any() and not is_second.all():
        steps = steps.taken(~is_second)
    return Counted(PAIRS, steps, lines)


def _different(numbers: Indexes) -> Indexes:
    """Each of some ascending numbers once."""
    is_new = np.ones(len(numbers), np.bool_)
    is_new[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_new]


def _repeated(records: Records) -> Flags:
    """Which records say what the one before says, of the same rank."""
    rank, has_rank = records.column("rank")
    same = np.zeros(records.count, np.bool_)
    same[1:] = (has_rank[1:] == has_rank[:-1]) & (~has_rank[1:] | (rank[1:] == rank[:-1]))
    return records.flag(REPEATS.strip()) & same


def _filled(
    own: tuple[Indexes, Flags], rows: Flags, others: tuple[Indexes, Flags], of: Indexes
) -> tuple[Indexes, Flags]:
    """A column in which some rows have the value of others, as far as that is known."""
    rows = rows.copy()
    rows[rows] = others[1][of[rows]]
    filled = own[0].astype(np.result_type(own[0], others[0]))
    filled[rows] = others[0][of[rows]]
    return filled, own[1] | rows
