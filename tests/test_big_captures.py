"""What a host prints for minutes is read as it was printed, also where some of it is odd."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

import pandas as pd
import pytest
from captures import tables
from fixture_pairs import FIXTURES
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


def test_columns_take_less_than_half_of_the_input() -> None:
    for name in ("mig_550.txt", "mig_pending.txt", "generation_331.txt"):  # whose prints have other columns
        read_all(open_inputs(FIXTURES / "smi_table" / name))
    data = "".join(piece.text for piece in islice(tables(1), PRINTS)).encode()
    parts = read_all(open_inputs(io.BytesIO(data))).parts

    held = [cells for part in parts.values() for cells in part.columns.values()]
    size = sum(one.values.nbytes + (0 if one.known is None else one.known.nbytes) for one in held)
    assert size < MOST_HELD * len(data)
