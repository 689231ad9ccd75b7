"""What a format is, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.repair import Line

Row = dict[str, object]


class Problem(NamedTuple):
    """A line that looked like a format's own and could not be read, or not to its end."""

    line: int
    what: str
    text: str


@dataclass(slots=True)
class Reading:
    """What a format found in one stream of lines.

    Attributes:
        rows: Rows of each frame by column name, with ``line``; ``snapshot`` counts from 0 within the reading.
        used: Numbers of the lines that were understood.
        problems: Lines that were not, in order.
        notes: Sentences on what was inferred, for the row of the input.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, frame: str, row: Row) -> None:
        """Add one row to a frame."""
        self.rows.setdefault(frame, []).append(row)


class Told(NamedTuple):
    """What an input does not show in its lines.

    Attributes:
        open_end: The last line has no end, so that a value at its end may be cut.
        csv_columns: Fields in order, as in ``--query-gpu``, for rows that no header line names.
        at_once: Names of the formats that have read some of the same input in blocks already.
        already: What the one of them that reads lines in blocks too has found in single ones.
    """

    open_end: bool = False
    csv_columns: tuple[str, ...] | None = None
    at_once: tuple[str, ...] = ()
    already: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format that smianalyze reads.

    Attributes:
        name: Stem of its grammar, module, fixtures and test.
        title: What it is, in a few words.
        command: The command that prints it.
        sample: A short genuine piece that ``recognises`` accepts and ``read`` reads without a problem.
        recognises: Cheap test whether a text may hold this format.
        read: Reads one stream of repaired lines; never raises for what an input holds.
        told: The format for an input of which something is told; None where it makes no difference.
        reach: Of a format of logs: so many lines before and after one that it recognises may matter to it. None
            where any line may.
    """

    name: str
    title: str
    command: str
    sample: str
    recognises: Callable[[str], bool]
    read: Callable[[Sequence[Line]], Reading]
    told: Callable[[Told], Format] | None = None
    reach: int | None = None
