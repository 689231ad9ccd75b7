"""Records that were found in blocks of a log, as columns, before it is known which of them count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.frame_parts import Part, joined, part_of
from smianalyze.log_pieces import BARS, Piece
from smianalyze.log_rules import Rule, Table
from smianalyze.log_shapes import Known, Pieces, Shapes
from smianalyze.log_values import At, column_of
from smianalyze.offsets import LAST, Cells, Words, codes_of
from smianalyze.shapes import WORD, Flags, Indexes

STEPS = "steps"
LINE, PLACE, REPEATS, BAR = "line", " place", " repeats", " bar"
"""Line of a record, its number among all pieces that are not blank, whether it says what the one before says, and
the number of a bar; the last three are no columns of a frame."""
FLAGS = ("shows_metric", "is_source", "may_count", "has_label", "is_double")
"""What is known of a draw, besides its columns."""
_TABS = np.uint64(0x0101010101010101 * ord("\t"))
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)


@dataclass(frozen=True, slots=True)
class Block:
    """The pieces of a block with what is known of them.

    Attributes:
        pieces: They.
        shapes: What is known of each shape.
        words: The eight bytes before each place.
        places: Number of each piece among all of the input that are not blank.
        first_line: How many lines stand before the block.
    """

    pieces: Pieces
    shapes: Shapes
    words: npt.NDArray[np.void]
    places: Indexes
    first_line: int

    def at(self, rows: Indexes) -> At:
        """Some of the pieces."""
        return At(self.pieces.data, self.words, self.pieces.starts[rows], self.pieces.shapes[rows])


class Found(NamedTuple):
    """Records of a block: their places among the pieces, and their values."""

    rows: Indexes
    part: Part


@dataclass(slots=True)
class Collector:
    """Collects the records of one format.

    Attributes:
        name: The format.
        columns: Names of its columns, in the order in which they came.
        rows: Which of all records are its own, block by block.
        bars: Number of each bar by its description.
        last: What the last record says, in its words.
    """

    name: str
    columns: dict[str, None] = field(default_factory=dict)
    rows: list[Indexes] = field(default_factory=list)
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
        self._learn(block.shapes.known)
        at = block.at(rows)
        columns: dict[str, Cells] = {}
        unsure = np.zeros(len(rows), np.bool_)
        for name, table in self._tables.items():
            if at.field(table, "kind").any():
                columns[name], doubtful = column_of(at, table)
                unsure |= False if doubtful is None else doubtful
        return Part(len(rows), columns), unsure

    def _learn(self, known: Sequence[Known]) -> None:
        """Lay out the rules of the shapes that are new."""
        if known is not self._known:
            self._tables, self._known, self._count = {}, known, 0
        rules: dict[str, dict[int, Rule]] = {column: {} for column in self._tables}
        for shape, one in enumerate(known[self._count :], self._count):
            if one.piece.format == self.name and one.rules is not None:
                for column, rule in one.rules.items():
                    rules.setdefault(column, {})[shape] = rule
        self._count = len(known)
        for column, of_column in rules.items():
            self._tables.setdefault(column, Table()).add(of_column, len(known))

    def found(self, block: Block, rows: Indexes, part: Part, single: Mapping[int, Piece]) -> Found:
        """The records of a block.

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
            self.columns |= dict.fromkeys(part.columns)
        return Found(rows, part)

    def _about(self, block: Block, rows: Indexes, single: Mapping[int, Piece]) -> dict[str, Cells]:
        """Where records stand, and what tells them apart."""
        begins, ends = _spans(block, rows, single)
        about = {
            LINE: Cells(block.first_line + 1 + block.pieces.lines[rows]),
            PLACE: Cells(block.places[rows].astype(np.int32)),
        }
        if self.name != BARS:
            return about | {REPEATS: Cells(self._repeats(block, begins, ends))}
        about[BAR] = Cells(self._bars(block, begins, ends).astype(np.int32))
        alone = np.searchsorted(rows, [*single])
        for flag in FLAGS:
            values = block.shapes.each(f"piece.{flag}")[block.pieces.shapes[rows]]
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
            words = _with_blanks(block.words[np.maximum(ends - back, 0)].view("<u8"))
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
            word = _with_blanks(block.words[np.maximum(ends - back, 0)].view("<u8"))
            words.append(word & LAST[np.clip(lengths - back, 0, WORD)])
        codes, samples = codes_of(words)
        bars = [_words(block.pieces.data[begins[row] : ends[row]]) for row in samples]
        return np.array([self.bars.setdefault(bar, len(self.bars)) for bar in bars], np.int64)[codes]


def _words(text: bytes) -> bytes:
    """The words of a record, as repair shows them."""
    return text.replace(b"\t", b" ")


def _with_blanks(words: Words) -> Words:
    """Words with blanks for tabs, all eight bytes at once: what differs from a tab in no bit is one."""
    others = words ^ _TABS
    is_tab = ~(((others & _LOW_BITS) + _LOW_BITS) | others | _LOW_BITS)
    return words + (is_tab >> np.uint64(7)) * np.uint64(ord(" ") - ord("\t"))


def taken(part: Part, rows: Indexes | Flags) -> Part:
    """Some rows of a part; the part itself if that is all of them."""
    if rows.dtype == np.bool_ and rows.all():
        return part
    columns = {
        name: cells._replace(values=cells.values[rows], known=None if cells.known is None else cells.known[rows])
        for name, cells in part.columns.items()
    }
    return Part(int(rows.sum()) if rows.dtype == np.bool_ else len(rows), columns)


def _spans(block: Block, rows: Indexes, single: Mapping[int, Piece]) -> tuple[Indexes, Indexes]:
    """Where in the data the words of each record begin and end."""
    spans = block.shapes.each("text_bytes")[block.pieces.shapes[rows]].astype(np.int64)
    for row, piece in single.items():
        text = block.pieces.text(row)
        spans[np.searchsorted(rows, row)] = [len(text[:at].encode()) for at in piece.text]
    starts = block.pieces.starts[rows]
    return starts + spans[:, 0], starts + spans[:, 1]
