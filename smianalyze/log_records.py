"""Which of the records that were found in blocks count, as the formats that read a log line by line decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from smianalyze.formats import log_pairs
from smianalyze.formats.log_dicts import LENT
from smianalyze.formats.log_pairs import SECOND_ACCOUNT
from smianalyze.formats.log_said import values
from smianalyze.formats.log_steps import MAX_METRICS
from smianalyze.frame_parts import Part, flags, joined, numbered, part_of
from smianalyze.log_found import BAR, LINE, PLACE, REPEATS, STEPS, Collector, taken
from smianalyze.log_pieces import BARS, DICTS, PAIRS
from smianalyze.offsets import Cells
from smianalyze.shapes import Flags, Indexes


class NotAlike(Exception):
    """Reading line by line might give something else."""


class Counted(NamedTuple):
    """Records that count, and the lines that were understood with them."""

    name: str
    steps: Part
    used: Indexes


class OpenLine(NamedTuple):
    """The last line of an input without a line end: its number, and the number and text of its last state."""

    number: int
    place: int
    text: str


def counted(
    found: Mapping[str, Collector], used: Indexes, gone: Indexes, open_line: OpenLine | None
) -> Iterator[Counted]:
    """The records of one format after the other.

    Args:
        found: All records, by format.
        used: Lines that were understood before.
        gone: Numbers of their pieces among all that are not blank, in order.
        open_line: Whose last value may be cut; None if no line is.

    Raises:
        NotAlike: The input is to be read line by line.
    """
    if open_line:
        open_line = open_line._replace(place=open_line.place - int(np.searchsorted(gone, open_line.place)))
    records, draws, pairs = (_not_used(found[name], used, gone) for name in (DICTS, BARS, PAIRS))
    dicts = _dicts(records, draws) if records else None
    taken_lines = dicts.used if dicts else used[:0]
    if dicts:
        yield dicts
    draws = _closed_draws(draws, np.union1d(used, taken_lines), open_line) if draws else None
    bars = _bars(draws) if draws else None
    if bars:
        yield bars
        taken_lines = np.union1d(taken_lines, bars.used)
    if draws and (~np.isin(draws.integers(LINE), taken_lines) & _flag(draws, "is_double")).any():
        raise NotAlike
    if open_line:
        pairs = _closed_pairs(pairs, found[PAIRS], np.union1d(used, taken_lines), open_line)
    if pairs:
        if np.isin(pairs.integers(LINE), taken_lines).any():
            raise NotAlike
        yield _pairs(pairs)


def _not_used(collector: Collector, used: Indexes, gone: Indexes) -> Part | None:
    """The records of a format in lines that nobody has used yet; None if there are none.

    Raises:
        NotAlike: What is said again of those that are left is not known.
    """
    whole = joined(collector.parts)
    if not whole.count:
        return None
    is_used = np.isin(whole.integers(LINE), used)
    if len(whole.columns) > MAX_METRICS or (REPEATS in whole.columns and (is_used[:-1] & ~is_used[1:]).any()):
        raise NotAlike
    whole = taken(whole, ~is_used)
    places = whole.integers(PLACE)
    whole.columns[PLACE] = Cells(places - np.searchsorted(gone, places))
    return whole if whole.count else None


def _closed_draws(draws: Part, used: Indexes, open_line: OpenLine | None) -> Part | None:
    """The draws, without one that breaks off."""
    draws = taken(draws, ~np.isin(draws.integers(LINE), used))
    if open_line is None or not draws.count:
        return draws if draws.count else None
    if open_line.number in used:
        raise NotAlike  # another line is the last one then
    if not open_line.text.rstrip().endswith("]"):
        draws = taken(draws, draws.integers(PLACE) != open_line.place)
    return draws if draws.count else None


def _closed_pairs(pairs: Part | None, collector: Collector, used: Indexes, open_line: OpenLine) -> Part | None:
    """The pairs, the last one without what may be cut."""
    if open_line.number in used:
        if pairs:
            raise NotAlike
        return None
    record = log_pairs.record_of(open_line.text, may_break_off=True)
    is_last = pairs is not None and pairs.integers(PLACE)[-1] == open_line.place
    is_repeated = bool(_flag(pairs, REPEATS.strip())[-1]) if pairs and is_last else False
    if record and not is_last and record.text.encode() == collector.last:
        raise NotAlike
    others = taken(pairs, np.arange(pairs.count - is_last)) if pairs else Part(0)
    added = ~_repeated(others) if others.count else np.zeros(0, np.bool_)
    formats = numbered(others.columns["format"]) if others.count else Cells(added)
    family = (formats.texts or ())[formats.values[added][-1]] if others.count else None
    if record is None or family not in {None, record.row["format"]}:
        return others if others.count else None
    row = {**values({**record.label, **record.row}), LINE: open_line.number}
    last = part_of(STEPS, [row])
    last.columns |= {PLACE: Cells(np.array([open_line.place])), REPEATS: Cells(np.array([is_repeated]))}
    return joined([others, last])


def _dicts(records: Part, draws: Part | None) -> Counted:
    """Dicts, with what the bars between them lend; see :mod:`smianalyze.formats.log_dicts`."""
    counts = ~_repeated(records)
    lines = records.integers(LINE)
    if draws is None or not (~_flag(draws, "shows_metric")).any():
        return Counted(DICTS, taken(records, counts), _different(lines))
    bars = taken(draws, ~_flag(draws, "shows_metric"))
    steps = taken(records, counts)
    borrows = ~_known(steps, "step")
    places, bar_places = steps.integers(PLACE), bars.integers(PLACE)
    before = np.searchsorted(bar_places, places) - 1
    last = np.concatenate(([-1], np.maximum.accumulate(np.where(borrows, places, -1))[:-1]))
    lends = borrows & (before >= 0)
    lends[lends] = bar_places[before[lends]] > last[lends]
    behind = np.minimum(before + 1, bars.count - 1)
    draws_on = borrows & (bar_places[behind] == places + 1)
    for name in LENT:
        own = _column(steps, name)
        own = _filled(own, ~own[1] & lends, _column(bars, name), before)
        steps.columns[name] = Cells(*_filled(own, draws_on, _column(bars, name), behind))
    return Counted(DICTS, steps, np.union1d(lines, bars.integers(LINE)))


def _bars(draws: Part) -> Counted | None:
    """The last draw of each step of the bars that count; see :mod:`smianalyze.formats.log_bars`."""
    of_bar = draws.integers(BAR)
    counts = np.isin(of_bar, of_bar[_flag(draws, "is_source")]) & _flag(draws, "may_count")
    step, has_step = _column(draws, "step")
    counts &= _flag(draws, "shows_metric") | (has_step & (step != 0))
    if not counts.any():
        return None
    draws, step, has_step = taken(draws, counts), step[counts], has_step[counts]
    by_bar = np.argsort(draws.integers(BAR), kind="stable")
    of_bar, step, has_step = draws.integers(BAR)[by_bar], step[by_bar], has_step[by_bar]
    is_first = np.ones(draws.count, np.bool_)
    is_first[1:] = (of_bar[1:] != of_bar[:-1]) | (step[1:] != step[:-1]) | (has_step[1:] != has_step[:-1])
    first = by_bar[is_first]
    last = by_bar[np.append(is_first[1:], True)]
    kept = last[np.argsort(first, kind="stable")]
    lines = _different(draws.integers(LINE))
    steps = taken(draws, kept)
    return Counted(BARS, taken(steps, _flag(steps, "has_label")), lines)


def _pairs(records: Part) -> Counted:
    """Pairs, without second accounts; see :mod:`smianalyze.formats.log_pairs`."""
    lines = _different(records.integers(LINE))
    steps = taken(records, ~_repeated(records))
    formats = numbered(steps.columns["format"])
    is_second = np.array([text == SECOND_ACCOUNT for text in formats.texts or ()], np.bool_)[formats.values]
    if is_second.any() and not is_second.all():
        steps = taken(steps, ~is_second)
    return Counted(PAIRS, steps, lines)


def _different(numbers: Indexes) -> Indexes:
    """Each of some ascending numbers once."""
    is_new = np.ones(len(numbers), np.bool_)
    is_new[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_new]


def _repeated(records: Part) -> Flags:
    """Which records say what the one before says, of the same rank."""
    rank, has_rank = _column(records, "rank")
    same = np.zeros(records.count, np.bool_)
    same[1:] = (has_rank[1:] == has_rank[:-1]) & (~has_rank[1:] | (rank[1:] == rank[:-1]))
    return _flag(records, REPEATS.strip()) & same


def _flag(part: Part, name: str) -> Flags:
    return part.columns[f" {name}"].values.astype(np.bool_)


def _known(part: Part, name: str) -> Flags:
    return _column(part, name)[1]


def _column(part: Part, name: str) -> tuple[Indexes, Flags]:
    """Values of a column, and which of them are known; none of one that is missing."""
    cells = part.columns.get(name)
    if cells is None:
        return np.zeros(part.count, np.int64), np.zeros(part.count, np.bool_)
    known = flags(cells, part.count)
    return np.where(known, cells.values, cells.values.dtype.type(0)), known


def _filled(
    own: tuple[Indexes, Flags], rows: Flags, others: tuple[Indexes, Flags], of: Indexes
) -> tuple[Indexes, Flags]:
    """A column in which some rows have the value of others, as far as that is known."""
    rows = rows.copy()
    rows[rows] = others[1][of[rows]]
    filled = own[0].astype(np.result_type(own[0], others[0]))
    filled[rows] = others[0][of[rows]]
    return filled, own[1] | rows


def in_order(counted: Sequence[Counted]) -> Part:
    """All steps in the order of their lines, without what is no column of the frame."""
    for one in counted:
        known = {name: flags(cells, one.steps.count).any() for name, cells in one.steps.columns.items()}
        columns = one.steps.columns.items()
        one.steps.columns = {name: cells for name, cells in columns if known[name] and not name.startswith(" ")}
    steps = joined([one.steps for one in counted if one.steps.count])
    return steps.sorted_by(LINE) if steps.count else steps
