"""Rows that are read at once, among the lines of a block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from smianalyze.shapes import Flags, Indexes

_NO_ASCII = 0x80  # and above: letters of several bytes

Foreign = Callable[[str], bool]
"""Whether a text may mean something to another format: its line is then read alone."""


class RowTable:
    """Some lines.

    Attributes:
        starts: Where each line begins, and the end.
        lines: Those that are rows of plain cells; the other lines have to be read alone.
    """

    def __init__(self, starts: Indexes, lines: Indexes) -> None:
        """Lines of which some are rows."""
        self.starts = starts
        self.lines = lines

    def text(self, data: bytes, place: int) -> str:
        """The line of a row."""
        line = self.lines[place]
        return data[self.starts[line] : self.starts[line + 1]].removesuffix(b"\n").decode()

    def other_lines(self) -> list[int]:
        """The lines that are no rows of plain cells, and the end."""
        are_rows = np.zeros(len(self.starts), np.bool_)
        are_rows[self.lines] = True
        found: list[int] = np.flatnonzero(~are_rows).tolist()
        return found


def plain_lines(data: bytes, starts: Indexes) -> Flags:
    """Which lines hold nothing but ASCII letters, and no NUL.

    Args:
        data: The lines.
        starts: Where each of them begins, and the end.
    """
    plain = np.ones(len(starts) - 1, np.bool_)
    if not data.isascii() or b"\0" in data:
        letters = np.frombuffer(data, np.uint8)
        odd = np.flatnonzero((letters == 0) | (letters >= _NO_ASCII))
        plain[np.searchsorted(starts, odd, "right") - 1] = False
    return plain
