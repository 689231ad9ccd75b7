"""Pyte: the text of the rows that have changed, and the load lines by a regular expression."""

from __future__ import annotations

from pathlib import Path

import pyte

from screen_readers.screens import HEIGHT, WIDTH, Sums, added, screens


def read(path: Path) -> Sums:
    """The sums of four values of each card."""
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    rows = [""] * HEIGHT
    sums = Sums()
    for text in screens(path):
        stream.feed(text)
        for y in screen.dirty:
            cells = screen.buffer[y]
            rows[y] = "".join(cells[x].data for x in range(WIDTH))
        screen.dirty.clear()
        sums = added(sums, rows)
    return sums
