"""A host with GPUs that is made up: what each card does at each tick, and which processes hold its memory.

Everything follows from a seed. Jobs come and go; while one runs, its cards work, wait for data now and then, and
hold what the job allocated.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

START = datetime(2026, 11, 30, 12, 0, 0)
NAME = "NVIDIA H100 80GB HBM3"
CAPACITY_MIB = 81_559
LIMIT_W = 700
IDLE_MIB = 4  # what the driver holds on a card without a job
PROGRAMS = (
    "python",
    "/usr/bin/python3",
    "/opt/conda/bin/python3.11",
    "...envs/train/bin/python",
    "pt_main_thread",
)
MEAN_JOB_TICKS = 240
WAIT_CHANCE = 0.04  # a tick at which a working card waits for data


class Sample(NamedTuple):
    """What one card does at one tick."""

    utilization_pct: int
    memory_busy_pct: int
    memory_mib: int
    temperature_c: int
    power_w: float  # of two decimals
    clock_mhz: int


class Process(NamedTuple):
    """A process that holds memory of a card."""

    gpu: int
    pid: int
    name: str
    memory_mib: int


class Host:
    """A host whose cards all do the same kind of work, each at its own pace.

    Attributes:
        cards: How many GPUs it has.
        bus_ids: Of each card.
        processes: Those of the last tick, in the order of cards and process ids.
    """

    def __init__(self, seed: int, *, cards: int = 8) -> None:
        self.cards = cards
        self.bus_ids = tuple(f"00000000:{0x18 + 0x11 * card:02X}:00.0" for card in range(cards))
        self.processes: tuple[Process, ...] = ()
        self._rnd = random.Random(seed)  # noqa: S311 - nothing is secret here
        self._next_pid = self._rnd.randrange(2_000, 300_000)

    def ticks(self) -> Iterator[list[Sample]]:
        """What the cards do, tick after tick, without an end."""
        chance = self._rnd.random
        temperatures = [35] * self.cards
        while True:
            working = chance() < 0.85
            self.processes = tuple(self._job()) if working else ()
            held = [IDLE_MIB] * self.cards
            for process in self.processes:
                held[process.gpu] += process.memory_mib
            for _ in range(int(-MEAN_JOB_TICKS / 4 + MEAN_JOB_TICKS * 2.5 * chance()) + 61):
                yield [self._sample(card, held[card], temperatures, working=working) for card in range(self.cards)]

    def _sample(self, card: int, held: int, temperatures: list[int], *, working: bool) -> Sample:
        chance = self._rnd.random
        if not working:
            utilization = 0
        elif chance() < WAIT_CHANCE:
            utilization = int(60 * chance())
        else:
            utilization = int(101 - 12 * chance() ** 2)
        warm = temperatures[card]
        if chance() < 0.3:
            warm += 1 if warm < 34 + utilization // 3 else -1
            temperatures[card] = warm
        return Sample(
            utilization,
            int(utilization * (0.3 + 0.4 * chance())),
            held,
            warm,
            int(6_800 + 560 * utilization + 900 * chance()) / 100,
            345 if not utilization else 1_980 - 15 * int(8 * chance()),
        )

    def _job(self) -> Iterator[Process]:
        """The processes of a new job: one or two on each card."""
        rnd = self._rnd
        program = rnd.choice(PROGRAMS)
        memory = rnd.randrange(900, CAPACITY_MIB - 3_000)
        for card in range(self.cards):
            self._next_pid += rnd.randrange(1, 400)
            yield Process(card, self._next_pid, program, memory + rnd.randrange(0, 900))
            if rnd.random() < 0.25:
                self._next_pid += 1
                yield Process(card, self._next_pid, "/usr/bin/dcgm-exporter", rnd.randrange(300, 700))
