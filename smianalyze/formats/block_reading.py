"""What was read from blocks of lines at once, and which lines are left to be read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from smianalyze.formats.format import Problem
from smianalyze.frame_parts import Part

States = npt.NDArray[np.uint8]
IGNORED, USED, EMPTY = range(3)
"""What became of a line so far; an empty one goes with its neighbours."""


@dataclass(slots=True)
class BlockReading:
    """What blocks of one input gave.

    Attributes:
        parts: Rows of each frame as columns; ``snapshot`` counts from 0, ``line`` from 1.
        states: What became of each line.
        left: Lines that are left, with their numbers.
        dates: Numbers of lines among them that only say when a print was made that is not left: no format reads
            them, but other lines may lack the date.
        names: Formats that read something.
        problems: Format and problem of each line that could not be read; it is not left.
        notes: Sentences on what was inferred.
        snapshots: How many there are.
        lines: How many lines were seen.
        csv_columns: Fields in order, for CSV rows that no header names.
    """

    parts: dict[str, list[Part]] = field(default_factory=dict)
    states: list[States] = field(default_factory=list)
    left: list[tuple[int, str]] = field(default_factory=list)
    dates: set[int] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    snapshots: int = 0
    lines: int = 0
    csv_columns: tuple[str, ...] | None = None

    def leave_block(self, data: bytes) -> None:
        """Leave all lines of a block."""
        if data:
            self.leave(data.decode().removesuffix("\n").replace("\r\n", "\n").split("\n"))

    def leave(self, lines: Sequence[str]) -> None:
        """Leave lines as they are."""
        self.left += enumerate(lines, self.lines + 1)
        self.states.append(np.full(len(lines), IGNORED, np.uint8))
        self.lines += len(lines)
