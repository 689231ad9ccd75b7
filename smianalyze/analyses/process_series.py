"""When each process was seen, the most memory it held, and its share of the card."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.card_series import CardSeries
from smianalyze.analyses.matching import MIB, per_process, with_index
from smianalyze.frames import Frames

PLACE = ["host", "gpu_index", "gpu_uuid", "pci_bus_id", "gpu_instance_id", "pid"]
WHO = [*PLACE, "process_name"]


def processes_over_time(frames: Frames, series: CardSeries) -> pd.DataFrame:
    """Each process of the recording; a PID of two programs is two processes.

    Args:
        frames: A capture.
        series: Its cards.

    Returns:
        One row a process and card, by host, card and PID: the columns of ``WHO``, prints (in which it is
        listed), first_seen, last_seen (NA without times), peak_mib, total_mib and peak_share of the card. A
        name that a terminal of another width cut shorter is another process.
    """
    listed = per_process(with_index(frames.processes, frames))
    listed = _named(listed[listed["pid"].notna()])
    seen = listed.groupby(WHO, dropna=False).agg(
        prints=("snapshot", "nunique"),
        first_seen=("time", "min"),
        last_seen=("time", "max"),
        peak_mib=(MIB, "max"),
    )
    totals = series.cards.dropna(subset="gpu_index").drop_duplicates(["host", "gpu_index"])
    totals = totals[["host", "gpu_index", "memory_total_mib"]].rename(columns={"memory_total_mib": "total_mib"})
    rows = seen.reset_index().merge(totals, on=["host", "gpu_index"], how="left")
    total = rows["total_mib"].mask(rows["total_mib"].eq(0))
    return rows.assign(peak_share=(rows["peak_mib"] / total).astype("Float64"))


def _named(listed: pd.DataFrame) -> pd.DataFrame:
    """A process that ends is listed without its name for a while: it has the one that its PID had before."""
    names = listed.groupby(PLACE, dropna=False)["process_name"]
    known = names.transform("first").where(names.transform("nunique").eq(1))
    return listed.assign(process_name=listed["process_name"].fillna(known))
