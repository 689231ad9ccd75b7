"""The ``#`` lines of a monitor: which column each cell below them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from smianalyze.columns import Column, columns_of
from smianalyze.fields import unit_suffix
from smianalyze.formats.format import Row
from smianalyze.formats.monitor_lines import Printed

Block = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Heading:
    """What the header says about the rows below it.

    Attributes:
        columns: Column of each cell behind the GPU.
        ends: Where the words of the header end, that of the GPU first.
        is_csv: Whether commas separate the cells.
    """

    columns: tuple[Column, ...]
    ends: tuple[int, ...]
    is_csv: bool

    @property
    def count(self) -> int:
        """Number of cells of a row."""
        return len(self.columns) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words and units that the header of a monitor may hold.

    Attributes:
        frame: Frame that the rows go to.
        columns: Column of the frame for each known word.
        blocks: Units and words of each block of columns, the longer before the shorter.
        fit: Whether these words, GPU left out, can be a header of this monitor.
    """

    frame: str
    columns: Mapping[str, str]
    blocks: Sequence[Block]
    fit: Callable[[Sequence[str]], bool]

    def heading(self, header: Printed, units: Sequence[str]) -> Heading | None:
        """What a header with these units (none is as good) says; None where it is none of this monitor."""
        words = header.words()[1:]
        return self._heading(header, words, units or [""] * len(words))

    def heading_of_units(self, line: Printed) -> Heading | None:
        """What units say whose header is not there; None where they do not tell the columns."""
        units = tuple(line.words()[1:])
        words: list[str] = []
        while len(words) < len(units):
            rest = units[len(words) :]
            found = next((names for block, names in self.blocks if rest[: len(block)] == block), ())
            if not found:
                return None
            words.extend(found)
        return self._heading(line, words, units)

    def _heading(self, line: Printed, words: Sequence[str], units: Sequence[str]) -> Heading | None:
        """The heading of these words; None if they are no header, or if two of them mean the same."""
        declared = {column.name: column for column in columns_of(self.frame)}
        names = [self.columns.get(word) or _new_name(word, unit) for word, unit in zip(words, units, strict=True)]
        new = {name for word, name in zip(words, names, strict=True) if word not in self.columns}
        if len(set(names)) < len(names) or new & declared.keys() or not self.fit(words):
            return None
        columns = tuple(declared.get(name) or Column(name, "object", "") for name in names)
        return Heading(columns, tuple(cell.end for cell in line.cells), line.is_csv)


def values(row: Printed, places: Iterable[int], columns: Iterable[Column]) -> Row | None:
    """The values of numeric cells, unknown ones left out; None where a cell is not what its column holds."""
    known: Row = {}
    for place, column in zip(places, columns, strict=False):
        kind = row.cells[place].kind
        if kind == "number":
            known[column.name] = float(row.word(place)) if column.dtype == "Float64" else int(row.word(place))
        elif kind == "decimal" and column.dtype != "Int64":
            known[column.name] = float(row.word(place))
        elif kind != "none":
            return None
    return known


def _new_name(word: str, unit: str) -> str:
    """Column of a word that we do not know (a metric of GPM): the word with its unit behind it."""
    return "_".join(filter(None, (word.lower(), unit_suffix(unit.removeprefix("GPM:")))))
