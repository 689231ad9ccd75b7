"""Lines of text that repeats get the numbers that they get one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from smianalyze.repeating_lines import LEAST_PERIODS, numbered

ONCE = b"TITLE"


class Memo(defaultdict[bytes, int]):
    """Numbers lines in the order in which they come; how often it was asked."""

    def __init__(self) -> None:
        super().__init__(lambda: len(self))
        self.asked = 0

    def number(self, line: bytes) -> int:
        self.asked += 1
        return self[line]


def lines_in(text: bytes, once: bytes) -> tuple[list[bytes], int]:
    """The lines by number and length, and for how many somebody was asked."""
    memo = Memo()
    found = list(numbered(text, memo.number, once))
    said = {number: line for line, number in memo.items()}
    lines = [said[number] for one in found for number in one.numbers.tolist()]
    assert [len(line) for line in lines] == np.concatenate([one.lengths for one in found]).tolist()
    return lines, memo.asked


def prints(count: int, chance: random.Random) -> Iterator[bytes]:
    """Prints in which now and then a line says something else, or one comes or goes."""
    rows = [b"a   0 |", b"b  00 |", b"c 000 |", b"-------"]
    for _ in range(count):
        if chance.random() < 0.3:
            rows[chance.randrange(len(rows))] = chance.choice([b"a  00 |", b"b   0 |", b"", b"longer 0000 |"])
        if chance.random() < 0.05:
            rows.insert(chance.randrange(len(rows)), b"new 0")
        if chance.random() < 0.05 and len(rows) > 2:
            rows.pop()
        yield b"\n".join([ONCE, *rows, b""])


@pytest.mark.parametrize("seed", range(40))
def test_lines_are_those_of_the_text(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed seed
    text = bytearray(b"".join(prints(40, chance)))
    for _ in range(seed % 4):
        place = chance.randrange(len(text))
        text[place : place + chance.randrange(3)] = chance.choice([b"", b"0", b"\n", b"\n\n", ONCE, b"foreign\n"])
    whole = bytes(text)[: len(text) - seed % 3]

    assert lines_in(whole, ONCE)[0] == whole.removesuffix(b"\n").split(b"\n")


def test_what_repeats_is_asked_for_once() -> None:
    text = (ONCE + b"\na 0\nb 0\n") * 1000 + (ONCE + b"\na 0\nb00\n") * 1000

    lines, asked = lines_in(text, ONCE)

    assert lines == text.removesuffix(b"\n").split(b"\n")
    assert asked < 20


@pytest.mark.parametrize("once", [b"", b"no such text"])
def test_text_without_a_mark_is_read_line_by_line(once: bytes) -> None:
    text = (ONCE + b"\na 0\n") * 10 * LEAST_PERIODS

    lines, asked = lines_in(text, once)

    assert asked == len(lines) == 20 * LEAST_PERIODS
