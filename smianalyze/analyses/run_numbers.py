"""A whole run in a few numbers: time of a step, waiting for data, utilization, power, energy, memory."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from smianalyze.analyses.batch_sizes import batch_sizes
from smianalyze.analyses.data_time import PART_OF_STEP
from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.over_time import OverTime, indexes
from smianalyze.frames import Frames

EPOCH = ["source", "rank", "epoch"]
"""Averages in a log begin anew in each epoch."""

FEWEST_STEPS = 2
"""A single record is mostly the first step, which compiles and loads."""

ALIKE = 1.25
"""The logs of the ranks of one job tell step times that differ by less: they wait for each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNumbers:
    """Means of a run; None is unknown.

    Attributes:
        step_time_s: Seconds of a step over the whole run, its start included.
        batch_size: Samples of a step, as the program says of itself.
        data_share: Part of that in which the loader was waited for, 0 to 1.
        gpus: Cards that the job worked on, as far as their numbers are known.
        utilization_pct: Mean of these cards while the job ran.
        idle_share: Part of that time in which they were idle, 0 to 1.
        power_w: Sum of their mean powers while the job ran.
        memory_peak_mib: Most memory in use on one of them.
        memory_total_mib: Memory of that card.
    """

    step_time_s: float | None = None
    batch_size: float | None = None
    data_share: float | None = None
    gpus: tuple[int, ...] = ()
    utilization_pct: float | None = None
    idle_share: float | None = None
    power_w: float | None = None
    memory_peak_mib: float | None = None
    memory_total_mib: float | None = None

    @property
    def samples_per_s(self) -> float | None:
        """Samples a second of each process."""
        if self.batch_size is None or not self.step_time_s:
            return None
        return self.batch_size / self.step_time_s

    @property
    def energy_per_step_j(self) -> float | None:
        """What the cards take for a step: their power times the time of a step."""
        if self.power_w is None or self.step_time_s is None:
            return None
        return self.power_w * self.step_time_s


def is_run(frames: Frames) -> bool:
    """Whether a capture shows a course in time: a recording of the cards, or a log with steps."""
    return OverTime(frames).is_series or len(frames.steps) >= FEWEST_STEPS


def run_numbers(frames: Frames) -> RunNumbers:
    """The numbers of a capture of one run."""
    step, data = step_times(frames.steps)
    share = min(data / step, 1) if step and data is not None and 0 <= data <= PART_OF_STEP * step else None
    sizes = {said.size for said in batch_sizes(frames).values()}
    batch = sizes.pop() if len(sizes) == 1 else None
    over = OverTime(frames)
    if not over.is_series:
        return RunNumbers(step_time_s=step, batch_size=batch, data_share=share)
    cards = job_cards(over)
    use, power, memory = (frame.loc[cards.index] for frame in (over.utilization, over.power, over.memory))
    fullest = memory.sort_values("peak_mib", na_position="first").tail(1)
    watts = power["active_mean_w"]
    return RunNumbers(
        step_time_s=step,
        batch_size=batch,
        data_share=share,
        gpus=indexes(cards),
        utilization_pct=_known(use["active_mean_pct"].mean()),
        idle_share=_known(use["active_idle_share"].mean()),
        power_w=_known(watts.sum()) if len(watts) and watts.notna().all() else None,
        memory_peak_mib=_known(fullest["peak_mib"].max()),
        memory_total_mib=_known(fullest["total_mib"].max()),
    )


def step_times(steps: pd.DataFrame) -> tuple[float | None, float | None]:
    """Mean seconds of a step and of waiting for data: averages that the log prints, else those of its records.

    A log that prints neither still has a clock: then the time between its records over the steps between them.
    Logs that differ are of several jobs: then nothing is known of the run.
    """
    logs = [_times_of(rows)[0] for _, rows in steps.groupby("source", sort=False)]
    known = [step for step in logs if step is not None]
    if known and max(known) > ALIKE * min(known):
        return None, None
    return _times_of(steps)


def _times_of(steps: pd.DataFrame) -> tuple[float | None, float | None]:
    epochs = steps.groupby(EPOCH, dropna=False, sort=False)
    last = epochs.tail(1)
    count = last["step"] - epochs["step"].transform("first").loc[last.index] + 1
    averaged = known_true((last["step_time_avg_s"] > 0) & (count > 0))
    if averaged.any():
        rows = last[averaged]
        return _weighted(rows, "step_time_avg_s", count), _weighted(rows, "data_time_avg_s", count)
    timed = steps[known_true(steps["step_time_s"] > 0)]
    if len(timed) >= FEWEST_STEPS:
        return _known(timed["step_time_s"].mean()), _known(timed["data_time_s"].mean())
    return _by_clock(steps), None


def _by_clock(steps: pd.DataFrame) -> float | None:
    """Seconds a step between the records of the log with most of them."""
    rows = steps.dropna(subset=["time", "step"])
    if len(rows) < FEWEST_STEPS:
        return None
    longest = rows[rows["source"].eq(rows["source"].value_counts().index[0])]
    first_of_step = longest[~known_true(longest["step"].eq(longest["step"].shift()))]
    done, took = first_of_step["step"].diff(), first_of_step["time"].diff().dt.total_seconds()
    goes_on = known_true((done > 0) & (took >= 0))  # a new epoch may count from 0 again
    count, seconds = float(done[goes_on].sum()), float(took[goes_on].sum())
    return seconds / count if count > 0 and seconds > 0 else None


def _weighted(rows: pd.DataFrame, name: str, count: pd.Series) -> float | None:
    """The mean of a column over all steps behind its rows."""
    known = rows[name].dropna()
    weight = count.loc[known.index]
    return _known((known * weight).sum() / weight.sum()) if len(known) else None


def _known(value: float) -> float | None:
    """A number as plain float; None for one that is unknown."""
    return None if pd.isna(value) else float(value)
