"""Text of a cell to the value of its column. The terminals of the grammars decide what a number is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from smianalyze.columns import FRAMES
from smianalyze.formats.format import Row

DTYPES = {column.name: column.dtype for columns in FRAMES.values() for column in columns}
"""Dtype of each declared column; a name has one dtype in all frames."""


def converted(cells: Mapping[str, str]) -> Row:
    """Values of the cells that are columns of a frame; other cells (a share, a count of engines) are dropped."""
    row: Row = {}
    for name, text in cells.items():
        dtype = DTYPES.get(name)
        if dtype == "Int64":
            row[name] = int(text)
        elif dtype == "Float64":
            row[name] = float(text)
        elif dtype == "string":
            row[name] = text
    return row


def printed_time(text: str) -> datetime | None:
    """``Mon Nov 30 19:35:52 2026`` as a naive time; None where there is no such date."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return None
