"""dmon is read in blocks: that gives what reading it line by line gives, and takes few parses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fixture_pairs import captures
from same_both_ways import FOREIGN, check_same, damaged, found_in

from smianalyze.formats import mixed_blocks
from smianalyze.formats.dmon import LINES

SEEDS = 60
HEADERS = {
    "plain": ("# gpu    pwr  gtemp  mtemp     sm    mem", "# Idx      W      C      C      %      %"),
    "dated": (
        "#Date        Time         gpu    pwr  gtemp     sm     fb ",
        "#YYYYMMDD    HH:MM:SS     Idx      W      C      %     MB ",
    ),
    "narrow": ("# gpu   pwr gtemp    fb  bar1", "# Idx     W     C    MB    MB"),
    "metrics": ("# gpu    pwr   gract   smutil", "# Idx      W   GPM:%   GPM:%"),
    "clock": ("#Time         gpu    pwr  gtemp", "#HH:MM:SS     Idx      W      C"),
    "day": ("#Date        gpu    pwr  gtemp", "#YYYYMMDD    Idx      W      C"),
    "csv": ("#gpu, pwr, gtemp, sm, fb", "#Idx, W, C, %, MB"),
    "dated_csv": ("#Date, Time, gpu, pwr, gtemp, fb", "#YYYYMMDD, HH:MM:SS, Idx, W, C, MB"),
}


def row(name: str, tick: int, card: int, chance: random.Random) -> str:
    """What dmon prints of a card."""
    words = HEADERS[name][0].replace("#", " ").replace(",", "").split()
    width = 5 if name == "narrow" else 6
    clock = f"{tick // 3600 % 24:02}:{tick // 60 % 60:02}:{tick % 60:02}"
    when = {"dated": f" 20261130    {clock} ", "clock": f" {clock} ", "day": " 20261130 "}.get(name, "")
    values = []
    for word in words[words.index("gpu") + 1 :]:
        value = str(chance.randrange(10 ** chance.randrange(1, 6 if word == "fb" else 4)))
        values.append("-" if chance.random() < 0.1 else f"{value}.5" if word == "smutil" and tick % 3 else value)
    if "csv" in name:
        return ", ".join((*((" 20261130", clock) if "Date" in words else ()), f" {card}".lstrip(), *values))
    cells = " ".join(value.rjust(width) for value in values)
    return f"{when}{card:{7 if when else 5}} {cells}{' ' if name == 'dated' else ''}"


def series(name: str, chance: random.Random, *, ticks: int) -> list[str]:
    """Headers and some ticks of one to three cards."""
    cards = chance.choice((1, 2, 3))
    lines: list[str] = []
    for tick in range(ticks):
        lines += () if tick % 10 else HEADERS[name]
        lines += (row(name, tick, card, chance) for card in range(cards))
    return lines


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines are worth a table here."""
    monkeypatch.setattr(mixed_blocks, "LINES_ALONE", 2)
    monkeypatch.setattr(mixed_blocks, "LEAST_BYTES", 600)
    monkeypatch.setattr(mixed_blocks, "MOST_BYTES", 2_000)


@pytest.mark.parametrize("capture", captures("dmon"))
def test_fixture_is_read_as_line_by_line(capture: Path) -> None:
    check_same(capture.read_bytes())


@pytest.mark.parametrize("name", [*HEADERS])
def test_whole_series_is_read_at_once(name: str) -> None:
    lines = series(name, random.Random(name), ticks=300)  # noqa: S311 - a fixed seed
    count = check_same("\n".join((*lines, "")).encode())

    assert count == sum(not line.startswith("#") for line in lines)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_damaged_series_is_read_as_line_by_line(seed: int) -> None:
    chance = random.Random(f"dmon {seed}")  # noqa: S311 - a fixed seed
    names = [*HEADERS]
    name = chance.choice(names)
    other = series(chance.choice(names), chance, ticks=chance.randrange(20))
    lines = damaged(series(name, chance, ticks=25), [*FOREIGN, "\n".join(other)], "0 -.#:x,", chance)
    data = "\n".join(lines) + chance.choice(("\n", "\n", ""))

    check_same(data.replace("\n", chance.choice(("\n", "\n", "\r\n"))).encode(), what=(seed, name))


def test_long_series_takes_few_parses() -> None:
    chance = random.Random("long")  # noqa: S311 - a fixed seed
    data = "\n".join((*series("dated", chance, ticks=3_000), ""))
    before = LINES.parses
    found = found_in((data * 10).encode(), in_blocks=True)

    assert found.parts["gpus"].count >= 30_000
    assert LINES.parses - before <= 300
