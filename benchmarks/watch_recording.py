"""Recordings of ``watch nvidia-smi`` with a known truth: a machine that is made up, and a painter like curses.

Everything follows from a seed. The painter writes what curses writes to a terminal: one change from top to bottom,
scrolling first, only the cells that differ, and the cursor in the lower right corner at the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

START = datetime(2026, 11, 30, 12, 0, 0)
COMMAND = "nvidia-smi"
CAPACITY_MIB = 143_771
CLOSE = 4  # columns that two changes are apart at most for curses to write what is between them once more
REPEATS = 8  # characters from which on a terminal that can repeat one is told to do so
_RUN = re.compile(rf"(.)\1{{{REPEATS - 1},}}")

_WIDE, _RULE = "=" * 89, "-" * 89
_CELLS = tuple("-" * width for width in (41, 24, 22))
_HEAD = (
    f"+{_RULE}+",
    "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |",
    f"|{'+'.join(_CELLS)}+",
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    f"|{'+'.join(cell.replace('-', '=') for cell in _CELLS)}|",
)
_BELOW_CARD = (f"|{' ' * 41}|{' ' * 24}|{'Disabled':>21} |", f"+{'+'.join(_CELLS)}+")
_PROCESSES = (
    "",
    f"+{_RULE}+",
    f"| {'Processes:':88}|",
    f"|  GPU   GI   CI        PID   Type   Process name{'GPU Memory':>40} |",
    f"|        ID   ID{'Usage     ':>73} |",
    f"|{_WIDE}|",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one card shows at one tick."""

    temperature: int
    power: int
    memory: int
    utilization: int

    def rows(self, index: int) -> tuple[str, ...]:
        """The rows of the table."""
        return (
            f"|{index:4}  {'NVIDIA H200':31}On  |   00000000:{index * 16 + 7:02X}:00.0 Off |{'0':>21} |",
            f"| N/A{self.temperature:5}C    P0{self.power:15}W /  700W |{self.memory:8}MiB / {CAPACITY_MIB:6}MiB |"
            f"{self.utilization:7}%{'Default':>13} |",
            *_BELOW_CARD,
        )


@dataclass(frozen=True, slots=True)
class Tick:
    """One call of nvidia-smi: its time, the readings of the cards, and the lines that it prints."""

    time: datetime
    readings: tuple[Reading, ...]
    lines: tuple[str, ...]


@dataclass(slots=True)
class Machine:
    """A machine that is made up.

    Attributes:
        rnd: Where chance comes from.
        cards: How many GPUs it has.
        churn: Chance that a process comes or goes at a tick.
        step_s: Seconds from one call to the next.
    """

    rnd: random.Random
    cards: int = 8
    churn: float = 0.02
    step_s: float = 0.55
    _processes: list[tuple[int, int, int]] = field(default_factory=list)

    def ticks(self, count: int) -> Iterator[Tick]:
        """So many calls, one after the other."""
        rnd = self.rnd
        self._processes = [(card, rnd.randint(900, 4_000_000), 612) for card in range(self.cards)]
        readings = [Reading(40, 90, 1_000, 0)] * self.cards
        time = START
        for _ in range(count):
            readings = [self._next(reading) for reading in readings]
            if rnd.random() < self.churn:
                self._change()
            yield Tick(time, tuple(readings), tuple(self._lines(time, readings)))
            time += timedelta(seconds=self.step_s)

    def _next(self, last: Reading) -> Reading:
        rnd = self.rnd
        utilization = rnd.choice((0, 100, rnd.randrange(101)))
        power = 90 + 6 * utilization + rnd.randrange(9)
        temperature = min(max(last.temperature + rnd.choice((-1, 0, 0, 1)), 30), 90)
        memory = last.memory if rnd.random() < 0.4 else rnd.randrange(3, CAPACITY_MIB)
        return Reading(temperature, power, memory, utilization)

    def _change(self) -> None:
        """A process ends, or another one starts."""
        if self.rnd.random() < len(self._processes) / (2 * self.cards):
            del self._processes[self.rnd.randrange(len(self._processes))]
        else:
            card = self.rnd.randrange(self.cards)
            self._processes.append((card, self.rnd.randint(900, 4_000_000), self.rnd.randrange(2, 90_000)))
            self._processes.sort()

    def _lines(self, time: datetime, readings: Sequence[Reading]) -> Iterator[str]:
        yield f"{time:%a %b} {time.day:2} {time:%H:%M:%S %Y}"
        yield from _HEAD
        for index, reading in enumerate(readings):
            yield from reading.rows(index)
        yield from _PROCESSES
        for card, pid, memory in self._processes:
            yield f"|{card:5}   N/A  N/A{pid:10}      C   {'python':38}{memory:11}MiB |"
        if not self._processes:
            yield f"|  {'No running processes found':87}|"
        yield f"+{_RULE}+"


def screen_rows(tick: Tick, height: int, width: int, *, interval: str = "0.5") -> list[str]:
    """The rows of the screen that watch shows: its header, and the lines, wrapped and cut at the bottom."""
    left, right = (
        f"Every {interval}s: {COMMAND}",
        f"host1: {tick.time:%a %b} {tick.time.day:2} {tick.time:%H:%M:%S %Y}",
    )
    rows = [left + right.rjust(width - len(left)) if len(left) + len(right) < width else right.rjust(width), ""]
    for line in tick.lines:
        rows += [line[start : start + width].rstrip() for start in range(0, max(len(line), 1), width)]
    return (rows + [""] * height)[:height]


@dataclass(slots=True)
class Painter:
    """Brings a terminal from one screen to the next.

    Attributes:
        height: Rows of the terminal.
        width: Columns of the terminal.
        repeats: Whether it can repeat a character (TERM=xterm where the locale is not UTF-8).
        scrolls: Whether rows that come or go move the others.
        taste: Where the choice among sequences that do the same comes from; None for always the first.
    """

    height: int
    width: int
    repeats: bool = False
    scrolls: bool = True
    taste: random.Random | None = None
    _rows: list[str] = field(default_factory=list)

    def start(self) -> str:
        """What a program sends before it paints."""
        self._rows = [""] * self.height
        return f"\x1b[?1049h\x1b[22;0;0t\x1b[1;{self.height}r\x1b(B\x1b[m\x1b[4l\x1b[?7h\x1b[H\x1b[2J"

    def stop(self) -> str:
        """What it sends when it ends."""
        return f"\x1b[{self.height};1H\x1b[?1049l\x1b[23;0;0t\r\x1b[?1l\x1b>"

    def resize(self, height: int, width: int) -> str:
        """What it sends after the window has changed."""
        self.height, self.width = height, width
        self._rows = [""] * height
        return self._one_of(f"\x1b[1;{height}r\x1b[H\x1b[2J", "\x1b[H\x1b[2J", f"\x1b[1;{height}r\x1b[H\x1b[J")

    def paint(self, rows: Sequence[str]) -> str:
        """One change; nothing where the screen shows these rows already."""
        pieces = self._scrolled(rows) if self.scrolls else []
        for y, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
            if old != new:
                pieces += self._row(y, old, new)
        self._rows = list(rows)
        return "".join(pieces) + f"\x1b[{self.height};{self.width}H" if pieces else ""

    def _scrolled(self, rows: Sequence[str]) -> list[str]:
        """Insert or delete the first lines that came or went, if the rows below them moved."""
        old = self._rows
        for y in range(2, self.height - 4):
            if old[y] == rows[y] or not old[y]:
                continue
            if old[y : y + 3] == rows[y + 1 : y + 4]:
                self._rows = [*old[:y], "", *old[y:-1]]
                return [f"\x1b[{y + 1};1H\x1b[L"]
            if old[y + 1 : y + 4] == rows[y : y + 3]:
                self._rows = [*old[:y], *old[y + 1 :], ""]
                return [f"\x1b[{y + 1};1H\x1b[M"]
        return []

    def _row(self, y: int, old: str, new: str) -> Iterator[str]:
        """The parts of a row that differ, and what is left over at its end."""
        for start, end in _changes(old.ljust(len(new)), new):
            text = new[start:end]
            if self.repeats:
                text = _RUN.sub(lambda run: f"{run[1]}\x1b[{len(run[0]) - 1}b", text)
            yield self._address(y, start) + text
        left = len(old) - len(new)
        if left > 0:
            erased = self._one_of("\x1b[K", f"\x1b[{left}X", " " * left)
            yield self._address(y, len(new)) + erased

    def _address(self, y: int, x: int) -> str:
        """How the cursor gets to a row and a column, both from 0; to the last column in one step only."""
        at_once = f"\x1b[{y + 1};{x + 1}H"
        if x == self.width - 1:
            return at_once
        return self._one_of(
            at_once, f"\x1b[{x + 1}G\x1b[{y + 1}d", f"\r\x1b[{y + 1}d\x1b[{x + 1}G"[: None if x else -4]
        )

    def _one_of(self, usual: str, *others: str) -> str:
        return self.taste.choice((usual, *others)) if self.taste else usual


def _changes(old: str, new: str) -> Iterator[tuple[int, int]]:
    """Start and end of the stretches that differ; those that are close are one."""
    start = end = -1
    for x, (before, after) in enumerate(zip(old, new, strict=False)):
        if before == after:
            continue
        if start >= 0 and x - end > CLOSE:
            yield start, end
            start = x
        elif start < 0:
            start = x
        end = x + 1
    if start >= 0:
        yield start, end


def recording(ticks: Iterator[Tick], painter: Painter) -> Iterator[str]:
    """What watch sends to its terminal, piece by piece: the start, one piece a tick, and the end."""
    yield painter.start()
    for tick in ticks:
        yield painter.paint(screen_rows(tick, painter.height, painter.width))
    yield painter.stop()
