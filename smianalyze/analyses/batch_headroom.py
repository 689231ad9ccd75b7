"""Which batch size would fit: only from evidence, which is several runs, or what one run left free at its peak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.batch_sizes import BatchSize, batch_sizes
from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.messages import MAX_PLACES, of_kind
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.analyses.wording import mib, places
from smianalyze.findings import Evidence, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

SPARE_SHARE = 0.10
"""Kept free of the card: its context, libraries and pieces of memory that no tensor fits into are not in the
log."""

LEAST_GROWTH_MIB = 1
"""From the smallest to the largest batch; nobody prints memory finer, and a fit of equal peaks is hardly flat."""
FIT_SHARE = 0.05
"""Peaks of runs that differ in their batch size alone lie this close to a line."""

FREE_SHARE = 0.5
"""From so much of the card free at the peak, twice the batch may fit: memory grows at most as the batch does."""

FASTER_SHARE = 0.05
"""A larger batch is worth it where it makes samples go through by so much faster."""

PEAKS = ("gpu_mem_reserved_mib", "gpu_mem_max_mib", "gpu_mem_mib")
"""What a log may say of the framework's memory, the most telling first."""


class Run(NamedTuple):
    """A log with its batch size, its peak, samples a second, whether it ran out, and its places; None: unknown."""

    batch: float
    peak_mib: float | None
    per_s: float | None
    failed: bool
    places: tuple[Evidence, ...]


class Line(NamedTuple):
    """Memory as a line over the batch size."""

    base_mib: float
    sample_mib: float


def batch_headroom(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """What runs of several batch sizes say of the largest one that fits; else what one run left free."""
    runs = sorted(_runs(frames), key=lambda run: run.batch)
    whole = [run for run in runs if run.peak_mib is not None and not run.failed]
    line = _line(whole)
    if line is not None:
        return _several(whole, [run for run in runs if run.failed], line, _total(frames))
    return _one(whole, frames) if len(runs) == 1 else []


def _runs(frames: Frames) -> list[Run]:
    """Every log that says one batch size."""
    failed = set(of_kind(frames.events, "oom")["source"])
    steps = dict(iter(frames.steps.groupby("source")))
    none = frames.steps.head(0)
    return [
        _run(batch, steps.get(source, none), failed=source in failed)
        for source, batch in batch_sizes(frames).items()
    ]


def _run(batch: BatchSize, steps: pd.DataFrame, *, failed: bool) -> Run:
    column = next((name for name in PEAKS if steps[name].notna().any()), PEAKS[-1])
    peaks = steps.dropna(subset=[column]).sort_values(column, kind="stable").tail(1)
    peak = None if peaks.empty else float(peaks[column].iloc[0])
    step_s = steps["step_time_s"].iloc[1:].median()  # the first step compiles and loads
    per_s = float(batch.size / step_s) if pd.notna(step_s) and step_s > 0 else None
    return Run(batch.size, peak, per_s, failed, (*batch.evidence, *places(peaks)))


def _line(runs: Sequence[Run]) -> Line | None:
    """The line through the peaks of runs; None with fewer than two batch sizes, or where they lie on none."""
    batches, peaks = (np.array([run[place] for run in runs], dtype=float) for place in (0, 1))
    if len(np.unique(batches)) < 2:
        return None
    sample, base = np.polyfit(batches, peaks, 1)
    off = np.abs(base + sample * batches - peaks) / peaks
    grows = sample * np.ptp(batches) >= LEAST_GROWTH_MIB
    return Line(float(base), float(sample)) if grows and base >= 0 and off.max() <= FIT_SHARE else None


def _total(frames: Frames) -> float | None:
    """The memory of a card, if all cards and messages agree on it."""
    totals = frames.gpus["memory_total_mib"].dropna().unique()
    if not len(totals):
        totals = of_kind(frames.events, "oom")["total_mib"].dropna().unique()
    return float(totals[0]) if len(totals) == 1 else None


def _several(runs: Sequence[Run], failed: Sequence[Run], line: Line, total: float | None) -> list[Finding]:
    largest = runs[-1]
    if total is None:
        return []
    fits = _rounded(((1 - SPARE_SHARE) * total - line.base_mib) / line.sample_mib)
    lost = [run.batch for run in failed]
    if min(lost, default=np.inf) <= fits or not (lost or fits > largest.batch):
        return []
    fitted = text("Batch size {batch:,.0f} takes {peak} of {total}, and about {fits:,.0f} would fit.")
    failure = text(
        "Batch size {lost:,.0f} ran out of memory; batch size {batch:,.0f} takes {peak} of {total}, and about "
        "{fits:,.0f} would fit."
    )
    return [
        Finding(
            id="batch-headroom",
            severity="low" if lost else "info",
            title=say(
                failure if lost else fitted,
                lost=min(lost, default=0),
                batch=largest.batch,
                peak=mib(largest.peak_mib or 0),
                total=mib(total),
                fits=fits,
            ),
            why=sentences(_by_runs(runs, line), _gain(runs)),
            next_step=_step(runs, fits),
            evidence=tuple(place for run in [*failed, *reversed(runs)] for place in run.places)[:MAX_PLACES],
            confidence="high" if len(runs) > 2 else "medium",
        )
    ]


def _by_runs(runs: Sequence[Run], line: Line) -> str:
    return say(
        "By {runs} runs a sample takes {sample:.1f} MiB on top of {base}, and {spare:.0%} of the card are left "
        "free.",
        runs=len(runs),
        sample=line.sample_mib,
        base=mib(line.base_mib),
        spare=SPARE_SHARE,
    )


def _gain(runs: Sequence[Run]) -> str:
    """How much faster samples went through with the largest batch size."""
    faster = _faster(runs)
    if faster is None:
        return ""
    return say(
        "Samples a second: {faster:+.0%} from batch size {before:,.0f} to {after:,.0f}.",
        faster=faster,
        before=runs[-2].batch,
        after=runs[-1].batch,
    )


def _faster(runs: Sequence[Run]) -> float | None:
    before, after = runs[-2].per_s, runs[-1].per_s
    return None if before is None or after is None else after / before - 1


def _step(runs: Sequence[Run], fits: float) -> str:
    faster = _faster(runs)
    if faster is not None and faster < FASTER_SHARE:
        return say("Stay at {batch:,.0f}: a larger batch makes nothing faster here.", batch=runs[-1].batch)
    return say(
        "Try {batch:,.0f}, look whether samples a second still rise, and adapt the learning rate.",
        batch=min(2 * runs[-1].batch, fits),
    )


def _one(runs: Sequence[Run], frames: Frames) -> list[Finding]:
    """What the fullest card of the job had free at the peak of a single run."""
    over = frames.once(OverTime)
    if not runs or not over.is_series:
        return []
    cards = job_cards(over)
    memory = over.memory.loc[cards.index].dropna(subset=["peak_mib", "total_mib"]).sort_values("peak_mib").tail(1)
    if memory.empty or memory["peak_share"].iloc[0] > 1 - FREE_SHARE:
        return []
    peak, total, batch = memory["peak_mib"].iloc[0], memory["total_mib"].iloc[0], runs[0].batch
    return [
        Finding(
            id="batch-headroom",
            severity="info",
            title=say(
                "Batch size {batch:,.0f} leaves {free} of {total} free on {gpu} at the fullest moment.",
                batch=batch,
                free=mib(total - peak),
                total=mib(total),
                gpu=gpus_named(memory),
            ),
            why=say(
                "How much of it a larger batch takes cannot be told from one run: weights and optimizer take the "
                "same at any batch size."
            ),
            next_step=say(
                "Run some steps with batch size {batch:,.0f}, if that makes them faster, and give both logs to "
                "`smianalyze report`: then it says what fits.",
                batch=2 * batch,
            ),
            gpus=indexes(memory),
            evidence=(*runs[0].places, *places(memory)),
            confidence="medium",
        )
    ]


def _rounded(value: float) -> float:
    """Down to two digits: the line is no more exact."""
    if value < 1:
        return 0
    step = 10 ** max(int(np.log10(value)) - 1, 0)
    return float(value // step * step)
