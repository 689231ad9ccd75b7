"""A recording of any length is read screen by screen: what is held does not grow with it."""

from __future__ import annotations

import random
import tracemalloc

from watch_recording import Machine, Painter, recording

from smianalyze.terminal import containers
from smianalyze.watch.rows import RecordedPrints

BYTES_A_SCREEN = 3_000  # of memos, which have limits; the rows of a screen of 8 cards take 20,000


def peak(screens: int) -> int:
    """The most bytes that are held while so many screens are read; the recording is made on the way."""
    machine = Machine(random.Random(screens), cards=8, churn=0)  # noqa: S311 - the same recording on every run
    tracemalloc.start()
    try:
        count = sum(
            1 for _ in RecordedPrints(containers.recording(recording(machine.ticks(screens), Painter(60, 120))))
        )
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert count >= screens * 0.99
    return held


def test_memory_does_not_grow_with_the_recording() -> None:
    peak(100)  # grammars and memos

    assert peak(1_600) - peak(400) < 1_200 * BYTES_A_SCREEN
