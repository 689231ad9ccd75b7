"""pmon is read in blocks: that gives what reading it line by line gives, and takes few parses."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from fixture_pairs import captures
from same_both_ways import FOREIGN, check_same, damaged, found_in

from smianalyze.formats import mixed_blocks
from smianalyze.formats.pmon import LINES

SEEDS = 60
HEADERS = {
    "u": (
        "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command ",
        "# Idx           #    C/G      %      %      %      %      %      %    name ",
    ),
    "m": ("# gpu         pid   type     fb   ccpm    command ", "# Idx           #    C/G     MB     MB    name "),
    "old": (
        "# gpu        pid  type    sm   mem   enc   dec   command",
        "# Idx          #   C/G     %     %     %     %   name",
    ),
    "dated": (
        "#Date       Time        gpu         pid   type     fb    command ",
        "#YYYYMMDD   HH:MM:SS    Idx           #    C/G     MB    name ",
    ),
    "clock": (
        "#Time        gpu         pid   type     fb    command ",
        "#HH:MM:SS    Idx           #    C/G     MB    name ",
    ),
}
COMMANDS = (
    "python3",
    "python3.11",
    "pt_main_thread",
    "NVIDIA Sampl.exe",
    "-",
    "a, b",
    "<defunct>",
    "812",
    "x | y",
    "loss 0.5",
)


PROCESS = re.compile("^[^#]* [0-9]+ +[CG+]+ ")


def row(name: str, tick: int, card: int, process: int, chance: random.Random) -> str:
    """What pmon prints of a process; of a card without one if it is 0."""
    words = HEADERS[name][0].replace("#", " ").split()
    clock = f"{tick // 3600 % 24:02}:{tick // 60 % 60:02}:{tick % 60:02}"
    when = {"dated": f" 20261130   {clock}", "clock": f" {clock}"}.get(name, "")
    values = [
        chance.choice(("-", str(chance.randrange(10 ** chance.randrange(1, 4)))))
        for _ in words[words.index("type") + 1 : -1]
    ]
    cells = [f"{process}", chance.choice(("C", "G", "C+G")), *values]
    command = COMMANDS[0] if chance.random() < 0.8 else chance.choice(COMMANDS)
    if not process:
        cells, command = ["-" for _ in cells], "-"
    elif chance.random() < 0.02:
        cells[0] = "-"
    pid, kind, *rest = cells
    return f"{when}{card:5} {pid:>10} {kind:>5}  {'  '.join(cell.rjust(5) for cell in rest)}    {command:<15}"


def series(name: str, chance: random.Random, *, ticks: int) -> list[str]:
    """Headers and some ticks of one to three cards with up to two processes each."""
    cards = chance.choice((1, 2, 3))
    lines: list[str] = []
    for tick in range(ticks):
        lines += () if tick % 10 else HEADERS[name]
        for card in range(cards):
            processes = [812 + card, 9_000 + 7 * card][: chance.choice((0, 1, 1, 2))] or [0]
            lines += (row(name, tick, card, process, chance) for process in processes)
    return lines


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines are worth a table here."""
    monkeypatch.setattr(mixed_blocks, "LINES_ALONE", 2)
    monkeypatch.setattr(mixed_blocks, "LEAST_BYTES", 600)
    monkeypatch.setattr(mixed_blocks, "MOST_BYTES", 2_000)


@pytest.mark.parametrize("capture", captures("pmon"))
def test_fixture_is_read_as_line_by_line(capture: Path) -> None:
    check_same(capture.read_bytes())


@pytest.mark.parametrize("name", HEADERS)
def test_series_is_read_at_once(name: str) -> None:
    lines = series(name, random.Random(name), ticks=300)  # noqa: S311 - a fixed seed
    count = check_same("\n".join((*lines, "")).encode())

    assert count == sum(PROCESS.search(line) is not None for line in lines)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_damaged_series_is_read_as_line_by_line(seed: int) -> None:
    chance = random.Random(f"pmon {seed}")  # noqa: S311 - a fixed seed
    names = [*HEADERS]
    name = chance.choice(names)
    other = series(chance.choice(names), chance, ticks=chance.randrange(20))
    lines = damaged(series(name, chance, ticks=25), [*FOREIGN, "\n".join(other)], "0 -.#:x,C", chance)
    data = "\n".join(lines) + chance.choice(("\n", "\n", ""))

    check_same(data.replace("\n", chance.choice(("\n", "\n", "\r\n"))).encode(), what=(seed, name))


def test_idle_cards_are_read_at_once() -> None:
    lines = [*HEADERS["u"], *(row("u", tick, card, 0, random.Random(1)) for tick in range(200) for card in (0, 1))]  # noqa: S311
    data = "\n".join((*lines, "")).encode()
    check_same(data)

    assert found_in(data, in_blocks=True).parts["snapshots"].count == 200


def test_long_series_takes_few_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_blocks, "MOST_BYTES", 64 * 1024)
    chance = random.Random("long")  # noqa: S311 - a fixed seed
    lines = [line for line in series("u", chance, ticks=3_000) if not re.search("[<|]|[0-9] {10}-| 812 *$", line)]
    data = "\n".join((*lines, ""))
    before = LINES.parses
    found = found_in((data * 4).encode(), in_blocks=True)

    assert found.parts["processes"].count >= 12_000
    assert LINES.parses - before <= 600
