"""Records that were found in blocks of a log, as columns, before it is known which of them count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from smianalyze.frame_parts import Part, joined, part_of
from smianalyze.log_pieces import BARS, Piece
from smianalyze.log_rules import Rule, Table
from smianalyze.log_shapes import Known, Pieces
from smianalyze.log_values import At, column_of
from smianalyze.offsets import LAST, Cells, Words, codes_of
from smianalyze.shapes import WORD, Flags, Indexes

STEPS = "steps"
LINE, PLACE, REPEATS, BAR = "line", " place", " repeats", " bar"
"""Line of a record, its number among all pieces that are not blank, whether it says what the one before says, and
the number of a bar; the last three are no columns of a frame."""
FLAGS = ("shows_metric", "is_source", "may_count", "has_label", "is_double")
"""What is known of a draw, besides its columns."""


@dataclass(frozen=True, slots=True)
class Block:
    """The pieces of a block with what is known of them.

    Attributes:
        pieces: They.
        known: What is known of each shape.
        words: The eight bytes before each place, with blanks for tabs.
        places: Number of each piece among all of the input that are not blank.
        first_line: How many lines stand before the block.
    """

    pieces: Pieces
    known: Sequence[Known]
    words: npt.NDArray[np.void]
    places: Indexes
    first_line: int

    def at(self, rows: Indexes) -> At:
        """Some of the pieces."""
        return At(self.pieces.data, self.words, self.pieces.starts[rows], self.pieces.shapes[rows])


@dataclass(slots=True)
class Collector:
    """Collects the records of one format.

    Attributes:
        name: The format.
        parts: Its records, block by block.
        bars: Number of each bar by its description.
        last: What the last record says, in its words.
    """

    name: str
    parts: list[Part] = field(default_factory=list)
    bars: dict[bytes, int] = field(default_factory=dict)
    last: bytes = b""
    _tables: dict[str, Table] = field(default_factory=dict)
    _known: Sequence[Known] = ()
    _count: int = 0

    def together(self, block: Block, rows: Indexes) -> tuple[Part, Flags]:
        """The values of pieces that are read together, and which of them say something else than their shape.

        Args:
            block: All pieces.
            rows: Those that are read.
        """
        if block.known is not self._known or len(block.known) != self._count:
            self._tables = _tables(self.name, block.known)
            self._known, self._count = block.known, len(block.known)
        at = block.at(rows)
        columns: dict[str, Cells] = {}
        unsure = np.zeros(len(rows), np.bool_)
        for name, table in self._tables.items():
            if at.field(table, "kind").any():
                columns[name], doubtful = column_of(at, table)
                unsure |= False if doubtful is None else doubtful
        return Part(len(rows), columns), unsure

    def add(self, block: Block, rows: Indexes, part: Part, single: Mapping[int, Piece]) -> None:
        """Add the records of a block.

        Args:
            block: All pieces.
            rows: Those that were read together.
            part: Their values.
            single: Those that were read one by one, by their place among the pieces.
        """
        if single:
            alone = np.array([*single], np.int64)
            values = part_of(STEPS, [dict(piece.values()) for piece in single.values()])
            order = np.argsort(np.concatenate([rows, alone]), kind="stable")
            part = taken(joined([part, values]), order)
            rows = np.concatenate([rows, alone])[order]
        if len(rows):
            part.columns |= self._about(block, rows, single)
            self.parts.append(part)

    def _about(self, block: Block, rows: Indexes, single: Mapping[int, Piece]) -> dict[str, Cells]:
        """Where records stand, and what tells them apart."""
        begins, ends = _spans(block, rows, single)
        about = {
            LINE: Cells(block.first_line + 1 + block.pieces.lines[rows]),
            PLACE: Cells(block.places[rows]),
        }
        if self.name != BARS:
            return about | {REPEATS: Cells(self._repeats(block, begins, ends))}
        about[BAR] = Cells(self._bars(block, begins, ends))
        alone = np.searchsorted(rows, [*single])
        for flag in FLAGS:
            of_shapes = np.array([getattr(one.piece, flag) for one in block.known], np.bool_)
            values = of_shapes[block.pieces.shapes[rows]]
            values[alone] = [getattr(piece, flag) for piece in single.values()]
            about[f" {flag}"] = Cells(values)
        return about

    def _repeats(self, block: Block, begins: Indexes, ends: Indexes) -> Flags:
        """Which records have the words of the one before."""
        data = block.pieces.data
        lengths = ends - begins
        may = np.zeros(len(begins), np.bool_)
        may[1:] = lengths[1:] == lengths[:-1]
        for back in range(0, 4 * WORD, WORD):
            words = block.words[np.maximum(ends - back, 0)].view("<u8")
            may[1:] &= (words[1:] == words[:-1]) | (lengths[1:] < back + WORD)
        for row in np.flatnonzero(may).tolist():
            may[row] = _words(data[begins[row] : ends[row]]) == _words(data[begins[row - 1] : ends[row - 1]])
        may[0] = _words(data[begins[0] : ends[0]]) == self.last
        self.last = _words(data[begins[-1] : ends[-1]])
        return may

    def _bars(self, block: Block, begins: Indexes, ends: Indexes) -> Indexes:
        """The number of each draw's bar."""
        lengths = ends - begins
        words: list[Words] = [lengths.astype(np.uint64)]
        for back in range(0, int(lengths.max()), WORD):
            word = block.words[np.maximum(ends - back, 0)].view("<u8")
            words.append(word & LAST[np.clip(lengths - back, 0, WORD)])
        codes, samples = codes_of(words)
        bars = [_words(block.pieces.data[begins[row] : ends[row]]) for row in samples]
        return np.array([self.bars.setdefault(bar, len(self.bars)) for bar in bars], np.int64)[codes]


def _words(text: bytes) -> bytes:
    """The words of a record, as repair shows them."""
    return text.replace(b"\t", b" ")


def taken(part: Part, rows: Indexes | Flags) -> Part:
    """Some rows of a part; the part itself if that is all of them."""
    if rows.dtype == np.bool_ and rows.all():
        return part
    columns = {
        name: cells._replace(values=cells.values[rows], known=None if cells.known is None else cells.known[rows])
        for name, cells in part.columns.items()
    }
    return Part(int(rows.sum()) if rows.dtype == np.bool_ else len(rows), columns)


def _tables(name: str, known: Sequence[Known]) -> dict[str, Table]:
    """The rules of each column of a format."""
    rules: dict[str, dict[int, Rule]] = {}
    for shape, one in enumerate(known):
        if one.piece.format == name and one.rules is not None:
            for column, rule in one.rules.items():
                rules.setdefault(column, {})[shape] = rule
    return {column: Table(of_column, len(known)) for column, of_column in rules.items()}


def _spans(block: Block, rows: Indexes, single: Mapping[int, Piece]) -> tuple[Indexes, Indexes]:
    """Where in the data the words of each record begin and end."""
    spans = np.array([one.text_bytes for one in block.known], np.int64).reshape(-1, 2)[block.pieces.shapes[rows]]
    for row, piece in single.items():
        text = block.pieces.text(row)
        spans[np.searchsorted(rows, row)] = [len(text[:at].encode()) for at in piece.text]
    starts = block.pieces.starts[rows]
    return starts + spans[:, 0], starts + spans[:, 1]
