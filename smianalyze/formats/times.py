"""Printed times of many lines at once."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from smianalyze.offsets import Cells, Texts, integers, texts
from smianalyze.shapes import Cell, Flags, Indexes, Lines

_DATE = re.compile(r"([A-Z][a-z]{2}) ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([0-9]{4})")
_DATE_CELLS = ("time weekday", "time month", "time day", "time hour", "time minute", "time second", "time year")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def date_cells(cell: Cell) -> Iterator[Cell]:
    """The cells of a date such as ``Mon Nov 30 19:35:52 2026``, which has no letter outside ASCII."""
    found = _DATE.fullmatch(cell.text)
    if found is not None:
        for number, name in enumerate(_DATE_CELLS, 1):
            yield Cell(name, cell.start + found.start(number), found[number])


def times(lines: Lines, rows: Indexes) -> Cells:
    """The time that :func:`date_cells` found in each line; unknown where there is no such date.

    Args:
        lines: The block.
        rows: Lines to take it from; -1 for none.
    """
    if _DATE_CELLS[0] not in lines.columns("D"):
        return Cells(np.zeros(len(rows), "M8[us]"), np.zeros(len(rows), np.bool_))
    names = Texts()
    weekday, month = (texts(lines, name, rows, names).values for name in _DATE_CELLS[:2])
    day, hour, minute, second, year = (
        integers(lines, name, rows).values.astype(np.int64) for name in _DATE_CELLS[2:]
    )
    months = np.array([_MONTHS.index(name) if name in _MONTHS else -1 for name in names.listed], np.int64)[month]
    are_days = np.array([name in _WEEKDAYS for name in names.listed], np.bool_)[weekday]
    first = ((year - 1970) * 12 + months).astype("M8[M]")
    dates = first.astype("M8[D]") + (day - 1)
    is_date: Flags = are_days & (months >= 0) & (year >= 1) & (day >= 1) & (dates.astype("M8[M]") == first)
    is_time: Flags = (hour < 24) & (minute < 60) & (second < 60)
    values = dates.astype("M8[us]") + (((hour * 60 + minute) * 60 + second) * 1_000_000)
    return Cells(values, is_date & is_time)
