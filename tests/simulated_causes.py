"""Jobs with something wrong: each function prints one, at three strengths down to too weak to say (0, 1, 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

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


CAUSES: Mapping[str, tuple[Callable[[int], Texts], tuple[int, ...]]] = {
    "input-bound": (_input_bound, (1,)),
    "memory-grows": (_memory_grows, (0,)),
    "memory-ramp-slow": (_memory_ramp, (0,)),
    "rank-imbalance": (_rank_imbalance, (0, 1, 2, 3)),
    "collective-hang": (_collective_hang, (0, 1)),
    "power-capped": (_power_capped, (1,)),
    "thermal-slowdown": (_thermal_slowdown, (0,)),
    "held-but-idle": (_held_but_idle, (0,)),
    "utilization-oscillates": (_oscillates, (0,)),
    "primary-card-overhead": (_primary_overhead, (0,)),
}
