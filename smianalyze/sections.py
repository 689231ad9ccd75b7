"""A long recording in sections of many prints each, so that no more of it than a section is held.

Recordings of the plain table can be read so: all of a print stands in one block. Others are read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from smianalyze.blocks import READING
from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.format import Problem, Told
from smianalyze.formats.smi_blocks import TableBlocks
from smianalyze.frame_parts import joined, repeated
from smianalyze.frames import Frames
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.impossible import without_impossible
from smianalyze.reading import Found, accounts, place, problem_rows, read_left
from smianalyze.source import Text
from smianalyze.terminal.screens import holds_screens

SECTION_ROWS = 60_000
"""Rows of GPUs in a section: two hours of eight cards at one print a second, some 40 MB in memory."""


class NotInSections(Exception):
    """An input must be read as a whole; the sections that were given do not count."""


def sections(text: Text, *, host: str | None = None) -> Iterator[Frames]:
    """The frames of an input, section by section: joined they are those of the whole.

    Snapshots are numbered through; what is known only at the end (``problems``, ``inputs``) is in the last one.

    Args:
        text: The input.
        host: Its host, if it does not say it.

    Raises:
        NotInSections: It is no recording of plain tables, or prints in the midst of it can only be read line by
            line.
    """
    blocks = text.decoded.blocks()
    rest = b"".join(next(blocks, ()))
    if holds_screens(text.decoded) or not TableBlocks.takes(rest):
        raise NotInSections
    recording = _Recording(text, host)
    reader = TableBlocks(recording.reading)
    for block in blocks:
        with READING:
            rest = rest[reader.read(rest, is_last=False) :]
        rest = b"".join((rest, *block))
        if sum(part.count for part in recording.reading.parts.get("gpus", ())) >= SECTION_ROWS:
            yield recording.section()
    with READING:
        reader.read(rest, is_last=True)
        last = recording.last_section()
    yield last


@dataclass(slots=True)
class _Recording:
    """What was read of a recording and is in no section yet."""

    text: Text
    host: str | None
    reading: BlockReading = field(default_factory=BlockReading)
    impossible: list[Problem] = field(default_factory=list)
    last_line: int = 0

    def section(self) -> Frames:
        found = self._found(Found({}))
        return Frames.from_rows(found.rows, found.parts)

    def last_section(self) -> Frames:
        text, gathered = self.text, Gathered(notes=list(self.text.notes))
        found = self._found(Found(gathered.rows))
        read_left(self.reading, gathered, Told(text.decoded.open_end))
        rows = gathered.rows
        if (
            self.reading.is_given_up
            or any(int(str(row["line"])) < self.last_line for row in rows.get("snapshots", ()))
            or rows.get("steps")
        ):
            raise NotInSections
        if any(row.get("time") is None and row.get("driver_version") is None for row in rows.get("snapshots", ())):
            raise NotInSections  # a fragment may only say again what the print before says
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
        return Frames.from_rows(rows, found.parts)

    def _found(self, found: Found) -> Found:
        """What the blocks since the last section hold."""
        parts = found.parts
        parts.update({frame: joined(several) for frame, several in self.reading.parts.items()})
        self.reading.parts.clear()
        if "snapshots" in parts:
            self.last_line = int(parts["snapshots"].integers("line")[-1])
        self.impossible.extend(without_impossible({}, parts))
        for part in parts.values():
            place(part, 0, self.host)
            part.columns["source"] = repeated(self.text.source, part.count)
        return found
