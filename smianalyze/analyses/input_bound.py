"""Do the cards wait for data?"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.data_time import DataTime, data_time
from smianalyze.analyses.host_load import HostLoad, host_load
from smianalyze.analyses.job_cards import job_cards, visible_gpus
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.oscillation import MUCH_IDLE_SHARE, oscillating
from smianalyze.analyses.over_time import OverTime, gpus_named, indexes
from smianalyze.findings import Confidence, Finding, Severity
from smianalyze.language import say, sentences, text
from smianalyze.quantities import span

WAITING_SHARE = 0.3
"""Less waiting for data costs less than what evaluation and checkpoints cost anyway."""

MUCH_SHARE = 0.5
"""From here on the job could run twice as fast: high instead of medium."""

AGREEING = 0.5
"""Utilization agrees if the card rests for this part of the time that the log says: work that was queued before
goes on while the loader is waited for."""

CERTAIN_RECORDS = 5
"""Of so many records a single odd one does not move the mean."""

SAME_CYCLE = 0.15
"""The cycle of a card is that of a step if they differ by less: both vary by a tenth."""

SEVERER: dict[bool, Severity] = {True: "high", False: "medium"}
MILDER: dict[bool, Severity] = {True: "medium", False: "low"}


class Said(NamedTuple):
    """The words for one kind of evidence, and how much it is worth."""

    title: str
    why: str
    severity: Severity
    confidence: Confidence


def input_bound(over: OverTime) -> list[Finding]:
    """The cards that wait for data: the log and utilization are two witnesses, either of them weaker alone.

    Where the log says that the loader is waited for and the cards are busy all the same, it is prefetching that
    works: nothing is said.
    """
    quick = _quick_logs(over.frames.steps)
    slow, beside = (steps[~steps["source"].isin(quick)] for steps in (over.frames.steps, over.steps))
    log = data_time(beside)
    if log is None and (other := data_time(slow)) is not None:
        return [_finding(over, over.utilization.head(0), log=other, said=_by_log(other))]
    if log is None:
        return [] if quick else _by_utilization(over)
    cards = over.utilization.loc[job_cards(over).index]
    told = cards[known_true(cards["active_samples"] >= SERIES_PRINTS)]
    if told.empty:
        return [_finding(over, cards, log=log, said=_by_log(log))]
    resting = told[known_true(1 - told["active_mean_pct"] / 100 >= AGREEING * log.share)]
    return [_finding(over, resting, log=log, said=_by_both(log, resting))] if len(resting) else []


def _quick_logs(steps: pd.DataFrame) -> list[str]:
    """The logs that wait little: the job of another log is another one, and the mean of both says nothing."""
    told = ((str(source), data_time(rows)) for source, rows in steps.groupby("source", sort=False))
    return [source for source, log in told if log is not None and log.share < WAITING_SHARE]


def _by_both(log: DataTime, cards: pd.DataFrame) -> Said:
    return Said(
        title=say(
            "{waits} for data: {loader}, and utilization is {use} % on average, idle in {share} % of {samples} "
            "samples.",
            waits=_waits(cards),
            loader=_log_says(log),
            use=span(cards["active_mean_pct"].to_list()),
            share=span((100 * cards["active_idle_share"]).to_list()),
            samples=span(cards["active_samples"].to_list()),
        ),
        why=say(
            "The log and the utilization agree: the card finishes its work and then waits until the loader has "
            "the next batch ready."
        ),
        severity=SEVERER[log.share >= MUCH_SHARE],
        confidence="high" if log.records >= CERTAIN_RECORDS else "medium",
    )


def _by_log(log: DataTime) -> Said:
    return Said(
        title=say("The job waits for data: {loader}.", loader=_log_says(log)),
        why=say(
            "While the loader is waited for, the card has nothing to do. This rests on the log alone, as no "
            "recording of the utilization goes with it."
        ),
        severity=MILDER[log.share >= MUCH_SHARE],
        confidence="medium" if log.records >= CERTAIN_RECORDS else "low",
    )


def _by_utilization(over: OverTime) -> list[Finding]:
    """Cards that rest in each cycle of a steady rhythm, where no log tells the data time."""
    if not over.is_series:
        return []
    rows = oscillating(over)
    rows = rows[rows["period_s"].notna() & known_true(rows["active_idle_share"] >= MUCH_IDLE_SHARE)]
    step_s = over.steps["step_time_s"].median()
    same = known_true((rows["period_s"] - step_s).abs() <= SAME_CYCLE * step_s)
    found = []
    for (_, is_step), cards in rows.groupby([rows["host"], same], dropna=False):
        found.append(_finding(over, cards, log=None, said=_by_rhythm(cards, is_step=bool(is_step))))
    return found


def _by_rhythm(cards: pd.DataFrame, *, is_step: bool) -> Said:
    periods = cards["period_s"].round(1)
    step = text("The cycle is as long as a step of the log, so the card rests in each step.")
    bursts = text("A short burst of work and a longer rest, again and again, is how a slow data loader looks.")
    return Said(
        title=say(
            "{waits} for its input, it seems: idle in {share} % of {samples} samples, busy once every {cycle} "
            "seconds.",
            waits=_waits(cards),
            share=span((100 * cards["active_idle_share"]).to_list()),
            samples=span(cards["active_samples"].to_list()),
            cycle=say("{low} to {high}", low=f"{periods.min():.1f}", high=f"{periods.max():.1f}")
            if periods.nunique() > 1
            else f"{periods.min():.1f}",
        ),
        why=sentences(
            say(step if is_step else bursts),
            say(
                "No log tells how long the loader is waited for; a program that is asked now and then looks the "
                "same."
            ),
        ),
        severity="medium" if is_step else "low",
        confidence="medium" if is_step else "low",
    )


def _finding(over: OverTime, cards: pd.DataFrame, *, log: DataTime | None, said: Said) -> Finding:
    host = host_load(over.frames)
    use = over.active("utilization_gpu_pct")
    courses = [use[card] for card in cards.index if len(use[card].rows)]
    return Finding(
        id="input-bound",
        severity=said.severity,
        title=said.title,
        why=sentences(said.why, *_host_says(host)),
        next_step=_next_step(host),
        gpus=indexes(cards) or _only_visible(over),
        evidence=(*(log.evidence if log else ()), *over.ends(courses), *host.evidence),
        confidence=said.confidence,
    )


def _only_visible(over: OverTime) -> tuple[int, ...]:
    """The GPU that the job runs on where no print shows it: the only one that it may see."""
    visible = visible_gpus(over)
    return tuple(visible) if len(visible) == 1 else ()


def _waits(cards: pd.DataFrame) -> str:
    one, some = text("{gpus} waits"), text("{gpus} wait")
    return say(one if len(cards) == 1 else some, gpus=gpus_named(cards))


def _log_says(log: DataTime) -> str:
    return say(
        "the loader takes {share:.0f} % of a step ({data:.3g} of {step:.3g} seconds)",
        share=100 * log.share,
        data=log.data_s,
        step=log.step_s,
    )


def _host_says(host: HostLoad) -> list[str]:
    said = []
    if host.waits_for_disk:
        waits = text("The CPUs of the host wait for a disk {iowait:.0f} % of the time (iowait).")
        said.append(say(waits, iowait=host.iowait_pct))
    if host.is_full:
        said.append(say("The CPUs of the host are full: {idle:.0f} % idle.", idle=host.idle_pct))
    if host.has_one_busy_process:
        said.append(
            say(
                "One process fills one CPU of the host ({busiest:.0f} %) while {idle:.0f} % of all CPU time is "
                "idle: the batches are made by a single thread.",
                busiest=host.busiest_pct,
                idle=host.idle_pct,
            )
        )
    return said


def _next_step(host: HostLoad) -> str:
    if host.waits_for_disk:
        return say(
            "Copy the data set to a local disk (NVMe) or into memory (`/dev/shm`) before the run, or pack many "
            "small files into a few large ones; more loader workers would only wait for the same disk."
        )
    if host.is_full:
        return say(
            "Make the samples cheaper for the CPUs: decode and resize them once before the run, or move the "
            "augmentation to the GPU; there is no CPU left for more loader workers."
        )
    cpus = say("; the host has {cpus} CPUs for all ranks together", cpus=host.cpus) if host.cpus else ""
    return say(
        "Give the data loader more worker processes, such as `DataLoader(..., num_workers=8, pin_memory=True, "
        "persistent_workers=True)`, and compare the data time in the log{cpus}.",
        cpus=cpus,
    )
