"""Whole prints are read many at once: that gives what reading line by line gives, and takes few parses."""

from __future__ import annotations

import io
import random
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures

from smianalyze.blocks import READING
from smianalyze.columns import FRAMES
from smianalyze.formats.smi_blocks import SHAPES, TableBlocks
from smianalyze.formats.smi_layouts import LETTERS
from smianalyze.formats.smi_table import LINES
from smianalyze.frames import Frames
from smianalyze.offsets import Texts, decimals, integers, texts
from smianalyze.reading import Found, read_all
from smianalyze.shapes import OTHER, WORD, Cell, Shape, Shapes
from smianalyze.source import open_inputs

DAMAGES = 60
EVERY_TABLE = [
    pytest.param(path.values[0], id=f"{name}/{path.id}")
    for name in ("smi_table", "vgpu", "log_bars", "query_csv")
    for path in captures(name)
]


def found_in(data: bytes, *, in_blocks: bool) -> Found:
    return read_all(open_inputs(io.BytesIO(data)), in_blocks=in_blocks)


def check_same(data: bytes, what: object = None) -> int:
    """Assert that both ways give the same frames; returns how many prints were read at once."""
    at_once, one_by_one = (found_in(data, in_blocks=in_blocks) for in_blocks in (True, False))
    count = at_once.parts["snapshots"].count if "snapshots" in at_once.parts else 0
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


@pytest.mark.parametrize("capture", EVERY_TABLE)
def test_fixture_is_read_as_line_by_line(capture: Path) -> None:
    check_same(capture.read_bytes())


def series(name: str, prints: int) -> bytes:
    """A print of a fixture again and again, each with other numbers of the same widths."""
    text = (FIXTURES / "smi_table" / name).read_text(encoding="utf-8").rstrip("\n") + "\n"
    chance = random.Random(name)  # noqa: S311 - a fixed seed
    return "".join(
        text.replace("MiB /", f"{chance.randrange(10)}MiB /").replace(":52 20", f":{tick % 60:02} 20")
        for tick in range(prints)
    ).encode()


@pytest.mark.parametrize(
    "name",
    [
        "generation_580.txt",
        "generation_530.txt",
        "mig_550.txt",
        "mig_pending.txt",
        "err_power.txt",
        "err_cuda_version.txt",
    ],
)
def test_series_is_read_at_once(name: str) -> None:
    assert check_same(series(name, 20)) == 20


@pytest.mark.parametrize("name", ["generation_580.txt", "generation_530.txt", "mig_550.txt"])
def test_damaged_series_is_read_as_line_by_line(name: str) -> None:
    whole = series(name, 4)
    chance = random.Random(f"damage {name}")  # noqa: S311 - a fixed seed
    for _ in range(DAMAGES):
        data = bytearray(whole)
        place, end = sorted(chance.choices(range(len(data)), k=2))
        match chance.randrange(4):
            case 0:
                data[place] = chance.choice(b"0123456789 |+-=ABCWP%/.:NE!*MiB\t>#\n&")
            case 1:
                del data[place:end]
            case 2:
                data[place:place] = b"| foreign |\n" if chance.random() < 0.5 else b"foreign\n"
            case _:
                data = data[:place]

        check_same(bytes(data), (place, end))


def test_text_between_prints_keeps_its_lines() -> None:
    one = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")
    row = next(line for line in one.split("\n") if "MiB |" in line and " C " in line)
    pieces = [one, "step 1\n", one, f"{row}\n", one, "\n\n", one[: len(one) // 2], one, "step 2"]

    assert check_same("".join(pieces).encode()) == 3


def test_gpus_that_do_not_ascend_are_not_one_print() -> None:
    text = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")

    assert check_same((text + text.replace("|   1  ", "|   0  ") + text).encode()) == 2


def test_no_kind_of_line_has_a_column_of_another_in_its_row() -> None:
    SHAPES.read((FIXTURES / "smi_table" / "mig_550.txt").read_bytes())
    lines = SHAPES.read(series("generation_530.txt", 1))

    for kinds in LETTERS.values():
        names = [name for kind in kinds for name in lines.columns(kind)]
        assert len(names) == len(set(names))


def test_long_series_takes_few_parses() -> None:
    data = series("generation_530.txt", 2_000)
    before = LINES.parses
    found = found_in(data, in_blocks=True)

    assert found.parts["snapshots"].count == 2_000
    assert LINES.parses - before <= 200


def test_numbers_and_texts_of_all_widths_are_what_python_reads() -> None:
    chance = random.Random("cells")  # noqa: S311 - a fixed seed
    whole = [str(chance.randrange(10 ** chance.randrange(1, 17))) for _ in range(500)]
    split = [
        f"{chance.randrange(10**9)}.{chance.randrange(10**6):06}"[: chance.randrange(2, 16)] for _ in range(500)
    ]
    split = [text.rstrip(".") for text in split]
    names = [
        f"{'gpu-é'[: chance.randrange(6)]}{chance.randrange(50)}{'x' * chance.randrange(20)}" for _ in range(500)
    ]

    def described(text: str) -> Shape:
        cells, start = [], 0
        for column, value in zip(("whole", "split", "name"), text.split(" ", 2), strict=True):
            cells.append(Cell(column, start, value))
            start += len(value.encode()) + 1
        return Shape("V", tuple(cells))

    data = "".join(f"{' '.join(row)}\n" for row in zip(whole, split, names, strict=True)).encode()
    lines = Shapes(described).read(b"- - no digits\n" + data)
    rows = np.arange(1, len(lines))

    assert integers(lines, "whole", rows).values.tolist() == [int(text) for text in whole]
    assert decimals(lines, "split", rows).values.tolist() == [float(text) for text in split]
    assert texts(lines, "name", rows, Texts()).objects().tolist() == names


@pytest.mark.parametrize("above", [b"", b"a\n", b"\n\n\n", b"a line\n"])
def test_values_that_begin_with_the_block_are_left(above: bytes) -> None:
    shapes = Shapes(lambda text: Shape("V", (Cell("number", 0, text),)) if text[:1] == "0" else Shape("-"))

    lines = shapes.read(above + b"1234\n" * 4)

    is_near = lines.starts[:-1] < WORD
    assert {*lines.letters[is_near].tobytes()} <= {ord("-"), ord(OTHER)}
    assert {*lines.letters[~is_near].tobytes()} == {ord("V")}
    values = integers(lines, "number", np.flatnonzero(~is_near)).values
    assert values.tolist() == [1234] * len(values)


def test_times_without_a_date_follow_the_dates_of_prints() -> None:
    one = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")
    monitor = (FIXTURES / "dmon" / "time_only_580.txt").read_text(encoding="utf-8")
    later = one.replace(" 2026", " 2027")

    assert check_same((monitor + one * 3 + later * 2 + monitor).encode()) == 5
    assert check_same((one * 3 + later + monitor + one).encode()) == 5


def test_rest_of_a_print_behind_another_table_has_no_time_of_the_print_before() -> None:
    one = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8").rstrip("\n") + "\n"
    machines = (FIXTURES / "vgpu" / "machines_550.txt").read_text(encoding="utf-8").rstrip("\n") + "\n"
    rest = one[one.index("|   1  ") : one.index("| Processes")]

    assert check_same((one + machines + rest).encode()) == 1


def test_log_with_one_print_is_no_series_of_prints() -> None:
    one = (FIXTURES / "smi_table" / "generation_580.txt").read_bytes()
    log = b"epoch 1 loss 0.5\n" * 10_000

    assert TableBlocks.takes(one + log[: len(one)])
    assert not TableBlocks.takes(one + log)
    assert not TableBlocks.takes(b"")


def test_of_several_threads_one_reads_at_a_time() -> None:
    data = (FIXTURES / "demo/smi_before.txt").read_bytes()

    with ThreadPoolExecutor(1) as pool:
        with READING:
            reading = pool.submit(found_in, data, in_blocks=True)
            with pytest.raises(NotYet):
                reading.result(timeout=0.2)
        assert reading.result(timeout=60).snapshots == 1
