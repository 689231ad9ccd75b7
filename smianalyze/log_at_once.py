"""A log in blocks: records of steps from many lines at once; lines of events are left, others are passed over.

Reading line by line gives the same. Where an input holds something that might be read in another way there, it is
left to that as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from smianalyze.dating import LABEL, MAX_ANCHORS
from smianalyze.decode import lines_of
from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, BlockReading
from smianalyze.frame_parts import Part
from smianalyze.growing import Growing
from smianalyze.log_chosen import in_order
from smianalyze.log_found import Block, Collector, Found, taken
from smianalyze.log_pieces import ALL, NOBODY, RECORDS, Piece
from smianalyze.log_records import NotAlike, OpenLine, counted
from smianalyze.log_shapes import Pieces, Shapes
from smianalyze.repair import Line, with_plain_blanks
from smianalyze.shapes import WORD, Flags, Indexes

LEAST_BYTES = 256 * 1024
"""Of the head of an input that is read so: a shorter log is read line by line in less than a second."""
HEAD_LINES = 100
"""The first lines are left: they say how and when the job was started."""
LONGEST_REACH = 600
"""Lines around one that a format of events may need."""

MORE_ROOM_PCT = 105
"""Of what an input may hold by its bytes and the records so far: room that is not needed takes no memory."""
SHAPES = Shapes()


@dataclass(slots=True)
class LogBlocks:
    """Reads one input block by block.

    Attributes:
        reading: What was found.
        store: All records, in the order of their lines.
        found: Which of them each format has.
        dated: Lines that begin with a date and a year.
    """

    reading: BlockReading
    store: Growing = field(default_factory=Growing)
    found: dict[str, Collector] = field(default_factory=lambda: {name: Collector(name) for name in RECORDS})
    dated: list[Line] = field(default_factory=list)
    _places: int = 0  # pieces so far that are not blank
    _of_left: dict[int, range] = field(default_factory=dict)  # those of the lines that are left
    _passed: list[tuple[int, str, range]] = field(default_factory=list)  # the last lines that are not left
    _wanted_until: int = HEAD_LINES
    _last: OpenLine | None = None
    _bytes: int = 0
    _room: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Rows of CSV without a header may be anything."""
        self.reading.is_given_up |= self.reading.csv_columns is not None

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input is long enough; any may be a log."""
        return len(head) >= LEAST_BYTES

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Read some whole lines in UTF-8, all of them."""
        if data and not self.reading.is_given_up:
            self.reading.log = self
            self._read(data if data.endswith(b"\n") else data + b"\n", is_last=is_last)
        return len(data)

    def _read(self, data: bytes, *, is_last: bool) -> None:
        pieces = SHAPES.read(data)
        if SHAPES.are_too_many:
            SHAPES.forget()
            self.reading.is_given_up = True
            return
        singly = SHAPES.each("is_read_singly")[pieces.shapes].astype(np.bool_)
        seen = _Seen(pieces, {row: SHAPES.describe(pieces.text(row)) for row in np.flatnonzero(singly).tolist()})
        if seen.is_not_alike():
            self.reading.is_given_up = True
            return
        is_solid = ~seen.flags("is_blank")
        places = self._places + np.cumsum(is_solid) - is_solid
        self._places += int(is_solid.sum())
        block = Block(pieces, SHAPES, self._words(data), places, self.reading.lines)
        self._collect(block, singly, seen.single)
        self._leave(block, seen.reaches(), is_last=is_last)
        self._date(block, seen.flags("has_date"))
        self._last = _last_state(block, is_solid)
        is_text = np.bincount(pieces.lines[is_solid], minlength=pieces.line_count) > 0
        self.reading.states.append(np.where(is_text, IGNORED, EMPTY).astype(np.uint8))
        self.reading.lines += pieces.line_count

    def _words(self, data: bytes) -> npt.NDArray[np.void]:
        """The eight bytes before each place in a block, until the next one is read."""
        if len(self._room) < WORD + len(data):
            self._room = bytearray(WORD + len(data) * 5 // 4)  # the blocks differ a little in size
        memoryview(self._room)[WORD : WORD + len(data)] = data
        return np.ndarray((len(data) + 1,), f"V{WORD}", self._room, 0, (1,))

    def _collect(self, block: Block, singly: Flags, single: dict[int, Piece]) -> None:
        formats = SHAPES.each("piece.format")
        of_formats: list[Found] = []
        for name, collector in self.found.items():
            rows = np.flatnonzero((formats == name)[block.pieces.shapes] & ~singly)
            part, unsure = collector.together(block, rows)
            alone = {row: piece for row, piece in single.items() if piece.format == name}
            if unsure.any():
                others = {row: SHAPES.describe(block.pieces.text(row)) for row in rows[unsure].tolist()}
                if any(piece.format != name for piece in others.values()):
                    self.reading.is_given_up = True
                alone = dict(sorted({**alone, **others}.items()))
                rows, part = rows[~unsure], taken(part, ~unsure)
            of_formats.append(collector.found(block, rows, part, alone))
        self._store(block, of_formats)

    def _store(self, block: Block, of_formats: Sequence[Found]) -> None:
        """Add the records of a block, in the order of their lines; of one line, format by format."""
        lines = np.concatenate([block.pieces.lines[one.rows] for one in of_formats])
        places = np.empty(len(lines), np.int64)
        places[np.argsort(lines, kind="stable")] = np.arange(len(lines))
        split = np.split(places, np.cumsum([one.part.count for one in of_formats]))[:-1]
        for collector, of_one in zip(self.found.values(), split, strict=True):
            collector.rows.append(self.store.count + of_one)
        self._bytes += len(block.pieces.data)
        room = (self.store.count + len(lines)) * self.reading.size // self._bytes
        parts = [(one.part, of_one) for one, of_one in zip(of_formats, split, strict=True)]
        self.store.add(parts, room=room * MORE_ROOM_PCT // 100)

    def _leave(self, block: Block, reaches: Indexes, *, is_last: bool) -> None:
        """Leave the lines that formats of events may need."""
        count, first = block.pieces.line_count, block.first_line
        edges = np.zeros(count + 1, np.int64)
        edges[0] += self._wanted_until > first
        edges[np.clip(self._wanted_until - first, 0, count)] -= self._wanted_until > first
        hits = np.flatnonzero(reaches > NOBODY)
        starts, ends = block.pieces.lines[hits] - reaches[hits], block.pieces.lines[hits] + reaches[hits] + 1
        np.add.at(edges, np.maximum(starts, 0), 1)
        np.add.at(edges, np.minimum(ends, count), -1)
        is_wanted = np.cumsum(edges[:-1]) > 0
        is_wanted[-1] |= is_last
        since = int(starts.min(initial=0)) + first
        for line in self._passed:
            if line[0] > since:
                self._add(line)
        self._wanted_until = max(self._wanted_until, first + int(ends.max(initial=0)))
        for line in _lines(block, is_wanted):
            self._add(line)
        is_passed = ~is_wanted
        is_passed[: max(0, count - LONGEST_REACH)] = False
        self._passed = list(_lines(block, is_passed))

    def _add(self, line: tuple[int, str, range]) -> None:
        self.reading.left.append(line[:2])
        self._of_left[line[0]] = line[2]

    def _date(self, block: Block, has_date: Flags) -> None:
        rows = np.flatnonzero(has_date)[: MAX_ANCHORS - len(self.dated)].tolist()
        for row in rows:
            number = block.first_line + int(block.pieces.lines[row]) + 1
            self.dated.append(Line(number, block.pieces.text(row)[:LABEL].replace("\t", " "), ""))

    def steps(self, used: Collection[int], *, open_end: bool) -> Part | None:
        """All records that count; their lines are marked as used. None if the input is to be read line by line.

        Args:
            used: Lines that formats of events understood.
            open_end: Whether the last line may be cut.
        """
        gone = np.array(sorted(place for number in used for place in self._of_left[number]), np.int64)
        is_used = np.zeros(self.reading.lines + 1, np.bool_)
        is_used[[*used]] = True
        try:
            formats = list(counted(self.store, self.found, is_used, gone, self._last if open_end else None))
        except NotAlike:
            self.reading.is_given_up = True
            return None
        states = np.concatenate(self.reading.states)
        for one in formats:
            states[one.used - 1] = USED
        self.reading.states = [states]
        self.reading.names = [one.name for one in formats]
        return in_order([one.steps for one in formats if one.steps.count])


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the pieces of a block say.

    Attributes:
        pieces: They.
        single: What those say that are read one by one.
    """

    pieces: Pieces
    single: dict[int, Piece]

    def flags(self, name: str) -> Flags:
        """A flag of each piece."""
        values = SHAPES.each(f"piece.{name}")[self.pieces.shapes].astype(np.bool_)
        values[[*self.single]] = [getattr(piece, name) for piece in self.single.values()]
        return values

    def reaches(self) -> Indexes:
        """How far around each piece lines may matter."""
        values = SHAPES.each("piece.reach")[self.pieces.shapes].astype(np.int64)
        values[[*self.single]] = [piece.reach for piece in self.single.values()]
        return values

    def is_not_alike(self) -> bool:
        """Whether line by line, lines are read that are not read so."""
        if (self.reaches() == ALL).any():
            return True
        is_state = np.diff(self.pieces.starts) > 1
        of_line = np.bincount(self.pieces.lines[is_state], minlength=self.pieces.line_count)
        if len(of_line) == 0 or of_line.max() <= 1:
            return False
        is_one_of_many = of_line[self.pieces.lines] > 1
        return bool((is_one_of_many & (self.flags("is_odd") | self.flags("ends_with_bar"))).any())


def _last_state(block: Block, is_solid: Flags) -> OpenLine | None:
    """What the last line of a block shows last; None if that is nothing."""
    rows = np.flatnonzero(is_solid)[-1:].tolist()
    if not rows or block.pieces.lines[rows[0]] != block.pieces.line_count - 1:
        return None
    text = with_plain_blanks(block.pieces.text(rows[0]))
    return OpenLine(block.first_line + block.pieces.line_count, int(block.places[rows[0]]), text)


def _lines(block: Block, wanted: Flags) -> Iterator[tuple[int, str, range]]:
    """Number, text and pieces of some lines."""
    rows = np.flatnonzero(wanted)
    first = np.searchsorted(block.pieces.lines, rows)
    behind = np.searchsorted(block.pieces.lines, rows, side="right")
    places = np.append(block.places, block.places[-1] + 1)
    for row, start, end in zip(rows.tolist(), first.tolist(), behind.tolist(), strict=True):
        data = block.pieces.data[block.pieces.starts[start] : block.pieces.starts[end]]
        yield block.first_line + row + 1, lines_of(data)[0], range(places[start], places[end])
