"""Random recordings of watch, held against what was painted and against another emulator: no cell is wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import pytest
from watch_recording import Machine, Painter, screen_rows

from smianalyze.terminal import containers
from smianalyze.terminal.screens import PaintedScreen, split_screens

SIZES = ((24, 80), (20, 60), (30, 100), (36, 91), (40, 132))
SEEDS, TICKS = 125, 85  # more than 10,000 screens
Rows = tuple[str, ...]


@dataclass(slots=True)
class Scene:
    """A random recording, and each screen of it: the end of its bytes, the size and the rows."""

    stream: str = ""
    ends: list[tuple[int, tuple[int, int], Rows]] = field(default_factory=list)


@cache
def scene(seed: int) -> Scene:
    """A machine of one to three cards, a terminal of one of five sizes, a window that is resized now and then."""
    rnd = random.Random(seed)  # noqa: S311 - the same recordings on every run
    made = Scene()
    machine = Machine(rnd, cards=rnd.randint(1, 3), churn=rnd.choice((0, 0.1, 0.5)))
    painter = Painter(*rnd.choice(SIZES), repeats=seed % 2 == 0, scrolls=rnd.random() < 0.7, taste=rnd)
    made.stream = painter.start()
    for tick in machine.ticks(TICKS):
        if rnd.random() < 0.02:
            made.stream += painter.resize(*rnd.choice(SIZES))
        rows = screen_rows(tick, painter.height, painter.width)
        change = painter.paint(rows)
        made.stream += change
        if change:
            made.ends.append((len(made.stream), (painter.height, painter.width), shown(rows)))
    made.stream += painter.stop()
    return made


def shown(rows: list[str]) -> Rows:
    """The rows without blanks at their ends and without empty ones at the end."""
    text = "\n".join(row.rstrip(" ") for row in rows).rstrip("\n")
    return tuple(text.split("\n"))


def screens(stream: str) -> list[PaintedScreen]:
    parts = split_screens(containers.recording([stream]))
    return [part for part in parts if isinstance(part, PaintedScreen)]


def rows_of(stream: str) -> list[Rows]:
    return [shown(list(one.screen.rows)) for one in screens(stream)]


@pytest.mark.parametrize("seed", range(0, SEEDS, 5))
def test_every_screen_is_read_as_it_was_painted(seed: int) -> None:
    for one in map(scene, range(seed, seed + 5)):
        found = [
            (shown(list(painted.screen.rows)), (painted.screen.height, painted.screen.width))
            for painted in screens(one.stream)
        ]

        assert found == [(rows, size) for _, size, rows in one.ends]


def other_screens(one: Scene) -> Iterator[Rows]:
    """What another emulator shows at the end of each screen; it begins anew where the window was resized."""
    avt = pytest.importorskip("avt", reason="pyavt has no wheel for this platform")
    start, last = 0, None
    for end, size, _ in one.ends:
        if size != last:
            terminal, last = avt.Vt(size[1], size[0]), size
        terminal.feed_str(one.stream[start:end])
        start = end
        yield shown([line.text for line in terminal.view()])


@pytest.mark.parametrize("seed", range(0, SEEDS, 5))
def test_every_screen_equals_that_of_another_emulator(seed: int) -> None:
    for one in map(scene, range(seed, seed + 5)):
        assert rows_of(one.stream) == list(other_screens(one))


def test_cut_anywhere_gives_the_first_screens() -> None:
    for seed in range(SEEDS):
        one = scene(seed)
        cut = random.Random(seed).randrange(len(one.stream))  # noqa: S311 - the same cuts on every run
        whole = [rows for _, _, rows in one.ends]
        found = rows_of(one.stream[:cut])

        assert found == whole[: len(found)]
        assert len(found) >= sum(end < cut for end, _, _ in one.ends) - 1


def test_without_its_beginning_no_screen_is_wrong() -> None:
    for seed in range(SEEDS):
        one = scene(seed)
        cut = random.Random(seed).randrange(len(one.stream))  # noqa: S311 - the same cuts on every run
        painted = {rows for _, _, rows in one.ends}

        assert [rows for rows in rows_of(one.stream[cut:]) if rows not in painted] == []


def test_ten_thousand_screens_are_held_against_each_other() -> None:
    assert sum(len(scene(seed).ends) for seed in range(SEEDS)) >= 10_000
