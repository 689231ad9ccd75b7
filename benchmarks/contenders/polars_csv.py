"""The CSV reader of polars, then units and times by its expressions."""

from __future__ import annotations

import polars as pl
from made_up_host import START
from made_up_training import Sums

from contenders.columns import QUERY

TEXTS = ("gpus.name", "gpus.pci_bus_id", "gpus.pstate")
WHOLE = tuple(column for column in list(QUERY)[1:] if column not in TEXTS and column != "gpus.power_draw_w")


def read(path: str) -> pl.DataFrame:
    """The rows of a query; a blank stands before each cell but the first."""
    cells = pl.read_csv(path, new_columns=list(QUERY), infer_schema=False)
    return cells.with_columns(
        pl.col("gpus.time").str.to_datetime("%Y/%m/%d %H:%M:%S%.3f"),
        pl.col(TEXTS).str.strip_chars_start(" "),
        pl.col(WHOLE).str.strip_chars(" %MiBHz").cast(pl.Int64),
        pl.col("gpus.power_draw_w").str.strip_chars(" W").cast(pl.Float64),
    )


def sums(frame: pl.DataFrame) -> Sums:
    """The sum of each column."""
    numbers = frame.with_columns(
        (pl.col("gpus.time") - START).dt.total_milliseconds() / 1_000,
        pl.col(TEXTS).str.len_chars(),
    )
    return {name: float(total) for name, total in numbers.sum().row(0, named=True).items()}


READERS = {"csv": read, "csv-any-width": read}
