"""What a recording shows over time: cards that wait, go on and off, or fill up, and how far it can be trusted."""

from __future__ import annotations

from smianalyze.analyses.collective_hang import collective_hang
from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.held_idle import held_at_that_moment, held_but_idle
from smianalyze.analyses.input_bound import input_bound
from smianalyze.analyses.memory_grows import memory_grows
from smianalyze.analyses.memory_ramp import memory_ramp_slow
from smianalyze.analyses.oscillation import oscillating, utilization_oscillates
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.power_capped import power_capped
from smianalyze.analyses.rank_imbalance import rank_imbalance
from smianalyze.analyses.recording import gap_in_series, sampling_too_coarse
from smianalyze.analyses.thermal_slowdown import thermal_slowdown
from smianalyze.findings import Finding
from smianalyze.frames import Frames


def seen_over_time(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """Everything that needs a series; of a few prints what the log and the last moment show."""
    over = frames.once(OverTime)
    at_any_time = [*input_bound(over), *memory_grows(over), *power_capped(over), *thermal_slowdown(over)]
    if not over.is_series:
        return [*at_any_time, *held_at_that_moment(frames)]
    return [
        *at_any_time,
        *memory_ramp_slow(over),
        *collective_hang(over),
        *rank_imbalance(over),
        *utilization_oscillates(over),
        *held_but_idle(over, besides=list(oscillating(over).index)),
        *sampling_too_coarse(over),
        *gap_in_series(over),
    ]
