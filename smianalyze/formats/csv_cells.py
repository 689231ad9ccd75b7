"""Cells of a CSV line: where they are, what they look like, and what that is in the column they belong to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from smianalyze.columns import Dtype
from smianalyze.fields import unit_suffix
from smianalyze.reader import MAX_LINE, MAX_SHAPES, LineReader, LineShape

SEPARATORS = {", ": "\t ", ",": "\t", ";": "\t", "\t": "\t"}
"""What may separate cells, and what stands in its place for the grammar: as long, so that positions stay."""

LINES = LineReader("query_csv.lark", bool)

BAD = object()
"""Value of a cell that does not fit its column."""

_QUOTED_OR = {mark: re.compile(f'"(?:[^"]|"")*"|{re.escape(mark)}') for mark in SEPARATORS}
_SECONDS = range(10**8, 10**11)  # a number in a column of times: seconds since 1970 from 1973 on …
_PER_SECOND = (1, 1_000, 1_000_000, 1_000_000_000)  # … or milli-, micro-, nanoseconds


class Cell(NamedTuple):
    """A cell: kind (time, number, unknown, text, missing) and place in the line; a unit follows the value."""

    kind: str
    start: int
    value_end: int
    end: int


class Target(NamedTuple):
    """The column that a cell goes to.

    Attributes:
        name: Name of the column.
        dtype: Its dtype; ``object`` if each value is what it looks like.
        unit: Unit suffix of the values, "" if they have none.
        spelling: What a text of this column looks like, None if anything may stand there.
        is_key: Whether it tells which GPU, host or process the row is about.
    """

    name: str
    dtype: Dtype
    unit: str = ""
    spelling: re.Pattern[str] | None = None
    is_key: bool = False

    @property
    def is_checked(self) -> bool:
        """Whether a cell of something else would not fit."""
        return self.spelling is not None or self.dtype not in ("string", "object")

    @property
    def prints_unit(self) -> bool:
        """Whether each value has its unit in a row that has units at all; temperatures never have."""
        return self.unit not in ("", "c") and self.dtype != "object"


def separator_of(text: str) -> str:
    """What separates the cells of a line; nvidia-smi's own ``, `` also where there is a single cell."""
    if "\t" in text:
        return "\t"
    if ";" in text:
        return ";"
    return "," if text.count(",") > text.count(", ") else ", "


def tabbed(text: str, separator: str) -> str:
    """The line with a tab for each separator and blanks for quotes; each letter keeps its place."""
    if '"' not in text:
        return text.replace(separator, SEPARATORS[separator])
    return _QUOTED_OR[separator].sub(lambda found: _unquoted(found.group()), text)


def _unquoted(found: str) -> str:
    return f" {found[1:-1]} " if found[0] == '"' else SEPARATORS[found]


def cells_of(text: str, separator: str) -> Sequence[Cell]:
    """The cells of a line, empty ones included."""
    line = tabbed(text, separator) + "\t"
    if len(line) <= MAX_LINE:
        cells = _cells(LINES.read(line))
    else:  # some 200 fields in one row: no row is like another, but its cells are like those of others
        starts = [0, *(index + 1 for index, letter in enumerate(line) if letter == "\t")]
        cells = tuple(
            Cell(kind, start + first, start + value_end, start + end)
            for start, stop in itertools.pairwise(starts)
            for kind, first, value_end, end in _cells(LINES.read(line[start:stop])) or [_too_long(stop - start)]
        )
    if separator.startswith(",") and "," in line:
        return [_without_comma(text, cell) for cell in cells]
    return cells


def _too_long(length: int) -> Cell:
    """A cell that is longer than any line of nvidia-smi: it still is one cell."""
    return Cell("text", 0, length - 1, length - 1)


@lru_cache(MAX_SHAPES)
def _cells(shape: LineShape) -> tuple[Cell, ...]:
    """Each value with the unit behind it."""
    cells: list[Cell] = []
    for kind, start, end in shape.columns:
        if kind == "unit":
            cells[-1] = cells[-1]._replace(end=end)
        else:
            cells.append(Cell(kind, start, end, end))
    return tuple(cells)


def _without_comma(text: str, cell: Cell) -> Cell:
    """A comma is no decimal point where commas separate: ``1,234`` may be a thousand or a decimal."""
    if cell.kind == "number" and "," in text[cell.start : cell.value_end]:
        return cell._replace(kind="text", value_end=cell.end)
    return cell


def value_of(text: str, cell: Cell, target: Target) -> object:
    """The value of a cell: None if it is unknown, :data:`BAD` if it does not fit."""
    if cell.kind in ("unknown", "missing"):
        return None
    return _CONVERT[target.dtype](text, cell, target)


def _integer(text: str, cell: Cell, target: Target) -> object:
    number = _number(text, cell, target)
    if isinstance(number, float):
        return int(number) if number.is_integer() else BAD
    return number


def _decimal(text: str, cell: Cell, target: Target) -> object:
    number = _number(text, cell, target)
    return float(number) if isinstance(number, int) else number


def _number(text: str, cell: Cell, target: Target) -> object:
    if cell.kind != "number" or (cell.end > cell.value_end and not has_unit(text, cell, target)):
        return BAD
    value = text[cell.start : cell.value_end].replace(",", ".")
    return float(value) if "." in value else int(value)


def has_unit(text: str, cell: Cell, target: Target) -> bool:
    """Whether the unit of the column stands in the cell, whole."""
    return target.unit != "" and unit_suffix(text[cell.value_end : cell.end].strip()) == target.unit


def _word(text: str, cell: Cell, target: Target) -> object:
    value = text[cell.start : cell.end].replace('""', '"')
    return value if target.spelling is None or target.spelling.fullmatch(value) else BAD


def _as_it_looks(text: str, cell: Cell, target: Target) -> object:
    number = _number(text, cell, target)
    if number is BAD and not target.unit:
        return text[cell.start : cell.end]
    return number


def _time(text: str, cell: Cell, _: Target) -> object:
    value = text[cell.start : cell.end].replace(",", ".")
    if cell.kind == "number" and cell.end == cell.value_end:
        return _since_1970(float(value))
    try:
        return datetime.fromisoformat(value.replace("/", "-")).replace(tzinfo=None)
    except ValueError:
        return BAD


def _since_1970(number: float) -> object:
    for per_second in _PER_SECOND:
        if int(number / per_second) in _SECONDS:
            return datetime.fromtimestamp(number / per_second, UTC).replace(tzinfo=None)
    return BAD


_CONVERT: dict[Dtype, Callable[[str, Cell, Target], object]] = {
    "Int64": _integer,
    "Float64": _decimal,
    "string": _word,
    "datetime64[us]": _time,
    "object": _as_it_looks,
}
