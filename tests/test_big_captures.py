"""What a host prints for minutes is read as it was printed, also where some of it is odd."""

from __future__ import annotations

import io
import random
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

import pandas as pd
import pytest
from captures import tables
from made_up_host import START
from made_up_training import Piece

import smianalyze
from smianalyze import Capture
from smianalyze.reading import read_all
from smianalyze.source import open_inputs

PRINTS = 300
MOST_HELD = 0.4  # of the bytes of an input
FOREIGN = ("Failed to initialize NVML: Driver/library version mismatch", "", "nohup: ignoring input", "step 100")


def odd(piece: Piece, chance: random.Random) -> tuple[str, bool, bool]:
    """The print with something odd, whether it is whole, and whether its utilization is known."""
    match chance.randrange(3):
        case 0:
            return f"{piece.text}{chance.choice(FOREIGN)}\n", True, True
        case 1:
            lines = piece.text.split("\n")
            return "\n".join(lines[: chance.randrange(8, len(lines) - 3)]) + "\n", False, True
        case _:
            load = next(line for line in piece.text.split("\n") if "MiB /" in line)
            failed = load.replace(load[load.rindex("%") - 7 : load.rindex("%") + 1], "    ERR!")
            return piece.text.replace(load, failed, 1), True, False


def written(share: float) -> Iterator[tuple[str, Piece, bool, bool]]:
    """The prints as they are written, what each says, and whether it is whole and its utilization known."""
    chance = random.Random(share)  # noqa: S311 - the same on every run
    for piece in islice(tables(1), PRINTS):
        text, whole, known = odd(piece, chance) if chance.random() < share else (piece.text, True, True)
        yield text, piece, whole, known


def sums(capture: Capture) -> dict[str, pd.Series]:
    """The sum of each column of numbers, by the time of the print."""
    found: dict[str, pd.Series] = {}
    for name in ("gpus", "processes"):
        frame = getattr(capture, name)
        by_time = frame.groupby("time")[[*frame.select_dtypes("number")]].sum()
        found |= {f"{name}.{column}": by_time[column] for column in by_time}
    return found


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_every_whole_print_is_read_as_it_was_printed(share: float) -> None:
    prints = list(written(share))
    capture = smianalyze.loads("".join(text for text, *_ in prints))

    found = sums(capture)

    for second, (_, piece, whole, known) in enumerate(prints):
        time = START + timedelta(seconds=second)
        for column in (found.keys() & piece.sums.keys()) if whole else ():
            if known or column != "gpus.utilization_gpu_pct":
                assert found[column].get(time, 0) == pytest.approx(piece.sums[column]), (second, column)


def peak(prints: int) -> tuple[int, int]:
    """The most bytes that are held while so many prints are read, and how many bytes they are."""
    data = "".join(piece.text for piece in islice(tables(1), prints)).encode()
    tracemalloc.start()
    try:
        read_all(open_inputs(io.BytesIO(data)))
        return tracemalloc.get_traced_memory()[1], len(data)
    finally:
        tracemalloc.stop()


def test_memory_that_is_held_is_less_than_half_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smianalyze.decode.BLOCK_BYTES", 256 * 1024)
    peak(100)  # grammars and memos

    (some, few), (more, many) = peak(500), peak(1_500)

    assert more - some < MOST_HELD * (many - few)
