"""A line under a header: is it a row, what are its values, and what about it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from smianalyze.columns import TIME
from smianalyze.fields import SHORT_NAMES
from smianalyze.formats.csv_cells import BAD, Cell, cells_of, has_unit, value_of
from smianalyze.formats.csv_header import Header
from smianalyze.formats.format import Row
from smianalyze.quantities import counted

LOST = ("[GPU is lost]", "[GPU requires reset]")

CUT = "the text ends inside this row; only the values that are whole were read"
OPEN_END = "the text ends without a line end: the last value may be cut, so it is unknown"

# each cell that is certainly ours has one of these; most prose has none and need not be taken apart
_MAY_HOLD_COMMAS = ("name", "process_name", "gpu_name")
_MAY_BE_CERTAIN = re.compile(
    r"[0-9]{2}:[0-9]{2}|\[|N/A|[0-9] ?[%MWmu]|(?:GPU|MIG)-|0x|P[0-9]|[0-9]\.[0-9]{1,4}\.[0-9]"
)


class CsvRow(NamedTuple):
    """One row: its values by column, whether a header stands above it, words of a loss."""

    line: int
    values: Row
    begins_print: bool
    lost: str


class RowReading(NamedTuple):
    """What a line says under a header.

    Attributes:
        values: By column; None if it is a row of ours that cannot be read.
        problem: What cannot be read, "" if all can.
        units: Positions of the cells that had their unit.
        is_certain: Whether some cell can hardly be anything but ours.
        since_1970: Whether its time is a number.
        lost: The words that say that the GPU does not answer, "" if it does.
    """

    values: Row | None
    problem: str = ""
    units: frozenset[int] = frozenset()
    is_certain: bool = False
    since_1970: bool = False
    lost: str = ""


class _Judged(NamedTuple):
    """Values by position (``BAD`` where the cell does not fit) and how much speaks for a row."""

    values: list[object]
    bad: list[int]
    checked: int
    certain: int
    units: frozenset[int]


def read_row(text: str, header: Header, *, units: frozenset[int], is_open: bool) -> RowReading | None:
    """The row that a line is; None if it is none of this block.

    Args:
        text: The line.
        header: The columns of the block.
        units: Positions at which rows before had a unit: without it a number may be cut.
        is_open: Whether the text ends with this line and without a line end.
    """
    if text.count(header.separator) + 1 != len(header.targets) and not _MAY_BE_CERTAIN.search(text):
        return None
    cells = cells_of(text, header.separator)
    if len(cells) > len(header.targets):
        cells = _joined(text, cells, header, units)
    judged = _judged(text, cells, header, units)
    _distrust_names(judged, header, last=len(judged.values) - 1 if is_open else -1)
    if len(cells) != len(header.targets):
        return _of_other_length(text, cells, header, judged, is_open)
    problem = ""
    if is_open and not (judged.bad or cells[-1].kind == "unknown" or len(cells) - 1 in judged.units):
        problem = OPEN_END
        judged.values[-1] = None
    elif not judged.bad and not (judged.checked or judged.certain):
        return None
    elif len(judged.bad) == 1 and judged.checked >= 2 and judged.certain:
        problem = f"the value of {header.targets[judged.bad[0]].name} cannot be read; it is unknown"
    elif judged.bad:
        return _unreadable(judged, "this row does not fit the names of its columns")
    return _reading(text, cells, header, judged)._replace(problem=problem)


def _distrust_names(judged: _Judged, header: Header, *, last: int) -> None:
    """Forget a name before a cell that is bad or may be cut: names hold commas, so it may go on in that cell."""
    for position in {*judged.bad, last} - judged.units:
        if position > 0 and header.targets[position - 1].name in _MAY_HOLD_COMMAS:
            judged.values[position - 1] = None


def _judged(text: str, cells: Sequence[Cell], header: Header, units: frozenset[int]) -> _Judged:
    pairs = list(zip(cells, header.targets, strict=False))
    with_unit = frozenset(
        position
        for position, (cell, target) in enumerate(pairs)
        if cell.end > cell.value_end and has_unit(text, cell, target)
    )
    values: list[object] = []
    checked, certain = 0, len(with_unit)
    for position, (cell, target) in enumerate(pairs):
        value = value_of(text, cell, target)
        if cell.kind == "number" and position not in with_unit and (with_unit or position in units):
            value = BAD if target.prints_unit else value  # cut, or not printed by nvidia-smi
        values.append(value)
        certain += cell.kind in ("time", "unknown")
        if value is not BAD and value is not None:
            checked += target.is_checked
            certain += target.spelling is not None
    bad = [position for position, value in enumerate(values) if value is BAD]
    return _Judged(values, bad, checked, certain, with_unit)


def _of_other_length(
    text: str, cells: Sequence[Cell], header: Header, judged: _Judged, is_open: bool
) -> RowReading | None:
    last = min(len(cells), len(header.targets)) - 1
    if not set(judged.bad) <= {last}:
        return None
    if is_open and len(cells) < len(header.targets) and judged.checked:
        judged.values[-1] = None
        if any(value is not None for value in judged.values):
            return _reading(text, cells, header, judged)._replace(problem=CUT)
    values, names = counted(len(cells), "value"), counted(len(header.targets), "name")
    return _unreadable(judged, f"{values} under {names}: it is unclear which belongs to which")


def _unreadable(judged: _Judged, problem: str) -> RowReading | None:
    """A problem if the line can hardly be anything but ours."""
    return RowReading(None, problem=problem) if judged.certain else None


def _joined(text: str, cells: Sequence[Cell], header: Header, units: frozenset[int]) -> Sequence[Cell]:
    """The cells with a name that holds separators in one piece, if all others then fit and no second way does."""
    if len(cells) == len(header.targets) + 1 and cells[-1].kind == "missing":
        return cells[:-1]
    surplus = len(cells) - len(header.targets)
    ways: list[list[Cell]] = []
    for position, target in enumerate(header.targets):
        if target.is_checked or target.dtype != "string":
            continue
        first, last = cells[position], cells[position + surplus]
        name = Cell("text", first.start, last.end, last.end)
        way = [*cells[:position], name, *cells[position + surplus + 1 :]]
        judged = _judged(text, way, header, units)
        if not judged.bad and judged.checked:
            ways.append(way)
    return ways[0] if len(ways) == 1 else cells


def _reading(text: str, cells: Sequence[Cell], header: Header, judged: _Judged) -> RowReading:
    row: Row = dict.fromkeys(target.name for target in header.targets)
    for value, target in zip(judged.values, header.targets, strict=False):
        if row[target.name] is None and value is not BAD:
            row[target.name] = value
    row.update({short: row[name] for name, short in SHORT_NAMES.items() if name in row})
    words = [text[cell.start : cell.end] for cell in cells if cell.kind == "unknown"]
    times = [cell.kind for cell, t in zip(cells, header.targets, strict=False) if t.name == TIME.name]
    return RowReading(
        row,
        units=judged.units,
        is_certain=judged.certain > 0,
        since_1970="number" in times,
        lost=next((word for word in words if word in LOST), ""),
    )
