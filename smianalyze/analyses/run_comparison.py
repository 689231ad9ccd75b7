"""What changed from one whole run to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from smianalyze.analyses.run_numbers import RunNumbers
from smianalyze.language import say, text

SAME = 0.05
"""Runs of the same job differ by some percent from day to day."""


STEP, RATE, DATA = text("step time"), text("samples a second"), text("waiting for data")
SAMPLES = text("samples")


class Change(NamedTuple):
    """One quantity of two runs, in its unit; None is unknown. The name is English (see :attr:`label`).

    ``is_share`` says that both are parts of a whole, 0 to 1, whose difference counts and not their ratio.
    """

    name: str
    unit: str
    before: float | None
    after: float | None
    is_share: bool = False

    @property
    def label(self) -> str:
        """Name and unit in the language that is spoken, such as ``step time, s``."""
        unit = say(SAMPLES) if self.unit == SAMPLES else self.unit
        return say("{name}, {unit}", name=say(self.name), unit=unit) if unit else say(self.name)

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
        Change(text("batch size"), SAMPLES, before.batch_size, after.batch_size),
        Change(RATE, "", *(rates if None not in rates else (None, None))),
        Change(DATA, "%", before.data_share, after.data_share, is_share=True),
        Change(
            text("utilization"), "%", _share(before.utilization_pct), _share(after.utilization_pct), is_share=True
        ),
        Change(text("idle"), "%", before.idle_share, after.idle_share, is_share=True),
        Change(text("power"), "W", before.power_w, after.power_w),
        Change(text("energy a step"), "J", before.energy_per_step_j, after.energy_per_step_j),
        Change(text("peak memory"), "MiB", before.memory_peak_mib, after.memory_peak_mib),
    )
    return tuple(change for change in found if (change.before, change.after) != (None, None))


def headline(found: Sequence[Change]) -> str:
    """One sentence: how much faster the second run is, and what went with it."""
    data = next((change for change in found if change.name == DATA), None)
    if data is None or data.before is None or data.after is None or f"{data.before:.0%}" == f"{data.after:.0%}":
        return say("{clause}.", clause=pace(found))
    less = text("{pace}; the second waits for data in {after:.0%} of the time, less than {before:.0%} before.")
    more = text("{pace}; the second waits for data in {after:.0%} of the time, more than {before:.0%} before.")
    said = less if data.after < data.before else more
    return say(said, pace=pace(found), after=data.after, before=data.before)


def pace(found: Sequence[Change]) -> str:
    """How much faster the second run is, without a full stop."""
    by_name = {change.name: change for change in found}
    step, rate = by_name.get(STEP), by_name.get(RATE)
    if step is None or step.times is None:
        return say("How long a step takes is not known of both runs")
    if rate is None or rate.times is None:
        took = say("{after:.3g} s a step in place of {before:.3g} s", after=step.after, before=step.before)
        return _faster(1 / step.times, took)
    rates = text("{after:,.0f} samples a second in place of {before:,.0f}")
    return _faster(rate.times, say(rates, after=rate.after, before=rate.before))


def _faster(times: float, took: str) -> str:
    if abs(times - 1) <= SAME:
        return say("Both runs are equally fast: {took}", took=took)
    if times > 1:
        return say("The second run is {times:.3g} times as fast: {took}", times=times, took=took)
    return say("The second run is {times:.3g} times as slow: {took}", times=1 / times, took=took)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
