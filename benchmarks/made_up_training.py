"""A training log that is made up, of three styles in turn: Trainer's dicts, lines of ImageNet, bars of tqdm."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

Sums = dict[str, float]
EPOCH_LINES = 60  # of one style, before the next one begins
STEP = 10
STEPS = 625
BAR = 10  # characters


OTHERS = 99  # lines of a sparse log for one line of training


class Piece(NamedTuple):
    """A part of a capture that is never cut, and the sums of what it says by column."""

    text: str
    sums: Mapping[str, float]


def add(sums: Sums, more: Mapping[str, float]) -> None:
    """Add the sums of another piece."""
    for column, value in more.items():
        sums[column] = sums.get(column, 0) + value


def training_log(seed: int) -> Iterator[Piece]:
    """The output of one training after the other; a piece is one epoch."""
    rnd = random.Random(seed)  # noqa: S311 - nothing is secret here
    epoch = 0
    while True:
        for style in (_dicts, _imagenet, _bars):
            text, sums = style(rnd, epoch)
            yield Piece(text, {f"steps.{column}": total for column, total in sums.items()})
        epoch += 1


def sparse_log(seed: int) -> Iterator[Piece]:
    """What a job prints in which one line of a hundred is about training; a piece is so many lines."""
    rnd = random.Random(seed)  # noqa: S311 - the same
    for number in count():
        text, sums = _dict(rnd, *divmod(number, EPOCH_LINES))
        others = "".join(_other_line(rnd) for _ in range(OTHERS))
        yield Piece(text + others, {f"steps.{column}": total for column, total in sums.items()})


def _other_line(rnd: random.Random) -> str:
    """A line that says nothing of training."""
    size, shard, seconds = rnd.randrange(100, 10**7), rnd.randrange(10_000), rnd.random()
    clock = f"2026-11-30 {rnd.randrange(24):02}:{rnd.randrange(60):02}:{rnd.randrange(60):02},{shard % 1000:03}"
    lines = (
        f"{clock} INFO data.reader: opened part-{shard:05}.tar, {size} bytes\n",
        f"{clock} DEBUG data.cache: hit for {rnd.getrandbits(64):016x} after {seconds:.3f} s\n",
        f'127.0.0.1 - - [30/Nov/2026:10:00:{shard % 60:02} +0000] "GET /health HTTP/1.1" 200 {size}\n',
        f"[rank{shard % 8}] UserWarning: slow read of /data/part-{shard:05}.tar: {seconds:.1f} seconds\n",
        f"{clock} INFO store: {shard} objects listed below s3://corpus/shards/{shard // 100:03}/\n",
    )
    return lines[size % len(lines)]


def _dicts(rnd: random.Random, epoch: int) -> Piece:
    text, sums = [], Sums()
    for line in range(EPOCH_LINES):
        row = _dict(rnd, epoch, line)
        text.append(row.text)
        add(sums, row.sums)
    return Piece("".join(text), sums)


def _dict(rnd: random.Random, epoch: int, line: int) -> Piece:
    row = {
        "loss": round(2.5 * math.exp(-line / 90) + rnd.random() / 9, 4),
        "grad_norm": 0.4 + rnd.random(),
        "learning_rate": 2e-4 * (1 - line / EPOCH_LINES) * (1 - rnd.random() / 1e6),
        "epoch": round(epoch + line / EPOCH_LINES, 2),
    }
    return Piece(f"{row}\n", {"lr": row.pop("learning_rate"), **row})


def _imagenet(rnd: random.Random, epoch: int) -> Piece:
    text, sums = [], Sums()
    for line in range(EPOCH_LINES):
        time, data = 0.09 + 0.05 * rnd.random(), 0.03 * rnd.random() ** 3
        loss, top1 = 6.9 * math.exp(-line / 50) + rnd.random(), 25 + 50 * rnd.random()
        cells = {
            "step_time_s": f"{time:6.3f}",
            "step_time_avg_s": f"{0.115 + time / 50:6.3f}",
            "data_time_s": f"{data:6.3f}",
            "data_time_avg_s": f"{0.01 + data / 50:6.3f}",
            "loss": f"{loss:.4e}",
            "loss_avg": f"{loss + rnd.random() / 5:.4e}",
            "acc_1": f"{top1:6.2f}",
            "acc_1_avg": f"{50 + top1 / 20:6.2f}",
            "acc_5": f"{75 + top1 / 4:6.2f}",
            "acc_5_avg": f"{85 + top1 / 20:6.2f}",
        }
        text.append(
            f"Epoch: [{epoch}][{line * STEP:3d}/{STEPS}]"
            + "\tTime {} ({})\tData {} ({})\tLoss {} ({})\tAcc@1 {} ({})\tAcc@5 {} ({})\n".format(*cells.values())
        )
        step = {"epoch": epoch, "step": line * STEP, "total_steps": STEPS}
        add(sums, step | {column: float(cell) for column, cell in cells.items()})
    return Piece("".join(text), sums)


def _bars(rnd: random.Random, epoch: int) -> Piece:
    """Every draw of a bar starts the line anew, as in a file that tqdm was sent to."""
    draws, sums = [], Sums()
    for draw in range(1, EPOCH_LINES + 1):
        step, seconds = draw * STEP, draw * 2
        rate = f"{4.6 + rnd.random():.2f}"
        loss, lr = f"{2 * math.exp(-draw / 40) + rnd.random() / 9:.4f}", f"{3e-4 * (1 - draw / 70):.2e}"
        share = 100 * step // STEPS
        bar = ("#" * (share * BAR // 100)).ljust(BAR)
        left = (STEPS - step) // 5
        draws.append(
            f"Epoch {epoch}: {share:3d}%|{bar}| {step}/{STEPS} [{_clock(seconds)}<{_clock(left)}, {rate}it/s,"
            f" loss={loss}, lr={lr}]"
        )
        row = {"epoch": epoch, "step": step, "total_steps": STEPS, "progress_pct": share}
        times = {"elapsed_s": seconds, "eta_s": left, "steps_per_s": float(rate)}
        add(sums, row | times | {"loss": float(loss), "lr": float(lr)})
    return Piece("\r".join(draws) + "\n", sums)


def _clock(seconds: int) -> str:
    return f"{seconds // 60:02d}:{seconds % 60:02d}"
