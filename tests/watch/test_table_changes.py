"""What is followed on the screen equals what a full reading of each screen finds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures
from watch_recording import Machine, Painter, recording

from smianalyze.formats.format import Row
from smianalyze.reader import LineReader
from smianalyze.terminal import containers
from smianalyze.terminal.frames_of_screen import Screen
from smianalyze.terminal.screens import PaintedScreen
from smianalyze.watch.prints import ScreenPrints
from smianalyze.watch.rows import RecordedPrints
from smianalyze.watch.table_changes import ChangingTable

WATCH = FIXTURES / "watch"
Rows = list[dict[str, list[Row]]]


def machine_recording(seed: int, height: int, width: int) -> str:
    """A recording of two cards where processes come and go."""
    rnd = random.Random(seed)  # noqa: S311 - the same recording on every run
    pieces = list(recording(Machine(rnd, cards=2, churn=0.2).ticks(40), Painter(height, width)))
    return "".join(pieces)


def rows_of(raw: str) -> Rows:
    return [one.rows for one in RecordedPrints(containers.recording([raw]))]


def recordings() -> Iterator[pytest.param]:
    for name in ("h200_24x80.raw", "h200_40x120.raw", "repeats_80x24.log", "wrapped_80x24_de.typescript"):
        yield pytest.param((WATCH / name).read_bytes().decode(), id=name)
    for seed, (height, width) in enumerate([(40, 120), (24, 80), (60, 80), (24, 91), (50, 200)]):
        yield pytest.param(machine_recording(seed, height, width), id=f"{height}x{width}")


@pytest.mark.parametrize("raw", [*recordings()])
def test_followed_values_equal_those_of_a_full_reading(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = rows_of(raw)
    monkeypatch.setattr(ChangingTable, "of", lambda *_: None)

    assert followed == rows_of(raw)
    assert len(followed) > 5


DIGIT = re.compile(r"[0-9]")


def mutated(rows: list[str], pool: list[str], rnd: random.Random) -> list[str]:
    """The rows after one to three changes: digits, blanks, whole rows of other tables, rows that come or go."""
    rows = list(rows)
    for _ in range(rnd.randint(1, 3)):
        at = rnd.randrange(len(rows))
        change = rnd.randrange(12)
        if change < 8:
            rows[at] = DIGIT.sub(lambda digit: rnd.choice((digit[0], digit[0], str(rnd.randrange(10)))), rows[at])
        elif change == 8:
            rows[at] = rows[at].replace(" 1", "  ", 1)
        elif change == 9:
            rows[at] = rnd.choice(pool)
        elif change == 10:
            rows[at : at + 1] = [rows[at], rnd.choice(pool)]
        else:
            rows[at] = re.sub("[0-9]{1,6}(?=[%CWM])", "ERR!", rows[at], count=1)
    return rows


def painted(rows: list[str], position: int) -> PaintedScreen:
    return PaintedScreen(Screen(tuple(rows), position, 100, 120, at_rest=position % 3 > 0), range(1, 2), None)


@pytest.mark.parametrize("capture", captures("smi_table"))
def test_any_change_of_a_table_is_followed_or_read(capture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = [line for path in captures("smi_table") for line in lines_of(path.values[0])]
    rnd = random.Random(capture.name)  # noqa: S311 - the same changes on every run
    first = lines_of(capture)
    screens = [painted(first, 0)]
    for number in range(1, 60):
        last = list(screens[-1].screen.rows)
        screens.append(painted(mutated(last, pool, rnd) if number % 8 else first, number))
    followed = prints_of(screens)
    monkeypatch.setattr(ChangingTable, "of", lambda *_: None)

    assert followed == prints_of(screens)


def prints_of(screens: list[PaintedScreen]) -> list[dict[str, list[Row]] | None]:
    found = list(map(ScreenPrints().read, screens))
    for one in found:
        if one is not None:
            one.set_time(one.moment.printed, "printed")
    return [one and one.rows for one in found]


def lines_of(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8", "replace").replace("\r", "").split("\n")[:40]


def test_only_lines_that_change_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = LineReader.read
    texts: list[str] = []
    monkeypatch.setattr(LineReader, "read", lambda reader, text: texts.append(text) or read(reader, text))
    machine = Machine(random.Random(1), cards=8, churn=0)  # noqa: S311 - the same recording on every run
    prints = rows_of("".join(recording(machine.ticks(30), Painter(60, 120))))

    assert len(prints) == 30
    assert len(texts) < 100 + 30 * 2 * 9
