"""A log is read in blocks: that gives what reading it line by line gives, and few lines are looked at singly."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures
from made_up_training import training_log

from smianalyze import log_at_once, log_shapes
from smianalyze.blocks import read_blocks
from smianalyze.formats import FORMATS
from smianalyze.formats.block_reading import BlockReading
from smianalyze.frames import Frames
from smianalyze.log_at_once import LogBlocks
from smianalyze.log_shapes import Shapes
from smianalyze.reading import read_all
from smianalyze.source import from_text

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "corpus"
REAL = sorted([*(SHARED / "logs").glob("*.log"), *(SHARED / "h200").glob("*train.log")])
LOGS = [param for one in FORMATS if one.name.startswith("log_") for param in captures(one.name)]
PATHS = sorted(
    path
    for name in ("log_pairs", "log_dicts", "log_bars", "log_failure")
    for path in (FIXTURES / name).glob("*.txt")
)
SEEDS = 60
MEGABYTES = 3
MOST_DESCRIPTIONS = 600  # of 27,000 records
FOREIGN = "2026-11-30 19:12:{second:02d},{number:03d} DEBUG pool-{number} served {number} items of {second} ok"
IMAGENET = "Epoch: [0][ 10/5005]\tTime  0.3 ( 0.5)\tData  0.0 ( 0.1)\tLoss 6.9e+00 (6.8e+00)\tAcc@{k} 7.0 (6.0)"
LABELS = (
    *("2026-11-30 23:59:58,120 - INFO - ", "2026-13-45 10:11:12 ", "11/30 23:59:05 ", "[rank3]: ", "1. ", "2. "),
    *("# ", "val: ", "> ", "Mon Nov 30 10:00:01 2026 ", "[2026-12-01 00:00:01] "),
)
OTHERS = (
    *(
        "Epoch    GPU_mem   box_loss",
        "CUDA out of memory. Tried to allocate 20.00 MiB",
        "batch_size=256",
        "-" * 30,
    ),
    *(
        "+-----------+",
        "index, name, memory.used [MiB]",
        "\x1b[32m[12/01 00:00:01]\x1b[0m step: 3 loss: 0.5",
        "```",
    ),
    *("{'loss': 0.5, 'grad_norm': 1e-05, 'epoch': 1.42}", "  3%|3         | 3/100 [00:01<00:48,  3.44it/s]"),
    *("step: 4 loss: 1.0e+30 lr: 1e999", "step: 3.5, loss: nan, lr: -0.0", "step 5 | loss: 12345678901234567.5"),
    *("iter 7: loss 3.4, time 661.4ms, mfu 22.5%", "step: 9 loss: .5 memory: 1.5G time: 1 day, 2:03:04.5"),
)


@pytest.fixture(autouse=True)
def any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_at_once, "LEAST_BYTES", 0)


def frames(text: str, *, in_blocks: bool) -> Frames:
    found = read_all([from_text(text)], in_blocks=in_blocks)
    return Frames.from_rows(found.rows, found.parts)


def check(text: str) -> None:
    whole, lines = frames(text, in_blocks=True), frames(text, in_blocks=False)
    for name in ("steps", "events", "hosts", "host_processes", "problems", "inputs"):
        pd.testing.assert_frame_equal(
            getattr(whole, name), getattr(lines, name), check_like=True, check_exact=True, obj=name
        )


def lines_of(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8", "backslashreplace").split("\n")


def mutated(line: str, chance: random.Random) -> str:
    at = chance.randrange(len(line) + 1)
    other_digits = "".join(chance.choice("0123456789") if one.isdigit() else one for one in line)
    return chance.choice(
        (
            line[:at] + line[at + 1 :],
            line[:at] + chance.choice("0159-+e.,:[](){}% |\t\"'abnz") + line[at:],
            line[:at],
            other_digits,
            line + line,
            chance.choice(LABELS) + line,
            line.replace(" ", "\r", 1),
            line.replace("loss", "val_loss"),
        )
    )


def mixture(seed: int) -> str:
    """Pieces of some logs, one behind the other, with changes."""
    chance = random.Random(seed)  # noqa: S311 - a fixed seed
    lines: list[str] = []
    for path in chance.choices(PATHS, k=3):
        piece = lines_of(path)
        start = chance.randrange(len(piece))
        for line in piece[start : start + 60]:
            lines.append(mutated(line, chance) if chance.random() < 0.3 else line)
            lines.extend([line] * (chance.random() < 0.1))
            lines.extend([chance.choice(("", *OTHERS))] * (chance.random() < 0.1))
    return "\n".join(lines) + chance.choice(("\n", "\n", ""))


def foreign(count: int) -> Iterator[str]:
    chance = random.Random(count)  # noqa: S311 - a fixed seed
    return (FOREIGN.format(second=chance.randrange(60), number=chance.randrange(1000)) for _ in range(count))


@pytest.mark.parametrize(
    "line",
    [
        "step {step} node {node} loss {loss} lr 0.001\n",
        "[{node}] step {step} loss: {loss}\n",
        "loss={loss} key={node} step={step}\n",
        "data.cache: hit for {node} after {loss} s\n",
    ],
)
def test_hash_between_values_moves_none_of_them(line: str) -> None:
    chance = random.Random(3)  # noqa: S311 - a fixed seed
    nodes = [f"{chance.getrandbits(32):08x}" for _ in range(60)] + ["1", "12345678", "1e234567", "deadbeef", "0"]

    check(
        "".join(line.format(step=step, node=node, loss=f"{2 - step / 99:.3f}") for step, node in enumerate(nodes))
    )


def made_up(size: int) -> str:
    text = ""
    for piece in training_log(1):
        text += piece.text
        if len(text) >= size:
            break
    return text


def read(text: str) -> BlockReading:
    reading = BlockReading()
    read_blocks([[text.encode()]], reading, readers=(LogBlocks,))
    return reading


@pytest.mark.parametrize("log", LOGS)
def test_log_is_read_as_line_by_line(log: Path) -> None:
    check("\n".join(lines_of(log)))


@pytest.mark.parametrize("log", REAL, ids=lambda path: path.name)
def test_real_log_is_read_as_line_by_line(log: Path) -> None:
    check("\n".join(lines_of(log)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_mixed_and_changed_logs_are_read_as_line_by_line(seed: int) -> None:
    check(mixture(seed))


@pytest.mark.parametrize("log", LOGS)
def test_log_among_foreign_lines_is_read_the_same(log: Path) -> None:
    piece = lines_of(log)

    check("\n".join([*foreign(700), *piece, *foreign(700), *piece[: len(piece) // 2], *foreign(700), ""]))


def test_blocks_of_an_input_go_on_from_each_other() -> None:
    text = made_up(60_000)
    lines = [line + b"\n" for line in text.encode().removesuffix(b"\n").split(b"\n")]
    pieces = [b"".join(lines[at : at + 7]) for at in range(0, len(lines), 7)]
    in_one, in_many = BlockReading(), BlockReading()
    read_blocks([[text.encode()]], in_one, readers=(LogBlocks,))
    read_blocks(([piece] for piece in pieces), in_many, readers=(LogBlocks,))

    one, many = (reading.log and reading.log.steps([], open_end=False) for reading in (in_one, in_many))

    assert one
    assert many
    assert list(one.rows(0, one.count)) == list(many.rows(0, many.count))


def test_few_records_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_at_once, "SHAPES", shapes := Shapes())
    text = made_up(MEGABYTES * 10**6)

    steps = frames(text, in_blocks=True).steps

    assert len(steps) > 9_000 * MEGABYTES
    assert shapes.descriptions < MOST_DESCRIPTIONS


def test_keys_that_differ_in_digits_are_other_columns() -> None:
    lines = [IMAGENET.format(k=k) for k in (1, 5, 1, 3)]

    steps = frames("\n".join((*lines, "")), in_blocks=True).steps

    assert steps[["acc_1", "acc_5", "acc_3"]].notna().to_numpy().tolist() == [
        [True, False, False],
        [False, True, False],
        [True, False, False],
        [False, False, True],
    ]


def test_most_lines_of_a_log_are_passed_over() -> None:
    lines = [line for _ in range(200) for line in (*foreign(99), IMAGENET.format(k=1))]

    reading = read("\n".join((*lines, "")))

    assert len(reading.left) < len(lines) / 100
    assert reading.left[-1][0] == len(lines)


def test_table_in_a_log_is_read_line_by_line() -> None:
    table = (FIXTURES / "demo" / "smi_after.txt").read_text(encoding="utf-8")

    assert read("\n".join([*foreign(900), table, *foreign(900), ""])).is_given_up


def test_metric_that_is_new_in_each_line_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_shapes, "MAX_CELLS", 10_000)
    monkeypatch.setattr(log_at_once, "SHAPES", shapes := Shapes())
    words = ("".join(letters) for letters in product("abcdefghij", repeat=5))
    text = "".join(f"step {at} loss 0.5 {word}=1.5\n" for at, word in enumerate(islice(words, 12_000)))

    assert read(text).is_given_up
    assert shapes.descriptions < 200
    assert not shapes.are_too_many
    check(text[:20_000])


def test_shapes_that_never_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_shapes, "MAX_KNOWN", 50)
    monkeypatch.setattr(log_shapes, "MAX_SHAPES", 5)
    monkeypatch.setattr(log_at_once, "SHAPES", shapes := Shapes())
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = (f"{one}{two}{three}" for one in letters for two in letters for three in letters)
    blocks = [
        f"a word {word}\n{word} | step: {at}, loss: 0.5\n".encode() for at, word in enumerate(islice(words, 900))
    ]
    reading = BlockReading()
    read_blocks(([block] for block in blocks), reading, readers=(LogBlocks,))

    steps = reading.log and reading.log.steps([], open_end=False)

    assert steps
    assert steps.count == 900
    assert len(shapes.known) < 12
