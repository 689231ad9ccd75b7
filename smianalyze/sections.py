"""A long recording in sections of many snapshots each, so that no more of it than a section is held.

Recordings of tables, CSV, dmon and pmon can be read so: what is read in blocks becomes whole snapshots on the way.
Others are read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from smianalyze.blocks import BLOCK_READERS, READING, BlockReader
from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.csv_blocks import CsvBlocks
from smianalyze.formats.format import Problem, Told
from smianalyze.formats.monitor_blocks import DmonBlocks, PmonBlocks
from smianalyze.formats.smi_blocks import TableBlocks
from smianalyze.frame_parts import Part, joined, repeated
from smianalyze.frames import Frames
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.impossible import without_impossible
from smianalyze.reading import accounts, place, problem_rows, read_left
from smianalyze.repeats import card_counts, fragments
from smianalyze.source import Text
from smianalyze.terminal.screens import holds_screens

LONG_BYTES = 4_000_000
"""A recording of so many bytes, as stored, is worth it; packed tables may be a hundred times as long."""
SECTION_ROWS = 60_000
"""Rows of a frame in a section: two hours of eight cards at one print a second, some 40 MB in memory."""
_READERS: tuple[type[BlockReader], ...] = (TableBlocks, CsvBlocks, DmonBlocks, PmonBlocks)


class NotInSections(Exception):
    """An input must be read as a whole; the sections that were given do not count."""


def sections(
    text: Text, *, host: str | None = None, csv_columns: tuple[str, ...] | None = None
) -> Iterator[Frames]:
    """The frames of an input, section by section: joined they are those of the whole.

    Snapshots are numbered through; what is known only at the end (``events``, ``problems``, ``inputs``) is in the
    last one.

    Args:
        text: The input.
        host: Its host, if it does not say it.
        csv_columns: Fields in order, for CSV rows that no header names.

    Raises:
        NotInSections: It is no recording of tables, CSV, dmon or pmon, or something in the midst of it can only be
            read line by line.
    """
    blocks = text.decoded.blocks()
    rest = b"".join(next(blocks, ()))
    taker = next(one for one in BLOCK_READERS if one.takes(rest))
    if holds_screens(text.decoded) or taker not in _READERS:
        raise NotInSections
    recording = _Recording(text, host, BlockReading(csv_columns=csv_columns))
    reader = taker(recording.reading)
    for block in blocks:
        with READING:
            rest = rest[reader.read(rest, is_last=False) :]
        rest = b"".join((rest, *block))
        if recording.rows >= SECTION_ROWS:
            yield from recording.sections()
    with READING:
        reader.read(rest, is_last=True)
    yield from recording.last_sections()


@dataclass(slots=True)
class _Recording:
    """What was read of a recording and is in no section yet.

    Attributes:
        text: The recording.
        host: Its host.
        reading: What was read.
        impossible: Problems of values so far.
        last_line: Where the last snapshot of the last section begins.
        cards: How many GPUs that one has.
    """

    text: Text
    host: str | None
    reading: BlockReading
    impossible: list[Problem] = field(default_factory=list)
    last_line: int = 0
    cards: int = 0

    @property
    def rows(self) -> int:
        """How many there are of the frame that has the most."""
        return max((sum(part.count for part in parts) for parts in self.reading.parts.values()), default=0)

    def sections(self) -> Iterator[Frames]:
        for parts in _stretches(self._parts()):
            yield Frames.from_rows({}, parts)

    def last_sections(self) -> Iterator[Frames]:
        *stretches, last = _stretches(self._parts())
        for parts in stretches:
            yield Frames.from_rows({}, parts)
        with READING:
            yield Frames.from_rows(self._rows(), last)

    def _rows(self) -> dict[str, list[dict[str, object]]]:
        """What was read line by line: all of it stands behind what was read in blocks, or is of no snapshot."""
        text, gathered = self.text, Gathered(notes=list(self.text.notes))
        if not self.reading.is_given_up:
            read_left(self.reading, gathered, Told(text.decoded.open_end, self.reading.csv_columns))
        rows = gathered.rows
        heads = rows.get("snapshots", ())  # a fragment may only say again what the print before says
        if (
            self.reading.is_given_up
            or rows.get("steps")
            or any(row.get("time") is None and row.get("driver_version") is None for row in heads)
            or any(int(str(row["line"])) < self.last_line for row in heads)
        ):
            raise NotInSections
        self.impossible.extend(without_impossible(rows, {}))
        names = "+".join(gathered.names)
        gathered.problems.extend((names, one) for one in self.impossible)
        for frame in OF_A_SNAPSHOT:
            for row in rows.get(frame, ()):
                row["snapshot"] = int(str(row["snapshot"])) + self.reading.snapshots
                row["host"] = self.host or row.get("host")
        rows["problems"] = problem_rows(gathered.problems)
        for row in (row for part in rows.values() for row in part):
            row["source"] = text.source
        rows["inputs"] = [accounts(text, gathered, self.reading)]
        return rows

    def _parts(self) -> dict[str, Part]:
        """What the blocks since the last section hold.

        Raises:
            NotInSections: A snapshot may only say again what the one before says.
        """
        parts = {frame: joined(several) for frame, several in self.reading.parts.items()}
        self.reading.parts.clear()
        self.impossible.extend(without_impossible({}, parts))
        if fragments({}, parts, self.cards):
            raise NotInSections
        if "snapshots" in parts:
            self.last_line = int(parts["snapshots"].integers("line")[-1])
            self.cards = int(card_counts({}, parts)[-1])
        for part in parts.values():
            place(part, 0, self.host)
            part.columns["source"] = repeated(self.text.source, part.count)
        return parts


def _stretches(parts: Mapping[str, Part]) -> Iterator[Mapping[str, Part]]:
    """The same in stretches of whole snapshots; one, perhaps empty, if there are few rows."""
    longest = max(parts.values(), key=lambda part: part.count, default=Part(0))
    if longest.count < 2 * SECTION_ROWS:
        yield parts
        return
    numbers = longest.integers("snapshot")
    firsts = np.unique(numbers[SECTION_ROWS:-SECTION_ROWS:SECTION_ROWS])
    for first, end in pairwise([0, *firsts, np.iinfo(np.int64).max]):
        yield {
            frame: part.between(*map(int, np.searchsorted(part.integers("snapshot"), (first, end))))
            for frame, part in parts.items()
        }
