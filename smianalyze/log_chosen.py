"""Some of the records of a log: columns are put together only as far as they say which records count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from smianalyze.frame_parts import Part, flags, joined_cells, of_one_list
from smianalyze.log_found import LINE
from smianalyze.offsets import Cells
from smianalyze.shapes import Flags, Indexes

_AS_FOUND: Mapping[str, Cells] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Records:
    """Some of the records of a format.

    Attributes:
        parts: All of its records, block by block.
        rows: Which of them these are, by their number.
        changed: Columns of these that are not as they were found.
    """

    parts: Sequence[Part]
    rows: Indexes
    changed: Mapping[str, Cells] = field(default_factory=lambda: _AS_FOUND)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def names(self) -> list[str]:
        """Their columns."""
        return [*dict.fromkeys([*(name for part in self.parts for name in part.columns), *self.changed])]

    def taken(self, rows: Indexes | Flags) -> Records:
        """Some of them; the same if that is all of them."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        some = np.arange(self.count)[rows]
        return Records(self.parts, self.rows[some], {name: one.taken(some) for name, one in self.changed.items()})

    def with_column(self, name: str, cells: Cells) -> Records:
        """These with another column."""
        return replace(self, changed={**self.changed, name: cells})

    def with_last(self, part: Part) -> Records:
        """These and those of one more part."""
        total = sum(one.count for one in self.parts)
        changed = {
            name: joined_cells([cells, part.columns.get(name)], [self.count, part.count])
            for name, cells in self.changed.items()
        }
        return Records([*self.parts, part], np.append(self.rows, total + np.arange(part.count)), changed)

    def cells(self, name: str) -> Cells:
        """A column; nothing is known of one that is missing."""
        if name in self.changed:
            return self.changed[name]
        found = [part.columns.get(name) for part in self.parts]
        if all(one is None for one in found):
            return Cells(np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_))
        whole = joined_cells(found, [part.count for part in self.parts])
        return whole if np.array_equal(self.rows, np.arange(len(whole.values))) else whole.taken(self.rows)

    def column(self, name: str) -> tuple[Indexes, Flags]:
        """Values of a column, zeros where they are not known, and which are known."""
        cells = self.cells(name)
        known = flags(cells, self.count)
        return np.where(known, cells.values, cells.values.dtype.type(0)), known

    def known(self, name: str) -> Flags:
        """Which records have a value in a column."""
        return self.column(name)[1]

    def integers(self, name: str) -> Indexes:
        """A column of whole numbers that are all known."""
        return self.cells(name).values.astype(np.int64, copy=False)

    def flag(self, name: str) -> Flags:
        """What is known of each record, besides its columns."""
        return self.cells(f" {name}").values.astype(np.bool_)

    def by_part(self, places: Indexes) -> Iterator[tuple[Part, Indexes, Indexes]]:
        """Each part, which of its rows are among these, and the places of those."""
        order = np.argsort(self.rows, kind="stable")
        rows, places = self.rows[order], places[order]
        begin = 0
        for part in self.parts:
            first, end = np.searchsorted(rows, (begin, begin + part.count))
            yield part, rows[first:end] - begin, places[first:end]
            begin += part.count


def in_order(chosen: Sequence[Records]) -> Part:
    """All records in the order of their lines, with the columns that are known; what was found is emptied."""
    lines = np.concatenate([np.zeros(0, np.int64), *(one.integers(LINE) for one in chosen)])
    places = np.empty(len(lines), np.int64)
    places[np.argsort(lines, kind="stable")] = np.arange(len(lines))
    split = np.split(places, np.cumsum([one.count for one in chosen]))
    parts = [(one, of_one, [*one.by_part(of_one)]) for one, of_one in zip(chosen, split, strict=False)]
    columns = {}
    for name in dict.fromkeys(name for one in chosen for name in one.names if not name.startswith(" ")):
        found = [(one.changed[name], of_one) for one, of_one, _ in parts if name in one.changed]
        for part, rows, of_rows in (
            piece for one, _, pieces in parts if name not in one.changed for piece in pieces
        ):
            cells = part.columns.pop(name, None)
            if cells is not None and len(rows):
                found.append((cells if len(rows) == part.count else cells.taken(rows), of_rows))
        cells = _placed(found, len(lines))
        if flags(cells, len(lines)).any():
            columns[name] = cells
    return Part(len(lines), columns)


def _placed(found: Sequence[tuple[Cells, Indexes]], count: int) -> Cells:
    """A column of so many rows; what is not known of one is not touched, and takes no memory."""
    given = [cells for cells, _ in found]
    if any(one.texts is not None for one in given):
        given = of_one_list(given)
    dtypes = [one.values.dtype for one in given]
    values = np.zeros(count, np.result_type(*dtypes) if dtypes else np.int64)
    known = np.zeros(count, np.bool_)
    for one, (_, places) in zip(given, found, strict=True):
        values[places] = one.values
        known[places] = True if one.known is None else one.known
    return Cells(values, None if known.all() else known, given[0].texts if given else None)
