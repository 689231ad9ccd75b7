"""The csv module of Python, and a conversion for each column."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

from contenders.columns import QUERY, UNITS, Columns, sums

__all__ = ["READERS", "sums"]


def read(path: str) -> Columns:
    """All rows, then column by column without its unit and converted."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        cells = zip(*islice(csv.reader(file, skipinitialspace=True), 1, None), strict=True)
        return {
            column: [convert(text.removesuffix(UNITS[column])) for text in texts]
            if column in UNITS
            else list(map(convert, texts))
            for (column, convert), texts in zip(QUERY.items(), cells, strict=True)
        }


READERS = {"csv": read, "csv-any-width": read}
