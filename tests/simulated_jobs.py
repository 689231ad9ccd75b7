"""What the cards of a job do in the course of time."""

from __future__ import annotations

import numpy as np
from simulated_texts import Card, Floats, work

LOAD_S = 10  # empty and idle at first, as recorders are started before the job
JOB_MIB = 30000.0
IDLE_MIB = 4.0


def job(at: Floats, percent: Floats | float, mib: Floats | float = JOB_MIB, *, full_w: float = 600.0) -> Card:
    """A card that is empty for ``LOAD_S`` and then works."""
    on = at >= LOAD_S
    return work(np.where(on, percent, 0.0), np.where(on, mib, IDLE_MIB), full_w=full_w)


def idle(at: Floats) -> Card:
    return work(0 * at, 0 * at + IDLE_MIB)


def bursts(at: Floats, cycle_s: float, busy_share: float) -> Floats:
    """Full work for a share of each cycle."""
    return np.where((at % cycle_s) < busy_share * cycle_s, 98.0, 0.0)


def steps(until_s: float, step_s: float, data_s: float) -> list[tuple[float, float, float]]:
    """Records of a log, ten steps apart or one, so that there are not too many."""
    count = int((until_s - LOAD_S) / step_s)
    every = 1 if step_s >= 1 else 10
    return [(LOAD_S + step_s * number, step_s, data_s) for number in range(1, count + 1, every)]
