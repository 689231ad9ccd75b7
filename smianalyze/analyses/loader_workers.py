"""More processes that load data than there are CPUs for them."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.messages import evidence, of_kind
from smianalyze.analyses.wording import places
from smianalyze.findings import Evidence, Finding, Severity
from smianalyze.frames import Frames
from smianalyze.language import say, text

MUCH_TIMES = 2
"""With twice as many processes as CPUs each of them waits half of the time: medium instead of low."""

LOADER = "pt_data_worker|DataLoader"
"""How PyTorch's loader processes are called in ``top``."""


def loader_workers_mismatch(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log in which PyTorch warns; without a warning, what ``top`` and ``lscpu`` show."""
    warned = of_kind(frames.events, "dataloader_workers_warning").dropna(subset=["workers"])
    warned = warned[known_true(warned["suggested_workers"] > 0)]
    found = [_warned(rows, frames) for _, rows in warned.groupby("source")]
    return found or _seen(frames)


def _warned(rows: pd.DataFrame, frames: Frames) -> Finding:
    """The warning with most processes for a CPU; the launch line of its log may say how many ranks start them."""
    worst = rows.assign(times=rows["workers"] / rows["suggested_workers"]).sort_values("times").iloc[-1]
    workers, cpus = int(worst["workers"]), int(worst["suggested_workers"])
    ranks = _ranks(frames.events, str(worst["source"]))
    installed = frames.hosts["cpus"].max()
    limited = pd.notna(installed) and installed > cpus
    return _finding(
        say(
            "PyTorch starts {workers} data loader processes{ranks} on {cpus} CPUs that the job may "
            "use{installed}.",
            workers=workers,
            ranks=say(" in each of {ranks} ranks", ranks=ranks) if ranks > 1 else "",
            cpus=cpus,
            installed=say(" ({installed} are installed)", installed=installed) if limited else "",
        ),
        each=max(cpus // ranks, 1),
        times=workers * ranks / cpus,
        seen=evidence(rows),
        raise_limit=bool(limited),
    )


def _ranks(events: pd.DataFrame, source: str) -> int:
    """How many ranks the launch line of an input starts on this host; 1 if none says it."""
    started = of_kind(events[events["source"].eq(source)], "launch")["nproc_per_node"].dropna()
    counts = [int(count) for count in started if count.isdecimal() and count.isascii()]
    return max(counts[-1], 1) if counts else 1


def _seen(frames: Frames) -> list[Finding]:
    """The sample of ``top`` with most loader processes, held against the CPUs of ``lscpu``."""
    cpus = frames.hosts["cpus"].dropna()
    loaders = frames.host_processes[known_true(frames.host_processes["command"].str.contains(LOADER))]
    if cpus.nunique() != 1 or loaders.empty:
        return []
    samples = loaders.groupby(["source", "sample_line"])["pid"].nunique().sort_values().reset_index()
    most, known = samples.iloc[-1], int(cpus.iloc[0])
    count = int(most["pid"])
    where = (Evidence(str(most["source"]), int(most["sample_line"])), *places(frames.hosts.loc[cpus.index[:1]]))
    title = say("{count} data loader processes run on {cpus} CPUs.", count=count, cpus=known)
    return [_finding(title, each=known, times=count / known, seen=where)] if count > known else []


def _finding(
    title: str, *, each: int, times: float, seen: tuple[Evidence, ...], raise_limit: bool = False
) -> Finding:
    severity: Severity = "medium" if times >= MUCH_TIMES else "low"
    fewer = text("Set `num_workers={each}` in the `DataLoader` of each rank.")
    or_more = text(
        "Set `num_workers={each}` in the `DataLoader` of each rank, or ask for more CPUs (`--cpus-per-task` of "
        "Slurm, `--cpus` of a container)."
    )
    return Finding(
        id="loader-workers-mismatch",
        severity=severity,
        title=title,
        why=say(
            "Processes without a CPU of their own take turns, and each holds its batches in memory: more of them "
            "load no faster, and may be slower."
        ),
        next_step=say(or_more if raise_limit else fewer, each=each),
        evidence=seen,
    )
