"""How long the pictures of a long series take, without imports and reading: CPU seconds by picture, as JSON."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pandas as pd
from made_up_host import CAPACITY_MIB, NAME, START

from smianalyze import figures
from smianalyze.frames import Frames
from smianalyze.masking import Masker

SAMPLES = 100_000
CARDS = 8
PHASE = 300  # samples for which a card works, or waits


def series(samples: int, cards: int) -> Frames:
    """A recording of one print a second, in which all cards work and wait in turn."""
    rnd = np.random.default_rng(1)
    shape = samples, cards
    works = (np.arange(samples)[:, None] // PHASE + rnd.integers(0, 2, cards)) % 2 == 0
    utilization = np.where(works, rnd.integers(80, 101, shape), rnd.integers(0, 4, shape))
    memory = np.minimum(20_000 + 900 * np.cumsum(works, axis=0) // PHASE, CAPACITY_MIB)
    columns = {
        "snapshot": np.repeat(np.arange(samples), cards),
        "time": np.repeat(np.datetime64(START) + np.arange(samples).astype("timedelta64[s]"), cards),
        "gpu_index": np.tile(np.arange(cards), samples),
        "name": NAME,
        "utilization_gpu_pct": utilization.ravel(),
        "memory_used_mib": memory.ravel(),
        "memory_total_mib": CAPACITY_MIB,
        "power_draw_w": (90 + 5.5 * utilization + rnd.random(shape)).round(2).ravel(),
        "temperature_gpu_c": 35 + utilization.ravel() // 3,
        "source": "smi.csv",
        "line": np.arange(2, samples * cards + 2),
    }
    empty = Frames.from_rows({})
    gpus = pd.DataFrame(columns).reindex(columns=empty.gpus.columns).astype(empty.gpus.dtypes)
    prints = gpus.drop_duplicates("snapshot").reindex(columns=empty.snapshots.columns)
    parts = {name: getattr(empty, name) for name in ("processes", "mig_devices", "vgpus", "devices", "links")}
    parts |= {name: getattr(empty, name) for name in ("hosts", "host_processes", "steps", "events", "problems")}
    return Frames(gpus=gpus, snapshots=prints.astype(empty.snapshots.dtypes), inputs=empty.inputs, **parts)


def cost_s(samples: int = SAMPLES, cards: int = CARDS) -> dict[str, float]:
    """CPU seconds of all pictures of a report, and of each of them alone."""
    frames, masker = series(samples, cards), Masker("default")
    begun = time.process_time()
    pictures = figures.pictures(frames, None, masker=masker)
    found = {"prepared": time.process_time() - begun}
    for picture in pictures:
        begun = time.process_time()
        figures.png(picture.figure)
        found[picture.file_name] = time.process_time() - begun
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(cost_s()))
