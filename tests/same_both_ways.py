"""What is read in blocks is what is read line by line."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import pandas as pd

from smianalyze.columns import FRAMES
from smianalyze.frames import Frames
from smianalyze.reading import Found, read_all
from smianalyze.source import open_inputs

FOREIGN = (
    "step 12 loss 0.51",
    "Mon Nov 30 19:35:52 2026",
    "",
    "   ",
    "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the system",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    "$ nvidia-smi --query-gpu=timestamp,index,name --format=csv,noheader",
    "12, 13, 14",
    "5",
    "# gpu    pwr  gtemp  mtemp",
    "    0     78     31     44",
    "2026/11/30 19:36:19.728, [GPU is lost], NVIDIA H200, P0, [N/A], 3 %, 4 MiB, 5.00 W",
    "a sentence, with commas, and 3 numbers",
    "[rank0]: +-----------------------------------------------------------------------------+",
    "+-----------------------------",
    "2026-11-30 19:36:20,123 INFO epoch 3: loss=0.25 lr=1e-4",
    '"quoted, name", 3',
)
"""Lines that stand between rows, and are none or look like some."""


def damaged(lines: list[str], foreign: Sequence[str], letters: str, chance: random.Random) -> list[str]:
    """The lines with some of them cut, gone, swapped, with another letter or with others between."""
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                lines[place:place] = [chance.choice(foreign)]
            case 1:
                lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]
            case 2:
                del lines[place : place + chance.randrange(1, 4)]
            case 3:
                at = chance.randrange(len(lines[place]) + 1)
                lines[place] = (
                    lines[place][:at] + chance.choice(letters) + lines[place][at + chance.randrange(2) :]
                )
            case 4:
                other = chance.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
            case _:
                lines[place:place] = foreign[-1:]
    return lines


def found_in(data: bytes, columns: tuple[str, ...] | None = None, *, in_blocks: bool) -> Found:
    return read_all(open_inputs(io.BytesIO(data)), csv_columns=columns, in_blocks=in_blocks)


def check_same(data: bytes, columns: tuple[str, ...] | None = None, what: object = None) -> int:
    """Assert that both ways give the same frames; returns how many rows were read at once."""
    at_once, one_by_one = (found_in(data, columns, in_blocks=in_blocks) for in_blocks in (True, False))
    count = sum(part.count for frame, part in at_once.parts.items() if frame in ("gpus", "processes"))
    frames, expected = (Frames.from_rows(found.rows, found.parts) for found in (at_once, one_by_one))
    for frame in FRAMES:
        pd.testing.assert_frame_equal(
            getattr(frames, frame),
            getattr(expected, frame),
            check_like=True,
            check_exact=True,
            obj=f"{what} {frame}",
        )
    return count
