"""Pieces of blocks of a log by shape: a piece of a known shape is never asked about twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from smianalyze.log_pieces import Piece, deciding_digits, piece_of
from smianalyze.log_rules import Rule, rule_of
from smianalyze.shapes import CHUNK_BYTES, Indexes, with_zeros

MAX_KNOWN = 200_000  # pieces that are told apart; text of ever new ones must not fill the memory
MAX_SHAPES = 8_192  # of records
MAX_CELLS = 1_000_000
"""Shapes of records times columns of any of them, as each column is laid out by shape: a usual log has 100,000."""
LONGEST = 4_096  # bytes of a piece that is remembered
MAX_DECIDING = 12  # digits of the keys in one
SINGLY = 0
"""Shape of pieces that are read one by one."""
_AS_ZERO = bytes.maketrans(b"abcdef", b"000000")
_ZEROS = re.compile(rb"00000000+")
_OF_NUMBERS = b"0e"
"""What a number in hexadecimal may be that is one in decimal too."""
_NEW = -1


class Known(NamedTuple):
    """What is known of a shape.

    Attributes:
        piece: What a piece of it says.
        rules: How the values of its columns are read; None where each piece of it is read on its own.
        text_bytes: Start and end of its words; of a bar its description.
        deciding: Offsets of the digits that decide what it says: it then stands for several shapes.
    """

    piece: Piece
    rules: dict[str, Rule] | None = None
    deciding: tuple[int, ...] = ()
    text_bytes: tuple[int, int] = (0, 0)

    @property
    def is_read_singly(self) -> bool:
        """Whether each piece is read on its own."""
        return not self.piece.is_sure or (bool(self.piece.format) and self.rules is None)


class Pieces(NamedTuple):
    """The pieces of a block.

    Attributes:
        data: Its bytes.
        starts: Where each begins, and the end of the block.
        shapes: The shape of each.
        lines: Line of each, from 0.
        line_count: Number of lines.
    """

    data: bytes
    starts: Indexes
    shapes: Indexes
    lines: Indexes
    line_count: int

    def text(self, at: int) -> str:
        """One piece without its end."""
        return self.data[self.starts[at] : self.starts[at + 1] - 1].decode()


class _Numbers(dict[bytes, int]):
    """The shape of each masked piece that is known."""

    def __missing__(self, masked: bytes) -> int:
        return _NEW


class Shapes:
    """All shapes of a log that were met, from block to block.

    Attributes:
        known: What is known of each, by its number.
        descriptions: How often a piece was described.
    """

    def __init__(self) -> None:
        """Begin."""
        self.descriptions = 0
        self.forget()

    @property
    def are_too_many(self) -> bool:
        """Whether their columns would take too much memory and time."""
        return len(self.known) * len(self._columns) > MAX_CELLS

    def forget(self) -> None:
        """Begin again."""
        self._columns: set[str] = set()
        self._each: dict[str, npt.NDArray[np.generic]] = {}
        self.known = [Known(Piece(is_sure=False))]
        self._numbers, self._of_hashes = _Numbers(), _Numbers()
        self._of_others: dict[object, int] = {}
        self._of_keys: dict[tuple[int, int], int] = {}

    def read(self, data: bytes) -> Pieces:
        """The pieces of a block of whole lines, in UTF-8."""
        if len(self._numbers) + len(self._of_hashes) > MAX_KNOWN or len(self.known) > MAX_SHAPES:
            self.forget()
        ends, found = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for start, masked in _masked(data):
            pieces = masked[:-1].split(b"\n")
            ends.append(start + 1 + np.flatnonzero(np.frombuffer(masked, np.uint8) == ord("\n")))
            found.append(np.fromiter(map(self._numbers.__getitem__, pieces), np.int64, len(pieces)))
            new = np.flatnonzero(found[-1] == _NEW)
            if len(new):  # of many, the hashes are looked for together
                plain = _without_hashes(b"\n".join(pieces[at] for at in new.tolist())).split(b"\n")
                found[-1][new] = np.fromiter(map(self._of_hashes.__getitem__, plain), np.int64, len(new))
            for at in new[found[-1][new] == _NEW].tolist():
                end = int(ends[-1][at]) - 1
                found[-1][at] = self._number(pieces[at], data[end - len(pieces[at]) : end])
        starts = np.concatenate(ends)
        is_end = np.frombuffer(data, np.uint8)[starts[1:] - 1] == ord("\n")
        lines = np.cumsum(is_end) - is_end
        pieces_of_block = Pieces(data, starts, np.concatenate(found), lines, int(is_end.sum()))
        self._tell_by_keys(pieces_of_block)
        return pieces_of_block

    def each(self, attribute: str) -> npt.NDArray[np.generic]:
        """What is known of each shape, such as ``piece.reach``; made for the shapes that are new only."""
        found = self._each.get(attribute)
        of_new = [*map(attrgetter(attribute), self.known[0 if found is None else len(found) :])]
        if of_new:
            found = np.array(of_new) if found is None else np.concatenate([found, np.array(of_new)])
            self._each[attribute] = found
        return self._each[attribute]

    def describe(self, text: str) -> Piece:
        """What a piece says."""
        self.descriptions += 1
        return piece_of(text)

    def _number(self, masked: bytes, raw: bytes) -> int:
        """The shape of a piece that is new."""
        known = self._numbers.get(masked)
        if known is not None:
            return known
        if self.are_too_many:
            return SINGLY
        text = raw.decode()
        deciding = deciding_digits(text)
        number = self._told_by_keys(text, deciding) if deciding else self._added(self.describe(text), text)
        if len(masked) <= LONGEST:
            self._numbers[masked] = number
            if not self.known[number].piece.may_be_record and (plain := _without_hashes(masked)) != masked:
                self._of_hashes[plain] = number  # in a record they may decide what it says
        return number

    def _told_by_keys(self, text: str, deciding: Sequence[int]) -> int:
        """A shape that stands for several: what each of them says is found with its first piece."""
        if len(self.known) > MAX_SHAPES or len(deciding) > MAX_DECIDING:
            return SINGLY
        places = tuple(len(text[:at].encode()) for at in deciding)
        return self._append(Known(Piece(may_be_record=True), deciding=places))

    def _added(self, piece: Piece, text: str) -> int:
        if piece.is_of_others:
            about = piece.about()
            if about not in self._of_others:
                self._of_others[about] = self._append(Known(piece))
            return self._of_others[about]
        return SINGLY if len(self.known) > MAX_SHAPES else self._append(_known(piece, text))

    def _append(self, known: Known) -> int:
        self.known.append(known)
        self._columns.update(known.rules or ())
        return len(self.known) - 1

    def _tell_by_keys(self, pieces: Pieces) -> None:
        """Give their own shape to the pieces whose keys hold digits."""
        counts = np.array([len(known.deciding) for known in self.known], np.int64)
        of_pieces = counts.take(pieces.shapes)
        for count in np.flatnonzero(np.bincount(of_pieces)[1:]) + 1:
            self._tell(pieces, np.flatnonzero(of_pieces == count), int(count))

    def _tell(self, pieces: Pieces, rows: Indexes, count: int) -> None:
        having = [shape for shape, known in enumerate(self.known) if len(known.deciding) == count]
        places = np.zeros((len(self.known), count), np.int64)
        places[having] = [self.known[shape].deciding for shape in having]
        shapes = pieces.shapes[rows]
        digits = np.frombuffer(pieces.data, np.uint8)[pieces.starts[rows][:, None] + places[shapes]] - ord("0")
        keys = digits.astype(np.int64) @ 10 ** np.arange(count)
        codes = pd.factorize(shapes * 10**count + keys)[0]
        first = np.unique(codes, return_index=True)[1]
        own = [self._own(int(shapes[at]), int(keys[at]), pieces.text(int(rows[at]))) for at in first]
        pieces.shapes[rows] = np.array(own, np.int64)[codes]

    def _own(self, shape: int, keys: int, text: str) -> int:
        number = self._of_keys.get((shape, keys))
        if number is None:
            piece = self.describe(text)
            number = SINGLY if len(self.known) > MAX_SHAPES else self._append(_known(piece, text))
            self._of_keys[shape, keys] = number
        return number


def _without_hashes(masked: bytes) -> bytes:
    """Pieces with one zero for each hash; no word that a format knows is one."""
    kept: list[bytes] = []
    last = 0
    for run in _ZEROS.finditer(masked.translate(_AS_ZERO)):
        start, end = run.span()
        if masked[start:end].strip(_OF_NUMBERS):
            kept += (masked[last:start], b"0")
            last = end
    return b"".join((*kept, masked[last:]))


def _known(piece: Piece, text: str) -> Known:
    rules = {name: rule_of(said, text) for name, said in piece.row.items()}
    known = {name: rule for name, rule in rules.items() if rule is not None}
    start, end = (len(text[:at].encode()) for at in piece.text)
    return Known(piece, known if len(known) == len(rules) else None, text_bytes=(start, end))


def _masked(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Where one chunk of lines after the other begins, and its pieces as lines with zeros for digits."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + CHUNK_BYTES) + 1 or data.find(b"\n", start) + 1 or len(data)
        masked = with_zeros(data[start:end])
        yield start, masked.replace(b"\r", b"\n") if b"\r" in masked else masked
        start = end
