"""Does the memory of the listed processes explain the memory in use?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.matching import MIB, known_true, per_process, with_index
from smianalyze.analyses.moment import HELD_MIB, OWN_MIB, with_gaps
from smianalyze.analyses.wording import mib, named, places
from smianalyze.findings import Finding, Severity
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text
from smianalyze.quantities import span

DISPLAY_MIB = 600
"""In place of OWN_MIB with a display, Windows, MIG or vGPU: up to 563 MiB seen on healthy machines."""

PER_PROCESS_MIB = 32
"""Each process costs the driver some MiB that the table does not show; under MPS it is a few tens."""

DESKTOP_MIB = 1024
"""In place of HELD_MIB with a display, Windows, MIG or vGPU, where an idle desktop takes some hundred MiB."""

VGPU_NAME = "-[0-9]{1,3}[ABCQ]$"
"""A vGPU ends in its profile, such as ``GRID V100D-32Q``; it keeps part of its frame buffer."""

MUCH_SHARE = 0.10
"""Unexplained memory of this share of the card costs batch size: medium instead of low."""

RECENT = 3
"""A series must show it in its last prints: one print may catch a process while it starts or ends."""

UNLISTED = ("none_found", "empty", "not_supported")
"""Process sections without a row; ``absent`` and ``foreign`` say nothing about processes."""


PIECE_ROWS = 50_000
"""Rows of GPUs that are accounted for at a time: there may be millions."""

_GPU = ["host", "gpu_index"]
_OF_DESKTOPS = ["driver_model", "display_active", "mig_mode"]
COLUMNS = [
    *("snapshot", "host", "gpu_index", "name"),
    *("memory_used_mib", "memory_total_mib", "memory_free_mib", "memory_reserved_mib"),
    *("source", "line"),
]


def accounting(frames: Frames) -> pd.DataFrame:
    """Memory of each GPU in each snapshot: in use, by listed processes, and what neither explains.

    Args:
        frames: A capture. GPUs without an index are left out.

    Returns:
        One row for each snapshot and GPU: the memory columns of ``gpus``; process_section; processes (their
        number, NA without a list), sized (how many of them with their memory), processes_mib (NA where one is
        unknown); unattributed_mib, the memory in use that is neither a listed process nor reserved;
        balance_mib, what used, free and reserved leave of the total (0 but for rounding); desktop, whether a
        display, Windows, MIG or vGPU holds memory of its own.
    """
    return _accounting(frames, frames.gpus, frames.once(_listed))


def accounting_of(frames: Frames, snapshot: int) -> pd.DataFrame:
    """The rows of one snapshot, see :func:`accounting`."""
    gpus, listed = (
        rows[known_true(rows["snapshot"].eq(snapshot))] for rows in (frames.gpus, frames.once(_listed))
    )
    return _accounting(frames, gpus, listed)


def _pieces(frames: Frames) -> Iterator[pd.DataFrame]:
    """The rows of :func:`accounting`, those of some hundred snapshots at a time."""
    gpus, listed = frames.gpus, frames.once(_listed)
    if len(gpus) <= PIECE_ROWS or gpus["snapshot"].isna().any() or not gpus["snapshot"].is_monotonic_increasing:
        yield _accounting(frames, gpus, listed)
        return
    numbers = gpus["snapshot"].to_numpy(dtype=np.int64)
    starts = np.unique(np.searchsorted(numbers, numbers[::PIECE_ROWS])).tolist()
    for first, end in pairwise([*starts, len(numbers)]):
        here = listed["snapshot"].between(numbers[first], numbers[end - 1])
        yield _accounting(frames, gpus.iloc[first:end], listed[known_true(here)])


def _listed(frames: Frames) -> pd.DataFrame:
    """What is accounted for of each process of each snapshot."""
    return per_process(with_index(frames.processes, frames))[["snapshot", "gpu_index", "pid", "type", MIB]]


def _accounting(frames: Frames, gpus: pd.DataFrame, processes: pd.DataFrame) -> pd.DataFrame:
    """The rows of some GPUs, see :func:`accounting`, by the processes of their snapshots."""
    gpus = gpus[[*COLUMNS, *_OF_DESKTOPS]].dropna(subset=["snapshot", "gpu_index"])
    section = frames.once(_sections)
    rows = gpus[COLUMNS].assign(process_section=gpus["snapshot"].map(section), desktop=_desktop(gpus))
    rows = rows.merge(_sums(processes), on=["snapshot", "gpu_index"], how="left")
    unplaced = processes.loc[processes["gpu_index"].isna(), "snapshot"]
    listless = rows["processes"].isna() & rows["process_section"].isin(["listed", "none_found"])
    listless = listless & ~rows["snapshot"].isin(unplaced)
    rows = rows.assign(**{name: rows[name].mask(listless, 0) for name in ("processes", "sized", "processes_mib")})
    used, reserved = rows["memory_used_mib"], rows["memory_reserved_mib"]
    balance = rows["memory_total_mib"] - used - rows["memory_free_mib"]
    # Drivers before 510 count reserved memory as used: then used and free alone make the total.
    inside = reserved.where(known_true(balance.abs() * 2 < reserved), 0)
    return rows.drop(columns="graphics").assign(
        unattributed_mib=used - rows["processes_mib"] - inside,
        balance_mib=balance - (reserved - inside),
        desktop=rows["desktop"] | known_true(rows["graphics"]),
    )


def _sections(frames: Frames) -> pd.Series:
    """What each snapshot shows of processes."""
    sections: pd.Series = frames.snapshots.drop_duplicates("snapshot").set_index("snapshot")["process_section"]
    return sections


def explained_memory(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """GPUs that hold far more than their listed processes, or of whose processes the print says nothing."""
    gaps = with_gaps(frames)
    recent: dict[Callable[[pd.DataFrame], pd.DataFrame], pd.DataFrame] = {}
    for piece in _pieces(frames):
        rows = piece[~piece["snapshot"].isin(gaps)]
        for ask in (_beyond, _without_list, _without_sizes):
            found = ask(rows)
            recent[ask] = _last(pd.concat([recent[ask], found]) if ask in recent else found)
    beyond, unlisted, unsized = (_lasting(rows) for rows in recent.values())
    much = known_true(beyond["unattributed_mib"] / beyond["memory_total_mib"] >= MUCH_SHARE)
    groups: list[tuple[Severity, pd.DataFrame]] = [("medium", beyond[much]), ("low", beyond[~much])]
    hidden = [(_unlisted, unlisted), (_unsized, unsized)]
    return [
        *(_unattributed(rows, severity) for severity, rows in groups if len(rows)),
        *(make(rows) for make, rows in hidden if len(rows)),
    ]


def _beyond(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose unattributed memory is known; ``holds`` where it is more than is usual."""
    rows = rows[rows["unattributed_mib"].notna() & ~known_true(rows["process_section"].eq("none_found"))]
    usual = _by_desktop(rows, OWN_MIB, DISPLAY_MIB) + PER_PROCESS_MIB * rows["processes"]
    return rows.assign(usual_mib=usual, holds=known_true(rows["unattributed_mib"] > usual))


def _without_list(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that say something of processes; ``holds`` where memory is held and none is listed."""
    rows = _with_section(rows)
    listed = known_true(rows["processes"] > 0)
    return rows.assign(holds=rows["holds"] & rows["process_section"].isin(UNLISTED) & ~listed)


def _without_sizes(rows: pd.DataFrame) -> pd.DataFrame:
    """The same rows; ``holds`` where memory is held and processes are listed without theirs."""
    rows = _with_section(rows)
    listed = known_true(rows["processes"] > 0)
    return rows.assign(holds=rows["holds"] & listed & known_true(rows["sized"] == 0))


def _with_section(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[rows["process_section"].isin(["listed", *UNLISTED])]
    return rows.assign(holds=known_true(rows["memory_used_mib"] > _by_desktop(rows, HELD_MIB, DESKTOP_MIB)))


def _by_desktop(rows: pd.DataFrame, plain: int, desktop: int) -> pd.Series:
    return pd.Series(plain, index=rows.index).mask(rows["desktop"], desktop)


def _desktop(gpus: pd.DataFrame) -> pd.Series:
    """Whether a display, Windows, MIG or vGPU holds memory of its own on the GPU."""
    windows = gpus["driver_model"].isin(["WDDM", "MCDM"])
    vgpu = known_true(gpus["name"].str.contains(VGPU_NAME))
    display, mig = known_true(gpus["display_active"].eq("On")), known_true(gpus["mig_mode"].eq("Enabled"))
    return windows | vgpu | display | mig


def _sums(processes: pd.DataFrame) -> pd.DataFrame:
    """Number of processes and sum of their memory for each snapshot and GPU; the sum is NA if a part is."""
    sized = processes[["pid", "used_gpu_memory_mib"]].notna().all(axis=1)
    graphics = known_true(processes["type"].str.contains("G"))
    rows = processes.assign(sized=sized.astype("Int64"), graphics=graphics, processes=1)
    sums = rows.groupby(["snapshot", "gpu_index"]).agg(
        processes=("processes", "sum"),
        sized=("sized", "sum"),
        processes_mib=("used_gpu_memory_mib", "sum"),
        graphics=("graphics", "any"),
    )
    return sums.assign(processes_mib=sums["processes_mib"].mask(sums["sized"] < sums["processes"])).reset_index()


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """The last rows of each GPU."""
    if not rows["snapshot"].is_monotonic_increasing:
        rows = rows.sort_values("snapshot", kind="stable")
    return rows.groupby(_GPU, dropna=False, sort=False).tail(RECENT)


def _lasting(recent: pd.DataFrame) -> pd.DataFrame:
    """The last row of each GPU for which something holds now and, in a series, held in the prints before."""
    groups = recent.groupby(_GPU, dropna=False, sort=False)["holds"]
    steady = groups.transform("all") | (groups.transform("size") < RECENT)
    return recent[recent["holds"] & steady & ~recent.duplicated(_GPU, keep="last")]


def _unattributed(rows: pd.DataFrame, severity: Severity) -> Finding:
    """The finding for all GPUs of one severity."""
    gpus = sorted(int(gpu) for gpu in rows["gpu_index"].unique())
    beyond, held = (rows[name].astype(int).tolist() for name in ("unattributed_mib", "memory_used_mib"))
    one = text(
        "{gpus} holds {beyond} MiB beyond the listed processes: {held} MiB are in use, and the table lists "
        "{listed}."
    )
    each = text(
        "{gpus} hold {beyond} MiB each beyond the listed processes: {held} MiB are in use, and the table lists "
        "{listed}."
    )
    listed = say("{size} of that", size=mib(rows["processes_mib"].sum()))
    return Finding(
        id="unattributed-memory",
        severity=severity,
        title=say(
            one if len(gpus) == 1 else each,
            gpus=named("GPU", gpus),
            beyond=span(beyond),
            held=span(held),
            listed=listed if rows["processes"].sum() else say("no process"),
        ),
        why=sentences(
            say("Up to {usual} is usual here.", usual=mib(rows["usual_mib"].max())),
            say(
                "More is held by processes that nvidia-smi cannot list (in another container, or ended but not "
                "yet released) or by a graphics session."
            ),
        ),
        next_step=say("On the host, run `sudo fuser -v /dev/nvidia*`: it names each process that has a GPU open."),
        gpus=tuple(gpus),
        evidence=places(rows),
        confidence="medium",
    )


def _unlisted(rows: pd.DataFrame) -> Finding:
    """The finding for all GPUs of which the table lists no process."""
    gpus = sorted(int(gpu) for gpu in rows["gpu_index"].unique())
    return Finding(
        id="process-table-hidden",
        severity="low",
        title=say(
            "{size} are in use on {gpus}, yet the process table lists no process.",
            size=mib(rows["memory_used_mib"].sum()),
            gpus=named("GPU", gpus),
        ),
        why=say(
            "nvidia-smi lists only processes of its own PID namespace: in a container the list stays empty. "
            "A process that has just ended can look the same. So this print cannot tell who holds the memory."
        ),
        next_step=say(
            "Run nvidia-smi on the host, or start the container with `--pid=host` (Kubernetes: `hostPID: true`)."
        ),
        gpus=tuple(gpus),
        evidence=places(rows),
    )


def _unsized(rows: pd.DataFrame) -> Finding:
    """The finding for all GPUs whose processes are listed without memory."""
    gpus = sorted(int(gpu) for gpu in rows["gpu_index"].unique())
    return Finding(
        id="process-table-hidden",
        severity="info",
        title=say(
            "{size} are in use on {gpus}, but the process table gives no memory for any process.",
            size=mib(rows["memory_used_mib"].sum()),
            gpus=named("GPU", gpus),
        ),
        why=say("Under Windows (WDDM), WSL and some virtual GPUs the driver does not know what a process holds."),
        next_step=say("On Windows, add the column Dedicated GPU memory to the Details page of Task Manager."),
        gpus=tuple(gpus),
        evidence=places(rows),
    )
