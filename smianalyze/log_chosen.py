"""Some of the records of a log: columns are put together only as far as they say which records count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from smianalyze.frame_parts import Part, flags, joined_cells
from smianalyze.growing import Growing
from smianalyze.log_found import LINE
from smianalyze.offsets import Cells
from smianalyze.shapes import Flags, Indexes

_AS_FOUND: Mapping[str, Cells] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Records:
    """Some of the records of a format.

    Attributes:
        store: The records of all formats, in the order of their lines.
        names: The columns of this one.
        rows: Which of them these are.
        changed: Columns of these that are not as they were found.
    """

    store: Growing
    names: Sequence[str]
    rows: Indexes
    changed: Mapping[str, Cells] = field(default_factory=lambda: _AS_FOUND)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.rows)

    def taken(self, rows: Indexes | Flags) -> Records:
        """Some of them; the same if that is all of them."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        some = np.arange(self.count)[rows]
        changed = {name: one.taken(some) for name, one in self.changed.items()}
        return replace(self, rows=self.rows[some], changed=changed)

    def with_column(self, name: str, cells: Cells) -> Records:
        """These with another column."""
        return replace(self, changed={**self.changed, name: cells})

    def with_last(self, part: Part) -> Records:
        """These and one more."""
        last = np.array([self.store.count])
        self.store.add([(part, np.zeros(1, np.int64))])
        changed = {
            name: joined_cells([cells, part.columns.get(name)], [self.count, 1])
            for name, cells in self.changed.items()
        }
        names = [*dict.fromkeys([*self.names, *part.columns])]
        return Records(self.store, names, np.append(self.rows, last), changed)

    def cells(self, name: str) -> Cells:
        """A column; nothing is known of one that is missing."""
        if name in self.changed:
            return self.changed[name]
        if name not in self.names:
            return Cells(np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_))
        whole = self.store.cells(name)
        return whole if self.count == self.store.count else whole.taken(self.rows)

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


def _rows_in_order(chosen: Sequence[Records]) -> Indexes:
    """The rows of all records by their lines; those of one line format by format, each in its own order."""
    if all((np.diff(one.rows) > 0).all() for one in chosen):
        is_chosen = np.zeros(chosen[0].store.count, np.bool_)
        for one in chosen:
            is_chosen[one.rows] = True
        return np.flatnonzero(is_chosen)  # the store is in that order
    lines = np.concatenate([one.integers(LINE) for one in chosen])
    return np.concatenate([one.rows for one in chosen])[np.argsort(lines, kind="stable")]


def in_order(chosen: Sequence[Records]) -> Part:
    """All records in the order of their lines, with the columns that are known; the store is emptied."""
    if not chosen:
        return Part(0)
    store, rows = chosen[0].store, _rows_in_order(chosen)
    is_all = len(rows) == store.count and bool((np.diff(rows) > 0).all())
    columns = {}
    for name in dict.fromkeys(name for one in chosen for name in [*one.names, *one.changed]):
        for one in chosen:
            if name in one.changed:
                store.put(name, one.rows, one.changed[name])
        cells = store.pop(name) if is_all else store.pop(name).taken(rows)
        if not name.startswith(" ") and flags(cells, len(rows)).any():
            columns[name] = cells
    return Part(len(rows), columns)
