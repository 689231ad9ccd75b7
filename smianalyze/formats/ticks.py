"""Rows of a monitor to ticks: what it printed at one moment is one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from smianalyze.formats.format import Reading, Row
from smianalyze.formats.tick_starts import next_equal, starts_of
from smianalyze.shapes import Indexes

# a tick may straddle a second; monitors print at most once a second
MAX_SPREAD = np.timedelta64(1, "s")
NO_DATE = "19000101"
NO_TIME = "00:00:00"
Times = npt.NDArray[np.datetime64]


class TickRow(NamedTuple):
    """What a line says of a GPU, or of a process on it; without values it only says that the tick is there."""

    line: int
    gpu: int
    pid: int | None
    values: Row | None
    date: str
    time_of_day: str

    @property
    def at(self) -> datetime | None:
        """Date and time of day as far as they are printed, for comparing; None where there is no such time."""
        if not self.date and not self.time_of_day:
            return None
        try:
            return datetime.fromisoformat(f"{self.date or NO_DATE}T{self.time_of_day or NO_TIME}")
        except ValueError:
            return None

    @property
    def when(self) -> Row:
        """Its time; as it is printed where that is not a whole one."""
        time = self.at if self.date and self.time_of_day else None
        return {"time": time, "printed_time": None if time else f"{self.date} {self.time_of_day}".strip() or None}


def tick_starts(indexes: Indexes, keys: Indexes, times: Times) -> Indexes:
    """The first row of each tick.

    A row begins a tick when the index falls, or is the same with another printed time, when the GPU (or its
    process) was there already, and when the printed time moves by more than a second.

    Args:
        indexes: Index of the GPU of each row.
        keys: A number for each GPU or process.
        times: Printed times; NaT where there is none.
    """
    later = np.zeros(len(indexes), np.bool_)
    steps = np.diff(indexes)
    gaps = np.diff(times)
    later[1:] = (steps < 0) | ((steps == 0) & (gaps != np.timedelta64(0))) & ~np.isnat(gaps)
    later[1:] |= np.abs(gaps) > MAX_SPREAD
    return starts_of(next_equal(keys), later)


def add_ticks(reading: Reading, frame: str, process_section: str, rows: Sequence[TickRow]) -> None:
    """Add rows under one heading and their snapshots to a reading.

    Args:
        reading: Gets them.
        frame: Frame that the rows go to.
        process_section: What the snapshots say of it, as long as there is no process in them.
        rows: One or more, in order.
    """
    indexes = np.array([row.gpu for row in rows], np.int64)
    keys, _ = pd.factorize(pd.Series([(row.gpu, row.pid) for row in rows], dtype="object"))
    times = np.array([row.at for row in rows], "M8[us]")
    starts = tick_starts(indexes, keys, times).tolist()
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        tick = rows[start:end]
        shared: Row = {"snapshot": len(reading.rows.get("snapshots", ())), **tick[0].when}
        section = process_section if all(row.pid is None for row in tick) else "listed"
        reading.add("snapshots", {**shared, "process_section": section, "line": tick[0].line})
        for row in tick:
            if row.values is not None:
                reading.add(frame, {**row.values, **shared, "line": row.line})
