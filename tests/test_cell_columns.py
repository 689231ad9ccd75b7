"""Cells of many lines are told apart and folded as Python would do it one by one."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
import pytest

from smianalyze.cell_columns import LONGEST_CELL, NUMBER, TEXT, UNKNOWN, CellBytes, CellMemo, CellShape, Column
from smianalyze.cell_slots import Slots
from smianalyze.formats.row_table import plain_lines
from smianalyze.shapes import MAX_SHAPES

NUMBERS = re.compile(r" ?([0-9]+(?:\.([0-9]+))?)( .*)?")
LETTERS = "0123456789"  # so that the texts have few shapes


def number_shape(text: str) -> CellShape:
    found = NUMBERS.fullmatch(text)
    if found is None:
        return CellShape(UNKNOWN)
    return CellShape(NUMBER, len(found[3] or ""), len(found[1]), len(found[2] or ""))


def text_shape(text: str) -> CellShape:
    return CellShape(TEXT, 0, len(text))


def column(cells: Sequence[str], memo: CellMemo) -> Column:
    """The cells one below the other, with something else between."""
    ends = np.cumsum([len(cell) + 1 for cell in cells]) - 1
    starts = ends - [len(cell) for cell in cells]
    return Column(CellBytes("\n".join((*cells, "")).encode()), starts, ends, memo)


def a_number(chance: random.Random, digits: int) -> str:
    whole = chance.randrange(1, digits + 1)
    fraction = chance.choice((0, 0, 1, 2, digits - whole)) if whole < digits else 0
    number = "".join(chance.choice("0123456789") for _ in range(whole + min(fraction, digits - whole)))
    return f"{number[:whole]}.{number[whole:]}" if number[whole:] else number


@pytest.mark.parametrize("digits", [1, 3, 7, 8, 9, 15])
@pytest.mark.parametrize("units", [("",), (" MiB",), ("", " W"), (" of a long unit", ""), ("", " %", " [N/A]  ")])
def test_numbers_are_those_of_python(digits: int, units: Sequence[str]) -> None:
    chance = random.Random(f"{digits} {units}")  # noqa: S311 - a fixed seed
    memo = CellMemo(number_shape)
    for block in range(4):
        numbers = [a_number(chance, digits) for _ in range(500)]
        cells = [chance.choice(("", " ")) + number + chance.choice(units) for number in numbers]
        if block % 2:
            cells[7], numbers[7] = "[N/A]", "0"
        read = column(cells, memo)

        assert read.numbers().tolist() == [int(number.replace(".", "")) for number in numbers]
        assert read.decimals().tolist() == [float(number) for number in numbers]


@pytest.mark.parametrize("longest", [3, 8, 9, 40, 70, LONGEST_CELL])
@pytest.mark.parametrize("different", [1, 20, 3_000, 2 * MAX_SHAPES])
def test_texts_are_those_of_python(longest: int, different: int) -> None:
    chance = random.Random(f"{longest} {different}")  # noqa: S311 - a fixed seed
    texts = ["".join(chance.choices(LETTERS, k=chance.randrange(longest + 1))) for _ in range(different)]
    memo = CellMemo(text_shape, is_text=True)
    for _ in range(6):
        cells = chance.choices(texts, k=2_000)
        read = column(cells, memo)

        assert [memo.texts.listed[number] for number in read.text_numbers()] == cells
        assert {shape.width for shape in read.shapes} == {len(cell) for cell in cells}


def test_memory_of_ever_new_texts_is_bounded() -> None:
    memo = CellMemo(text_shape, is_text=True)
    for block in range(10):
        column([f"{block} {place}" for place in range(MAX_SHAPES // 2)], memo)

    assert len(memo.met) < 2 * MAX_SHAPES


def test_a_cell_without_a_slot_is_none_of_those_that_have_one() -> None:
    slots = Slots()
    known = np.arange(2_000, dtype=np.uint64) * np.uint64(3)
    slots.add([known], np.arange(2_000))
    codes, is_met = slots.codes([np.arange(6_000, dtype=np.uint64)])

    assert 100 < is_met.sum() <= 2_000
    assert (codes[is_met] * 3 == np.flatnonzero(is_met)).all()


def test_lines_with_other_letters_are_not_plain() -> None:
    lines = ["a", "\u00e9b", "c\0", "", "d\u20ac"]
    data = "\n".join((*lines, "")).encode()
    starts = np.cumsum([0, *(len(line.encode()) + 1 for line in lines)])

    assert plain_lines(data, starts).tolist() == [True, False, False, True, False]
