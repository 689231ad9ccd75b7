"""What changed from one whole run to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from smianalyze.analyses.run_numbers import RunNumbers

SAME = 0.05
"""Runs of the same job differ by some percent from day to day."""


STEP, RATE, DATA = "step time", "samples a second", "waiting for data"


class Change(NamedTuple):
    """One quantity of two runs, in its unit; None is unknown.

    ``is_share`` says that both are parts of a whole, 0 to 1, whose difference counts and not their ratio.
    """

    name: str
    unit: str
    before: float | None
    after: float | None
    is_share: bool = False

    @property
    def times(self) -> float | None:
        """How many times as much the second run has; None where that says nothing."""
        if self.is_share or not self.before or self.after is None or self.before <= 0 or self.after <= 0:
            return None
        return self.after / self.before

    @property
    def delta(self) -> float | None:
        """How much more the second run has."""
        return None if self.before is None or self.after is None else self.after - self.before


def changes(before: RunNumbers, after: RunNumbers) -> tuple[Change, ...]:
    """The quantities that at least one of the runs tells, in the order of a report.

    Samples a second stand for step time where the batch sizes differ, as a larger step takes longer.
    """
    other_batch = before.batch_size != after.batch_size and len(before.gpus) == len(after.gpus)
    rates = (before.samples_per_s, after.samples_per_s) if other_batch else (None, None)
    found = (
        Change(STEP, "s", before.step_time_s, after.step_time_s),
        Change("batch size", "samples", before.batch_size, after.batch_size),
        Change(RATE, "", *(rates if None not in rates else (None, None))),
        Change(DATA, "%", before.data_share, after.data_share, is_share=True),
        Change("utilization", "%", _share(before.utilization_pct), _share(after.utilization_pct), is_share=True),
        Change("idle", "%", before.idle_share, after.idle_share, is_share=True),
        Change("power", "W", before.power_w, after.power_w),
        Change("energy a step", "J", before.energy_per_step_j, after.energy_per_step_j),
        Change("peak memory", "MiB", before.memory_peak_mib, after.memory_peak_mib),
    )
    return tuple(change for change in found if (change.before, change.after) != (None, None))


def headline(found: Sequence[Change]) -> str:
    """One sentence: how much faster the second run is, and what went with it."""
    data = next((change for change in found if change.name == DATA), None)
    if data is None or data.before is None or data.after is None:
        return f"{pace(found)}."
    less = "less" if data.after < data.before else "more"
    return (
        f"{pace(found)}; the second waits for data in {data.after:.0%} of the time, {less} than "
        f"{data.before:.0%} before."
    )


def pace(found: Sequence[Change]) -> str:
    """How much faster the second run is, without a full stop."""
    by_name = {change.name: change for change in found}
    step, rate = by_name.get(STEP), by_name.get(RATE)
    if step is None or step.times is None:
        return "How long a step takes is not known of both runs"
    if rate is None or rate.times is None:
        took = f"{step.after:.3g} s a step in place of {step.before:.3g} s"
        return _faster(1 / step.times, took)
    return _faster(rate.times, f"{rate.after:,.0f} samples a second in place of {rate.before:,.0f}")


def _faster(times: float, took: str) -> str:
    if abs(times - 1) <= SAME:
        return f"Both runs are equally fast: {took}"
    as_fast = f"{times:.3g} times as fast" if times > 1 else f"{1 / times:.3g} times as slow"
    return f"The second run is {as_fast}: {took}"


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
