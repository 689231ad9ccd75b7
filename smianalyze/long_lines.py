"""Lines that do not end: what is beyond the limit of a stretch of text is dropped, without holding the stretch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# What ends a line or moves the cursor. A recording of a terminal has hardly any LF: it is not long for that,
# only a stretch of text between two of these bytes can be.
_BREAK = re.compile(rb"[\n\r\x1b]")
# Where a long stretch may be cut, as a cut number is a wrong number: blanks, separators, and the first byte
# of a character outside ASCII.
_WORD_END = re.compile(rb"[\x00- ,;|\xc0-\xff]")
LONGEST_WORD_BYTES = 256  # without a word end up to here it is cut all the same


@dataclass(slots=True)
class Cutter:
    """Cuts the long stretches of one text.

    Attributes:
        limit: Longest stretch in bytes; it is cut at the next end of a word.
        count: How many were cut.
        dropped: Bytes that were dropped.
    """

    limit: int
    count: int = 0
    dropped: int = 0
    _length: int = 0  # of the stretch so far
    _cutting: bool = False

    def cut(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks without what is too long."""
        for chunk in chunks:
            if self._is_short(chunk):
                self._length = _behind_last_break(chunk)
                yield chunk
                continue
            for start in range(0, len(chunk), self.limit):
                yield self._piece(chunk[start : start + self.limit])

    def _is_short(self, chunk: bytes) -> bool:
        """Whether no line of a chunk can be too long, which a line end in each stretch of half the limit tells."""
        if self._cutting or self._length + chunk.find(b"\n") > self.limit:
            return False
        stretch = max(self.limit // 2, 1)
        return all(chunk.find(b"\n", start, start + stretch) >= 0 for start in range(0, len(chunk), stretch))

    def _piece(self, piece: bytes) -> bytes:
        """A piece is no longer than the limit: only the stretch that it continues can be too long."""
        found = _BREAK.search(piece)
        end = found.start() if found else len(piece)
        kept = self._kept(piece, end)
        self.dropped += end - kept
        if found:
            self._cutting = False
            self._length = _behind_last_break(piece)
        else:
            self._length += kept
        return piece if kept == end else piece[:kept] + piece[end:]

    def _kept(self, piece: bytes, end: int) -> int:
        """How much of piece[:end], the rest of a stretch, stays."""
        if self._cutting:
            return 0
        room = self.limit - self._length
        last = room + LONGEST_WORD_BYTES
        found = _WORD_END.search(piece, max(0, room), min(end, last))
        if not found and end <= last:
            return end  # nothing is too long yet, or the word may end in the next piece
        self._cutting = True
        self.count += 1
        return found.start() if found else last


def _behind_last_break(piece: bytes) -> int:
    """How many bytes are begun of a stretch."""
    line = piece.rfind(b"\n")
    return len(piece) - 1 - max(line, piece.rfind(b"\r", line + 1), piece.rfind(b"\x1b", line + 1))
