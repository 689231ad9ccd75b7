"""Healthy work that looks like something: each function prints one run in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from simulated_jobs import IDLE_MIB, JOB_MIB, LOAD_S, bursts, idle, job, steps
from simulated_texts import LIMIT_W, POWER, grid, imagenet_log, rank_log, recording, work

Texts = Mapping[str, str]
SEED = 7


def _warm_up_growth() -> Texts:
    """Caches fill for a third of the time; then memory stays."""
    at = grid(300)
    mib = JOB_MIB + 20000 * (1 - np.exp(-(at - LOAD_S) / 30))
    log = imagenet_log(steps(300, 0.1, 0.002))
    return {"gpu.csv": recording([job(at, 96.0, mib)], style="csv", step_s=1), "train.log": log}


def _evaluation_pauses() -> Texts:
    """Every minute ten seconds of evaluation, which is lighter."""
    at = grid(600)
    light = (at % 60) > 50
    log = imagenet_log([record for record in steps(600, 0.2, 0.004) if record[0] % 60 <= 50])
    card = job(at, np.where(light, 45.0, 97.0))
    return {"smi.txt": recording([card], style="table", step_s=2), "train.log": log}


def _checkpoint_stalls() -> Texts:
    """Rank 0 saves for eight seconds every two minutes, and rank 1 waits in a barrier."""
    at = grid(600)
    saves = (at % 120) > 112
    first = job(at, np.where(saves, 0.0, 98.0))
    second = job(at, 99.0)
    second = replace(second, watts=np.where(saves & (at > LOAD_S), 130.0, second.watts))
    times = [float(at) for at in np.arange(LOAD_S + 2, 600, 2) if at % 120 <= 112]
    return {"gpu.csv": recording([first, second], style="csv", step_s=1), "train.log": rank_log(2, times)}


def _checkpoint_at_the_end() -> Texts:
    """The run ends with a checkpoint of rank 0 that takes forty seconds."""
    at = grid(300)
    saves = at > 260
    first = job(at, np.where(saves, 0.0, 98.0))
    second = job(at, 99.0)
    second = replace(second, watts=np.where(saves, 130.0, second.watts))
    times = [float(at) for at in np.arange(LOAD_S + 2, 260, 2)]
    return {"gpu.csv": recording([first, second], style="csv", step_s=1), "train.log": rank_log(2, times)}


def _gradient_accumulation() -> Texts:
    """Eight small steps, and then a moment for the optimizer."""
    at = grid(120)
    log = imagenet_log(steps(120, 3.2, 0.01))
    return {"gpu.csv": recording([job(at, bursts(at, 3.2, 0.9))], style="csv", step_s=0.2), "train.log": log}


def _one_gpu_jobs() -> Texts:
    """Four people with a job each, on one machine."""
    at = grid(400)
    cards = [
        work(0 * at + 99, 0 * at + 12000, full_w=300.0),
        work(0 * at + 99, 0 * at + 70000, full_w=650.0),
        work(np.where(at > 100, 97.0, 0.0), np.where(at > 100, 21000.0, IDLE_MIB), full_w=480.0),
        job(at, 98.0, 9000.0, full_w=220.0),
    ]
    log = imagenet_log(steps(400, 0.2, 0.002))
    return {"smi.txt": recording(cards, style="table", step_s=2), "train.log": log}


def _mig() -> Texts:
    """A card that is split: nvidia-smi prints no utilization of it."""
    at = grid(300)
    card = replace(job(at, 60.0, 18000.0), mig=True)
    return {"smi.txt": recording([card, replace(idle(at), mig=True)], style="table", step_s=2)}


def _ten_second_sampling() -> Texts:
    """A job whose utilization goes up and down a little, seen each ten seconds."""
    at = grid(1800)
    noise = np.random.default_rng(SEED).normal(0, 4, len(at))
    percent = np.clip(85 + 12 * np.sin(at / 7) + noise, 0, 100)
    return {"smi.txt": recording([job(at, percent), job(at, percent)], style="table", step_s=10)}


def _light_work() -> Texts:
    """Small kernels keep both cards at 100 % and cool from the first to the last step."""
    at = grid(400)
    card = job(at, 100.0, full_w=150.0)
    times = [float(at) for at in np.arange(LOAD_S + 2, 398, 2)]
    return {"gpu.csv": recording([card, card], style="csv", step_s=1), "train.log": rank_log(2, times)}


def _light_work_without_a_log() -> Texts:
    at = grid(400)
    return {"gpu.csv": recording([job(at, 100.0, full_w=150.0)] * 2, style="csv", step_s=1)}


def _sawtooth() -> Texts:
    """The allocator takes memory and gives it back each three minutes."""
    at = grid(900)
    mib = JOB_MIB + 100 * ((at - LOAD_S) % 180)
    return {"gpu.csv": recording([job(at, 95.0, mib)], style="csv", step_s=2)}


def _longer_inputs() -> Texts:
    """Memory goes up with each input that is longer than all before."""
    at = grid(900)
    random = np.random.default_rng(SEED)
    lengths = random.gamma(4.0, 1500.0, len(at))
    longest = np.maximum.accumulate(np.where(random.random(len(at)) < 0.05, lengths, 0))
    return {"gpu.csv": recording([job(at, 95.0, JOB_MIB + longest)], style="csv", step_s=2)}


def _large_model_is_loaded() -> Texts:
    """Weights come at 500 MiB a second for two minutes."""
    at = grid(400)
    mib = np.minimum(500 * np.clip(at - LOAD_S, 0, None), 60000) + IDLE_MIB
    card = work(np.where(at > 135, 96.0, 0.0), mib)
    return {"gpu.csv": recording([card], style="csv", step_s=1)}


def _loading_is_all_that_is_seen() -> Texts:
    at = grid(100)
    mib = 500 * np.clip(at - LOAD_S, 0, None) + IDLE_MIB
    return {"gpu.csv": recording([work(0 * at, mib)], style="csv", step_s=1)}


def _at_the_power_limit() -> Texts:
    """Heavy work touches the limit; the clock hardly goes down."""
    at = grid(240)
    card = replace(
        job(at, 99.0, full_w=LIMIT_W - 3.0), held=(at > LOAD_S).astype(float), reason=POWER, mhz_held=1900
    )
    return {"gpu.csv": recording([card, card], style="csv", step_s=1)}


def _idle_machine() -> Texts:
    at = grid(300)
    return {"gpu.txt": recording([idle(at)] * 4, style="dmon", step_s=1)}


def _requests() -> Texts:
    """A server that answers when it is asked."""
    at = grid(300)
    asked = np.repeat(np.random.default_rng(SEED).random(len(at) // 20 + 1) < 0.7, 20)[: len(at)]
    return {"gpu.csv": recording([job(at, np.where(asked, 80.0, 10.0))], style="csv", step_s=0.5)}


def _ranks_differ_a_little() -> Texts:
    """Chips and cooling differ by a tenth."""
    at = grid(180)
    cards = [job(at, 99.0, full_w=watts) for watts in (640.0, 600.0, 625.0, 575.0)]
    times = [float(at) for at in np.arange(LOAD_S + 2, 178, 2)]
    return {"gpu.csv": recording(cards, style="csv", step_s=1), "train.log": rank_log(4, times)}


def _slow_first_batch() -> Texts:
    """The workers of the loader start; then data is always there."""
    at = grid(120)
    log = imagenet_log(
        [(LOAD_S + 12.0, 12.0, 11.0), *((22 + 0.1 * step, 0.1, 0.001) for step in range(0, 900, 50))]
    )
    card = job(at, np.where(at > 22, 97.0, 0.0))
    return {"gpu.csv": recording([card], style="csv", step_s=0.5), "train.log": log}


HEALTHY: Mapping[str, Callable[[], Texts]] = {
    "warm-up growth": _warm_up_growth,
    "evaluation pauses": _evaluation_pauses,
    "checkpoint stalls": _checkpoint_stalls,
    "a checkpoint at the end": _checkpoint_at_the_end,
    "gradient accumulation": _gradient_accumulation,
    "one-GPU jobs on a shared machine": _one_gpu_jobs,
    "MIG": _mig,
    "10-second sampling": _ten_second_sampling,
    "light work": _light_work,
    "light work without a log": _light_work_without_a_log,
    "a sawtooth of memory": _sawtooth,
    "longer and longer inputs": _longer_inputs,
    "a large model is loaded": _large_model_is_loaded,
    "loading is all that is seen": _loading_is_all_that_is_seen,
    "work at the power limit": _at_the_power_limit,
    "an idle machine": _idle_machine,
    "a server that is asked now and then": _requests,
    "ranks that differ a little": _ranks_differ_a_little,
    "a slow first batch": _slow_first_batch,
}
