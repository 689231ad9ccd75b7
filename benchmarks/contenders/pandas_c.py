"""The C engine of pandas, then units and times by its string methods."""

from __future__ import annotations

import pandas as pd
from made_up_host import START
from made_up_training import Sums

from contenders.columns import DMON, QUERY, UNITS


def read_csv(path: str) -> pd.DataFrame:
    """The rows of a query."""
    frame = pd.read_csv(path, engine="c", skipinitialspace=True, header=0, names=list(QUERY))
    numbers = {
        column: frame[column].str.removesuffix(unit).astype(QUERY[column]) for column, unit in UNITS.items()
    }
    time = pd.to_datetime(frame["gpus.time"], format="%Y/%m/%d %H:%M:%S.%f")
    return frame.assign(**numbers, **{"gpus.time": time})


def read_dmon(path: str) -> pd.DataFrame:
    """The rows of dmon; the lines that name its columns come again and again."""
    names = ["date", "clock", *list(DMON)[1:]]
    frame = pd.read_csv(path, engine="c", sep=r"\s+", comment="#", header=None, names=names)
    time = pd.to_datetime(frame["date"].astype(str) + frame["clock"], format="%Y%m%d%H:%M:%S")
    return frame.assign(**{"gpus.time": time})[list(DMON)]


def sums(frame: pd.DataFrame) -> Sums:
    """The sum of each column."""
    return {column: _sum(values) for column, values in frame.items()}


def _sum(values: pd.Series) -> float:
    if pd.api.types.is_datetime64_dtype(values):
        return float((values - START).dt.total_seconds().sum())
    return float(values.sum() if pd.api.types.is_numeric_dtype(values) else values.str.len().sum())


READERS = {"csv": read_csv, "csv-any-width": read_csv, "dmon": read_dmon}
