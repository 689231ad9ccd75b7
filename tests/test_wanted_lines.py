"""Lines that no format reads are left out of a long log, and nothing that is read differs for it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures

from smianalyze import wanted_lines as module
from smianalyze.formats import FORMATS
from smianalyze.reading import read_rows
from smianalyze.source import from_text
from smianalyze.wanted_lines import wanted_lines

FOREIGN = "2026-11-30 19:12:{second:02d},{number:03d} DEBUG pool-{number} served {number} items of {second} ok"
OTHERS = 400  # foreign lines before and after each piece: more than any format reaches
LOGS = [param for one in FORMATS if one.reach is not None for param in captures(one.name)]


def foreign(count: int) -> Iterator[str]:
    chance = random.Random(count)  # noqa: S311 - a fixed seed
    return (FOREIGN.format(second=chance.randrange(60), number=chance.randrange(1000)) for _ in range(count))


def rows(text: str) -> str:
    read = read_rows([from_text(text)])
    return json.dumps({frame: found for frame, found in read.items() if found}, default=str, sort_keys=True)


@pytest.mark.parametrize("log", LOGS)
def test_log_among_foreign_lines_is_read_the_same(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piece = log.read_bytes().decode("utf-8", "backslashreplace").split("\n")
    text = "\n".join([*foreign(OTHERS), *piece, *foreign(OTHERS), *piece[: len(piece) // 2], *foreign(OTHERS), ""])
    whole = rows(text)
    monkeypatch.setattr(module, "MIN_LINES", 0)

    assert rows(text) == whole


def test_most_lines_of_a_log_are_left_out() -> None:
    record = "Epoch: [0][ 10/5005]\tTime  0.3 ( 0.5)\tData  0.0 ( 0.1)\tLoss 6.9e+00 (6.8e+00)"
    lines = [line for _ in range(200) for line in (*foreign(99), record)]

    kept = list(wanted_lines(lines))

    assert len(kept) < len(lines) / 10
    assert [number for number, line in kept if line == record] == list(range(100, 20_001, 100))
    assert kept[-1][0] == len(lines)


def test_every_line_is_kept_where_another_format_may_need_it() -> None:
    table = (FIXTURES / "demo" / "smi_after.txt").read_text(encoding="utf-8").split("\n")
    lines = [*foreign(9_000), *table, *foreign(9_000)]

    assert [line for _, line in wanted_lines(lines)] == lines


def test_shapes_that_never_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SHAPES", 50)
    monkeypatch.setattr(module, "CHUNK_LINES", 100)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = [f"a word {letters[n % 26]}{letters[n // 26 % 26]}{letters[n // 676 % 26]}" for n in range(9_000)]
    record = "step: 7, loss: 0.5, lr: 0.01"

    kept = [line for _, line in wanted_lines([*lines, record, *lines])]

    assert kept.count(record) == 1
    assert len(kept) < 120
