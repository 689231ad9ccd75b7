"""pyavt: the text of each screen, and its load lines by a regular expression."""

from __future__ import annotations

from pathlib import Path

import avt

from screen_readers.screens import HEIGHT, WIDTH, Sums, added, screens


def read(path: Path) -> Sums:
    """The sums of four values of each card."""
    terminal = avt.Vt(WIDTH, HEIGHT)
    sums = Sums()
    for text in screens(path):
        terminal.feed_str(text)
        sums = added(sums, (line.text for line in terminal.view()))
    return sums
