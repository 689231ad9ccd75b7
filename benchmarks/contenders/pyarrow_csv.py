"""The CSV reader of pyarrow, then units and times by its compute functions."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from made_up_host import START
from made_up_training import Sums
from pyarrow import csv

from contenders.columns import QUERY

TYPES = {"gpus.time": "time", "gpus.name": "text", "gpus.pci_bus_id": "text", "gpus.pstate": "text"}


def read(path: str) -> pa.Table:
    """The rows of a query; a blank stands before each cell but the first."""
    options = csv.ReadOptions(column_names=list(QUERY), skip_rows=1)
    cells = csv.read_csv(path, read_options=options)
    return pa.table({name: _column(cells[name], TYPES.get(name, "number")) for name in QUERY})


def _column(cells: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    if not pa.types.is_string(cells.type):
        return cells
    if kind == "time":
        return pc.replace_substring(cells, "/", "-").cast(pa.timestamp("us"))
    if kind == "text":
        return pc.utf8_ltrim_whitespace(cells)
    numbers = pc.utf8_trim(cells, characters=" %MiBWHz")
    has_decimals = pc.any(pc.match_substring(numbers.slice(0, 1), ".")).as_py()
    return numbers.cast(pa.float64() if has_decimals else pa.int64())


def sums(table: pa.Table) -> Sums:
    """The sum of each column."""
    return {name: _sum(table[name]) for name in table.column_names}


def _sum(values: pa.ChunkedArray) -> float:
    if pa.types.is_timestamp(values.type):
        values = pc.divide(pc.subtract(values, START).cast(pa.int64()).cast(pa.float64()), 1e6)
    elif pa.types.is_string(values.type):
        values = pc.utf8_length(values)
    return float(pc.sum(values).as_py())


READERS = {"csv": read, "csv-any-width": read}
