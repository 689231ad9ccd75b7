"""What the formats find in streams of lines: rows of all frames, and where the lines went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from smianalyze.dating import complete_times
from smianalyze.formats import FORMATS, Format, Problem, Reading
from smianalyze.formats.format import Row, Told
from smianalyze.line_shapes import one_of_each_shape
from smianalyze.repair import Line

NOTHING_TOLD = Told()
OF_A_SNAPSHOT = ("snapshots", "gpus", "processes", "mig_devices", "vgpus")


@dataclass(slots=True)
class Gathered:
    """Rows of each frame, with snapshots numbered in the order in which they were found.

    Attributes:
        rows: Rows by frame.
        names: Formats that read something.
        used: Numbers of the lines that were understood.
        problems: Format and problem of each line that was not.
        notes: Sentences on what was inferred.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, streams: Sequence[Sequence[Line]], told: Told = NOTHING_TOLD) -> None:
        """Let each format read the lines that the formats before it have left."""
        texts = one_of_each_shape([line.text for lines in streams for line in lines]).values()
        found = [one for one in FORMATS if one.name in self.names or any(map(one.recognises, texts))]
        self.read_as(found, streams, told)
        self.notes.extend(note for note in complete_times(self.rows, streams) if note not in self.notes)
        self.names.sort(key=[one.name for one in FORMATS].index)

    def read_as(
        self, formats: Sequence[Format], streams: Sequence[Sequence[Line]], told: Told = NOTHING_TOLD
    ) -> None:
        """Let these formats read the lines, each what the ones before it have left."""
        last = max((lines[-1].number for lines in streams if lines), default=0)
        for one in formats:
            for lines in streams:
                ends_open = told.open_end and bool(lines) and lines[-1].number == last
                at_once = told.at_once if lines and not lines[0].stream else ()
                about = told._replace(open_end=ends_open, at_once=at_once)
                if told.already is not None and one.name in at_once:
                    self._take(one.name, told.already)
                    continue
                fitting = one.told(about) if one.told else one
                self._take(one.name, fitting.read([line for line in lines if line.number not in self.used]))

    def _take(self, name: str, reading: Reading) -> None:
        self.add_rows(reading.rows)
        self.used |= reading.used
        self.problems.extend((name, problem) for problem in reading.problems)
        self.notes.extend(note for note in reading.notes if note not in self.notes)
        if reading.used and name not in self.names:
            self.names.append(name)

    def add(self, other: Gathered) -> None:
        """Append what was found elsewhere in the same input."""
        self.add_rows(other.rows)
        self.used |= other.used
        self.problems.extend(other.problems)
        self.notes.extend(note for note in other.notes if note not in self.notes)
        self.names.extend(name for name in other.names if name not in self.names)

    def add_rows(self, rows: dict[str, list[Row]]) -> None:
        """Append rows whose snapshots count from 0."""
        first = len(self.rows.get("snapshots", ()))
        for frame, found in rows.items():
            if frame in OF_A_SNAPSHOT:
                for row in found:
                    row["snapshot"] = int(str(row["snapshot"])) + first
            self.rows.setdefault(frame, []).extend(found)
