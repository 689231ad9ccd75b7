"""What was read from blocks of lines at once, and which lines are left to be read one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from smianalyze.decode import lines_of
from smianalyze.formats.format import Problem, Reading
from smianalyze.frame_parts import Part, narrowed
from smianalyze.repair import Line

States = npt.NDArray[np.uint8]
IGNORED, USED, EMPTY = range(3)
"""What became of a line so far; an empty one goes with its neighbours."""


class Records(Protocol):
    """Records of a log that were found in blocks.

    Attributes:
        dated: Lines that begin with a date and a year.
    """

    dated: list[Line]

    def steps(self, used: Collection[int], *, open_end: bool) -> Part | None:
        """All records that count; their lines are marked as used. None if the input is to be read line by line.

        Args:
            used: Lines that other formats understood.
            open_end: Whether the last line may be cut.
        """


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
        size: Bytes of the input as stored, where that is known: what grows with it is laid out at once.
        already: What a format has found in single lines, where it reads them in blocks too.
        log: The records of a log, of which is not known yet which of them count.
        is_given_up: Whether this might be something else than line by line: then nothing here counts.
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
    size: int = 0
    already: Reading | None = None
    log: Records | None = None
    is_given_up: bool = False

    def add(self, frame: str, part: Part) -> None:
        """Add rows of a frame."""
        self.parts.setdefault(frame, []).append(narrowed(part))

    def leave(self, data: bytes) -> None:
        """Leave all lines of a block as they are."""
        lines = lines_of(data)
        self.left += enumerate(lines, self.lines + 1)
        self._count(lines)

    def passed_over(self, pieces: Iterable[bytes]) -> Iterator[str]:
        """A text that is read elsewhere, whose lines are counted on the way."""
        begun = ""
        for piece in pieces:
            text = piece.decode()
            yield text
            *lines, begun = f"{begun}{text}".split("\n")
            self._count(lines)
            begun = begun.strip()[:1] or begun[:1]  # a recording may be one line: whether it is blank is enough
        self._count([begun] if begun else [])

    def _count(self, lines: Sequence[str]) -> None:
        self.states.append(np.array([IGNORED if line.strip() else EMPTY for line in lines], np.uint8))
        self.lines += len(lines)
