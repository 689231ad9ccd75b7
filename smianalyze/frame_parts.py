"""Parts of frames as columns: what is read from many lines at once comes as arrays and never becomes rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from smianalyze.columns import columns_of
from smianalyze.offsets import Array, Cells, Texts
from smianalyze.shapes import Flags, Indexes

Kind = TypeVar("Kind", bound=np.generic)
_WHOLE = [np.iinfo(kind) for kind in ("i1", "i2", "i4", "i8")]
_VALUES = {"Int64": np.dtype("i8"), "Float64": np.dtype("f8"), "datetime64[us]": np.dtype("M8[us]")}


@dataclass(slots=True)
class Part:
    """Some rows of a frame: as many values in each column; a column that is missing is unknown."""

    count: int
    columns: dict[str, Cells] = field(default_factory=dict)

    def integers(self, name: str) -> Indexes:
        """A column of whole numbers that are all known."""
        return self.columns[name].values.astype(np.int64, copy=False)

    def rows(self, first: int, end: int) -> Iterator[dict[str, object]]:
        """A range of rows, without what is unknown."""
        names = list(self.columns)
        values = [
            cells._replace(values=cells.values[first:end]).objects().tolist() for cells in self.columns.values()
        ]
        known = [flags(cells, self.count)[first:end].tolist() for cells in self.columns.values()]
        for row in range(end - first):
            yield {name: values[at][row] for at, name in enumerate(names) if known[at][row]}

    def between(self, first: int, end: int) -> Part:
        """A range of rows; nothing is copied."""
        ranges = {
            name: cells._replace(values=cells.values[first:end], known=_between(cells.known, first, end))
            for name, cells in self.columns.items()
        }
        return Part(end - first, ranges)

    def sorted_by(self, name: str) -> Part:
        """The rows in the order of a column of whole numbers; those with equal ones keep theirs."""
        numbers = self.integers(name)
        if (np.diff(numbers) >= 0).all():
            return self
        order = np.argsort(numbers, kind="stable")
        return Part(self.count, {name: cells.taken(order) for name, cells in self.columns.items()})

    def keep(self, rows: Flags) -> None:
        """Leave out all other rows."""
        if not rows.all():
            places = np.flatnonzero(rows)
            self.count = len(places)
            self.columns = {name: cells.taken(places) for name, cells in self.columns.items()}


def _between(known: Flags | None, first: int, end: int) -> Flags | None:
    return None if known is None else known[first:end]


def part_of(frame: str, rows: Sequence[Mapping[str, object]]) -> Part:
    """Some rows of a frame as columns."""
    dtypes = {column.name: column.dtype for column in columns_of(frame)}
    columns: dict[str, Cells] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        given = {place: row[name] for place, row in enumerate(rows) if row.get(name) is not None}
        values: Array = np.zeros(len(rows), _VALUES.get(dtypes.get(name, ""), np.dtype("O")))
        known = np.zeros(len(rows), np.bool_)
        known[[*given]] = True
        values[known] = np.fromiter(given.values(), values.dtype, len(given))
        columns[name] = Cells(values, known)
    return Part(len(rows), columns)


def flags(cells: Cells, count: int) -> Flags:
    """Which values of a column are known."""
    return np.ones(count, np.bool_) if cells.known is None else cells.known


def narrowed(part: Part) -> Part:
    """The same rows in as few bytes as they fit in: parts are held until all of an input is read."""
    return Part(part.count, {name: _narrowed(cells) for name, cells in part.columns.items()})


def _narrowed(cells: Cells) -> Cells:
    known = None if cells.known is None or cells.known.all() else cells.known
    return Cells(narrow(cells.values), None if known is None else narrow(known), cells.texts)


def narrow(values: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    """The same values in as few bytes as they fit in; no array that is written to."""
    if values.dtype.kind == "O" or not len(values):
        return values
    if values.dtype.kind == "i":
        least, most = values.min(), values.max()
        fitting = next(kind for kind in _WHOLE if kind.min <= least and most <= kind.max)
        values = values.astype(fitting.dtype, copy=False)
    bits = values.view(np.int64) if values.dtype.kind == "f" else values  # 0.0 equals -0.0
    return np.broadcast_to(values[:1].copy(), len(values)) if (bits == bits[0]).all() else values


def is_one_value(values: Array) -> bool:
    """Whether it is a column of one value, which is held only once."""
    return values.strides == (0,)


def joined(parts: list[Part]) -> Part:
    """The parts one behind the other; they are emptied, so that no more than a column is held twice."""
    if len(parts) == 1:
        return parts[0]
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    counts = [part.count for part in parts]
    columns = {name: joined_cells([part.columns.pop(name, None) for part in parts], counts) for name in names}
    return Part(sum(counts), columns)


def joined_cells(cells: Sequence[Cells | None], counts: Sequence[int]) -> Cells:
    """A column of several parts; of so many rows each, of which some parts may know nothing."""
    given = [one for one in cells if one is not None]
    if any(one.texts is not None for one in given):
        given = of_one_list(given)
    rest = iter(given)
    filled = [
        Cells(np.zeros(count, given[0].values.dtype), np.zeros(count, np.bool_)) if one is None else next(rest)
        for one, count in zip(cells, counts, strict=True)
    ]
    values = _concatenated([one.values for one in filled])
    if all(one.known is None for one in filled):
        return given[0]._replace(values=values)
    known = _concatenated([flags(one, count) for one, count in zip(filled, counts, strict=True)])
    return given[0]._replace(values=values, known=known)


def of_one_list(cells: Sequence[Cells]) -> list[Cells]:
    """Texts by numbers of one list."""
    if all(one.texts is cells[0].texts for one in cells):
        return [*cells]
    shared = Texts()
    result = []
    for one in map(numbered, cells):
        numbers = narrow(np.append(shared.numbers(one.texts or ()), np.int32(0)))  # -1 is a text that is not known
        one_value = is_one_value(one.values)
        values = np.broadcast_to(numbers[one.values[:1]], len(one.values)) if one_value else numbers[one.values]
        result.append(Cells(values, one.known, shared.listed))
    return result


def _concatenated(pieces: Sequence[npt.NDArray[Kind]]) -> npt.NDArray[Kind]:
    """The values one behind the other."""
    if all(map(is_one_value, pieces)) and len({(piece.dtype, piece[:1].tobytes()) for piece in pieces}) == 1:
        return np.broadcast_to(pieces[0][:1], sum(map(len, pieces)))
    return np.concatenate(pieces)


def numbered(cells: Cells) -> Cells:
    """Texts as numbers; -1 for what is not known."""
    if cells.texts is not None:
        return cells
    values = cells.values if cells.known is None else np.where(cells.known, cells.values, np.array(None))
    numbers, different = pd.factorize(values)
    return Cells(numbers, cells.known, different.tolist())


def repeated(value: str | None, count: int) -> Cells:
    """A column of one text; unknown if it is None."""
    known = np.broadcast_to(np.False_, count) if value is None else None
    return Cells(np.broadcast_to(np.int8(0), count), known, [value or ""])
