"""When each process was seen, the most memory it held, and its share of the card."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.card_series import CardSeries
from smianalyze.analyses.matching import MIB, per_process, with_index
from smianalyze.frames import Frames

PLACE = ["host", "gpu_index", "gpu_uuid", "pci_bus_id", "gpu_instance_id", "pid"]
SHORT_NAME = 15
"""Characters of a program's name that the kernel keeps and ``pmon`` prints."""
_COLUMNS = [*PLACE, "compute_instance_id", "type", "process_name", MIB, "snapshot", "time"]


def processes_over_time(frames: Frames, series: CardSeries) -> pd.DataFrame:
    """Each process of the recording; a PID of two programs is two processes.

    Args:
        frames: A capture.
        series: Its cards.

    Returns:
        One row a process and card, by host, card and PID: the columns of ``PLACE``, process_name, prints (in
        which it is listed), first_seen, last_seen (NA without times), peak_mib, total_mib and peak_share of the
        card. The inputs of a recording may name one process by its path, its program or a part of that: the
        longest counts.
    """
    listed = per_process(with_index(frames.processes[_COLUMNS], frames)).dropna(subset=["pid"])
    number = listed.groupby([*PLACE, "process_name"], dropna=False, sort=False).ngroup().to_numpy()
    few = listed.iloc[np.unique(number, return_index=True)[1]]  # thousands of prints name the same ones
    few = _placed(_named(few), series)
    few = few.assign(program=_program(few["process_name"]))
    programs = few.groupby([*PLACE, "program"], dropna=False)
    by_length = few.assign(length=few["process_name"].str.len()).sort_values("length", kind="stable")
    names = by_length.groupby([*PLACE, "program"], dropna=False)["process_name"].last()
    prints = listed[["snapshot", "time", MIB]].groupby(programs.ngroup().to_numpy()[number])
    seen = prints.agg(
        prints=("snapshot", "nunique"),
        first_seen=("time", "min"),
        last_seen=("time", "max"),
        peak_mib=(MIB, "max"),
    )
    totals = series.cards.dropna(subset="gpu_index").drop_duplicates(["host", "gpu_index"])
    totals = totals[["host", "gpu_index", "memory_total_mib"]].rename(columns={"memory_total_mib": "total_mib"})
    rows = (
        names.reset_index().drop(columns="program").join(seen).merge(totals, on=["host", "gpu_index"], how="left")
    )
    total = rows["total_mib"].mask(rows["total_mib"].eq(0))
    return rows.assign(peak_share=(rows["peak_mib"] / total).astype("Float64"))


def _placed(listed: pd.DataFrame, series: CardSeries) -> pd.DataFrame:
    """Each process on its card by one name: an input may print no index, no UUID or no host."""
    hosts = series.cards["host"].unique()
    host = listed["host"].fillna(hosts[0]) if len(hosts) == 1 and pd.notna(hosts[0]) else listed["host"]
    known = listed["gpu_index"].notna()
    return listed.assign(
        host=host, gpu_uuid=listed["gpu_uuid"].mask(known), pci_bus_id=listed["pci_bus_id"].mask(known)
    )


def _program(names: pd.Series) -> pd.Series:
    """The program of a command line or path, no longer than ``pmon`` prints it."""
    program: pd.Series = names.str.split(" ").str[0].str.split("/").str[-1].str.slice(0, SHORT_NAME)
    return program


def _named(listed: pd.DataFrame) -> pd.DataFrame:
    """A process that ends is listed without its name for a while: it has the one that its PID had before."""
    names = listed.groupby(PLACE, dropna=False)["process_name"]
    known = names.transform("first").where(names.transform("nunique").eq(1))
    return listed.assign(process_name=listed["process_name"].fillna(known))
