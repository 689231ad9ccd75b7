"""Jobs with something wrong: each function prints one, at three strengths down to too weak to say (0, 1, 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from simulated_jobs import IDLE_MIB, JOB_MIB, LOAD_S, bursts, idle, job, steps
from simulated_texts import HEAT, IDLE_W, LIMIT_W, POWER, Card, grid, imagenet_log, rank_log, recording, work

Texts = Mapping[str, str]


def _input_bound(number: int) -> Texts:
    waiting = (0.9, 0.45, 0.1)[number]
    at = grid(120)
    smi = recording([idle(at), job(at, bursts(at, 2.0, 1 - waiting))], style="csv", step_s=0.2)
    return {"gpu.csv": smi, "train.log": imagenet_log(steps(120, 2.0, 2.0 * waiting))}


def _memory_grows(number: int) -> Texts:
    at = grid(1200)
    mib = JOB_MIB + (25.0, 2.0, 0.05)[number] * (at - LOAD_S) + 300 * np.sin(at)
    return {"smi.txt": recording([job(at, 90.0, mib), idle(at)], style="table", step_s=5)}


def _memory_ramp(number: int) -> Texts:
    seconds = (300, 90, 20)[number]
    at = grid(seconds + 60)
    ramp = np.clip((at - LOAD_S) / seconds, 0, 1) * 600 + IDLE_MIB
    works = at >= LOAD_S + seconds
    card = work(np.where(works, 95.0, 0.0), np.where(works, JOB_MIB, ramp))
    return {"gpu.csv": recording([card], style="csv", step_s=1)}


def _rank_imbalance(number: int) -> Texts:
    at, cool = grid(180), (320.0, 440.0, 590.0)[number]
    cards = [job(at, 99.0, full_w=650.0), *[job(at, 100.0, full_w=cool)] * 3]
    return {
        "gpu.csv": recording(cards, style="csv", step_s=1),
        "train.log": rank_log(4, list(np.arange(LOAD_S + 2, 178, 2))),
    }


def _collective_hang(number: int) -> Texts:
    worked, hung = 120, (600, 120, 20)[number]
    at = grid(worked + hung)
    hangs = at >= worked
    busy = job(at, 99.0)
    stuck = replace(busy, watts=np.where(hangs, 130.0, busy.watts))
    gone = replace(busy, percent=np.where(hangs, 0.0, busy.percent), watts=np.where(hangs, IDLE_W, busy.watts))
    texts = {"smi.txt": recording([stuck, gone], style="table", step_s=2)}
    return texts | {"train.log": rank_log(2, list(np.arange(LOAD_S + 2, worked, 2)))} if number != 1 else texts


def _held(number: int, reason: str) -> Card:
    at = grid(240)
    card = job(at, 99.0, full_w=LIMIT_W - 5.0)
    share = ((1.0, 1.0), (0.5, 0.2), (0.05, 0.02))[number][reason == HEAT]
    held = (at >= LOAD_S) & ((at % 60) < share * 60) & ((at > 60) | (share > 0.1))
    return replace(card, held=held.astype(float), reason=reason, mhz_held=(1200, 1500, 1700)[number])


def _power_capped(number: int) -> Texts:
    style = ("csv", "dmon", "csv")[number]
    return {"gpu.txt": recording([idle(grid(240)), _held(number, POWER)], style=style, step_s=1)}


def _thermal_slowdown(number: int) -> Texts:
    style = ("dmon", "csv", "csv")[number]
    return {"gpu.txt": recording([_held(number, HEAT), idle(grid(240))], style=style, step_s=1)}


def _held_but_idle(number: int) -> Texts:
    seconds = (900, 90, 15)[number]
    at = grid(LOAD_S + seconds)
    return {"smi.txt": recording([job(at, 0.0), idle(at)], style="table", step_s=1)}


def _oscillates(number: int) -> Texts:
    """Each step is followed by work of the CPU that no log calls data time."""
    at = grid(180)
    busy = bursts(at, 4.0, (0.35, 0.6, 0.93)[number])
    smi = recording([job(at, busy)], style="csv", step_s=0.2)
    return {"gpu.csv": smi, "train.log": imagenet_log(steps(180, 4.0, 0.05))}


def _primary_overhead(number: int) -> Texts:
    at = grid(60)
    cards = [job(at, 97.0, JOB_MIB + extra) for extra in ((4000.0, 1500.0, 150.0)[number], 0.0, 10.0, 0.0)]
    return {"smi.txt": recording(cards, style="table", step_s=1)}


def _input_bound_by_log(number: int) -> Texts:
    step_s = 1.5
    return {"train.log": imagenet_log(steps(120, step_s, step_s * (0.9, 0.45, 0.1)[number]))}


def _input_bound_by_utilization(number: int) -> Texts:
    at = grid(120)
    busy = bursts(at, 3.0, (0.15, 0.3, 0.9)[number])
    return {"gpu.csv": recording([job(at, busy)], style="csv", step_s=0.2)}


def _memory_grows_quickly(number: int) -> Texts:
    """The card fills within a few prints; the log has more records."""
    at, rate = grid(40), (2500.0, 700.0, 2.0)[number]
    mib = np.minimum(JOB_MIB + rate * (at - LOAD_S), 81500)
    records = [(LOAD_S + number * 1.5, 0.1, 0.001) for number in range(20)]
    log = imagenet_log(records, mib=[JOB_MIB + rate * (at - LOAD_S) for at, _, _ in records])
    return {"smi.txt": recording([job(at, 90.0, mib), idle(at)], style="table", step_s=3), "train.log": log}


def _all_ranks_hang(number: int) -> Texts:
    """Every rank here waits for one on another host, and the log is silent."""
    worked, hung = 120, (600, 100, 20)[number]
    at = grid(worked + hung)
    busy = job(at, 99.0)
    stuck = replace(busy, watts=np.where(at >= worked, 140.0, busy.watts))
    smi = recording([stuck] * 4, style="csv", step_s=2)
    return {"gpu.csv": smi, "train.log": rank_log(4, list(np.arange(LOAD_S + 2, worked, 2)))}


def _imbalance_without_a_log(number: int) -> Texts:
    at, cool = grid(180), (300.0, 430.0, 600.0)[number]
    return {
        "gpu.txt": recording([job(at, 100.0, full_w=cool), job(at, 99.0, full_w=660.0)], style="dmon", step_s=1)
    }


class Family(NamedTuple):
    """A cause that shows in one way, the cards that it is on, and what is printed by strength (0, 1, 2)."""

    cause: str
    gpus: tuple[int, ...]
    make: Callable[[int], Texts]


CAUSES = (
    Family("input-bound", (1,), _input_bound),
    Family("input-bound", (), _input_bound_by_log),
    Family("input-bound", (0,), _input_bound_by_utilization),
    Family("memory-grows", (0,), _memory_grows),
    Family("memory-grows", (0,), _memory_grows_quickly),
    Family("memory-ramp-slow", (0,), _memory_ramp),
    Family("rank-imbalance", (0, 1, 2, 3), _rank_imbalance),
    Family("rank-imbalance", (0, 1), _imbalance_without_a_log),
    Family("collective-hang", (0, 1), _collective_hang),
    Family("collective-hang", (0, 1, 2, 3), _all_ranks_hang),
    Family("power-capped", (1,), _power_capped),
    Family("thermal-slowdown", (0,), _thermal_slowdown),
    Family("held-but-idle", (0,), _held_but_idle),
    Family("utilization-oscillates", (0,), _oscillates),
    Family("primary-card-overhead", (0,), _primary_overhead),
)
