"""What a cell of a CSV row is, if its row can be read with many others; single rows are read by the same rules."""

from __future__ import annotations

import re

from smianalyze.cell_columns import ALONE, NUMBER, TEXT, TIME, UNKNOWN, CellShape
from smianalyze.formats.csv_cells import BAD, Cell, Target, cells_of, has_unit, value_of
from smianalyze.offsets import MAX_DIGITS

# nothing that repair undoes, other formats look for, or quotes could hold
_PLAIN = re.compile(r"[ -~]*")
_ODD = re.compile(r"[\"&<>|#\\]|--{3}|=={3}")
_START = re.compile(r"[0-9A-Za-z\[]")  # of a line: no quote, no blank
_PLAIN_TIME = re.compile(
    r" *([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,]([0-9]{1,9}))?)Z? *"
)
_LOST = re.compile(r"lost|reset")
_ALONE = CellShape(ALONE)


def shape_of(text: str, target: Target, separator: str, *, is_first: bool, is_last: bool) -> CellShape:
    """What all cells of a shape are; alone if reading them together might give anything else.

    Args:
        text: The cell with zeros for digits, with the blanks around it.
        target: Its column.
        separator: What separates the cells of the row.
        is_first: Whether the row begins with it.
        is_last: Whether the row ends with it.
    """
    cells = cells_of(text, separator) if _may_be_plain(text, separator, is_first=is_first) else ()
    if len(cells) != 1 or _LOST.search(text) or (is_last and cells[0].kind == "missing"):
        return _ALONE
    cell = cells[0]
    if cell.kind in ("missing", "unknown"):
        return CellShape(UNKNOWN, is_certain=cell.kind == "unknown")
    if target.dtype == "datetime64[us]":
        return _time(text, target)
    return _value(text, cell, target)


def _may_be_plain(text: str, separator: str, *, is_first: bool) -> bool:
    if not _PLAIN.fullmatch(text) or _ODD.search(text):
        return False
    if is_first or separator == "\t":
        return _START.match(text) is not None
    return separator != ", " or text.startswith(" ")


def _value(text: str, cell: Cell, target: Target) -> CellShape:
    """A number, or a text."""
    if value_of(text, cell, target) is BAD:
        return _ALONE
    with_unit = cell.end > cell.value_end and has_unit(text, cell, target)
    told = CellShape(
        TEXT,
        len(text) - cell.end,
        cell.end - cell.start,
        has_unit=with_unit,
        is_telling=target.is_checked,
        is_certain=with_unit or cell.kind == "time" or target.spelling is not None,
    )
    is_number = cell.kind == "number" and (cell.end == cell.value_end or with_unit)
    return _number(text, cell, target, told) if is_number and target.dtype != "string" else told


def _number(text: str, cell: Cell, target: Target, told: CellShape) -> CellShape:
    whole, _, fraction = text[cell.start : cell.value_end].replace(",", ".").partition(".")
    if not whole.isdigit() or len(whole) + len(fraction) > MAX_DIGITS or (fraction and target.dtype == "Int64"):
        return _ALONE
    return told._replace(
        kind=NUMBER,
        tail=len(text) - cell.value_end,
        width=cell.value_end - cell.start,
        fraction=len(fraction),
        lacks_unit=target.prints_unit and not told.has_unit,
    )


def _time(text: str, target: Target) -> CellShape:
    found = _PLAIN_TIME.fullmatch(text)
    if found is None:
        return _ALONE
    start, end = found.span(1)
    fraction = len(found[2] or "")
    return CellShape(TIME, len(text) - end, end - start, fraction, is_telling=target.is_checked, is_certain=True)
