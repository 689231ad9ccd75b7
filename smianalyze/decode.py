"""From plain bytes to blocks of lines in clean UTF-8: encodings, line ends, and lines that do not end.

A text is gone through once to see what it is, and again each time that somebody reads it, so that no more of it
than a block is held.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from smianalyze.charsets import OddLines, Utf16, encoding_of, is_utf8
from smianalyze.long_lines import Cutter

PIECE_BYTES = 64 * 1024  # what is looked at at a time: it stays in the cache of a core
BLOCK_BYTES = 8 * 1024 * 1024  # of lines that are read at a time: more costs memory, less costs time
# Sequences that place the cursor or clear the screen: among these, LF and CR LF are not the same.
_CURSOR = re.compile(rb"\x1b\[[0-9;]*[@A-HJLMPSTXdfr]")
_CRS_BEFORE_LF = re.compile(rb"(?<!\r)\r++\n")  # script in a remote shell leaves two


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text that can be read again and again.

    Lines end at LF or CR LF; in a file without LF and without terminal sequences, at CR. A CR inside a line
    stays there, and so does the CR before the LF of a line that places the cursor.

    Attributes:
        encoding: utf-8, utf-8-sig, utf-16-le, utf-16-be, gb18030 or latin-1.
        open_end: The last line has no end: it may be cut, and a number at its end may be incomplete.
        has_escapes: Whether it holds an escape, as recordings of terminals and coloured logs do.
        notes: Sentences for the user.
    """

    encoding: str
    open_end: bool
    has_escapes: bool
    notes: tuple[str, ...]
    _stored: _Stored = field(repr=False)
    _coding: str = field(repr=False)
    _ends_at_cr: bool = field(repr=False)
    _is_clean: bool = field(repr=False)

    def pieces(self) -> Iterator[bytes]:
        """All of it in clean UTF-8, piece by piece; where a line is very long, a piece ends inside of it."""
        return self._cleaned(PIECE_BYTES, _between_characters)

    def blocks(self) -> Iterator[list[bytes]]:
        """The same in blocks of whole lines, each as its pieces: who joins them may put something before."""
        place = _behind_last_cr if self._ends_at_cr else _behind_last_lf
        pieces = self._stored.chunks([]) if self._is_clean else self._cleaned(PIECE_BYTES, place)
        begun: list[bytes] = []
        return iter(lambda: _taken(pieces, begun, BLOCK_BYTES), [])

    def _cleaned(self, size: int, place: Callable[[bytes], int]) -> Iterator[bytes]:
        pieces = _grouped(self._stored.chunks([]), size, place)
        if self._is_clean:
            yield from pieces
            return
        cleaner = _Cleaner(self._coding, self._ends_at_cr)
        last = next(pieces)
        for piece in pieces:
            yield cleaner.clean(last)
            last = piece
        yield cleaner.clean(last, is_last=True)


def lines_of(block: bytes) -> list[str]:
    """The lines of a block, without their ends."""
    return block.decode().removesuffix("\n").split("\n") if block else []


def decode(name: str, chunks: Iterable[bytes], *, line_bytes: int) -> Decoded:
    """The text of an input.

    Args:
        name: Display name of the input, for messages.
        chunks: Its plain bytes, as often as they are asked for; the first chunk decides whether this is text.
        line_bytes: Longer lines are cut at the next end of a word.

    Raises:
        UnreadableInput: This is not text.
    """
    rest = iter(chunks)
    head = next(rest, b"")
    encoding, bom = encoding_of(name, head)
    notes: list[str] = []
    seen = _Seen().add(_Stored(chain((head,), rest), encoding, bom, line_bytes).chunks(notes))
    stored = _Stored(chunks, encoding, bom, line_bytes)
    coding = "utf-8"
    if not seen.is_utf8:
        coding = _settled(stored, seen, notes)
        encoding = encoding if coding == "utf-8" else coding
    return Decoded(
        encoding, seen.open_end, seen.has_escapes, tuple(notes), stored, coding, seen.ends_at_cr, seen.is_clean
    )


def _settled(stored: _Stored, seen: _Seen, notes: list[str]) -> str:
    """The encoding of a text that is no UTF-8, or not all of it; the user is told."""
    pieces = _grouped(stored.chunks([]), PIECE_BYTES, _between_characters)
    odd = OddLines().add(piece.replace(b"\r", b"\n") if seen.ends_at_cr else piece for piece in pieces)
    other = "" if stored.encoding == "utf-8-sig" else odd.other_encoding(open_end=seen.open_end)
    if other:
        notes.append(f"This is no UTF-8; read as {other}, so letters outside ASCII may be wrong.")
    else:
        notes.append(f"Lines with bytes that are no UTF-8: {odd.count:,}; shown as escapes.")
    return other or "utf-8"


@dataclass(frozen=True, slots=True)
class _Stored:
    """A text as it is stored, but UTF-16 is UTF-8, and what is too long is dropped."""

    plain: Iterable[bytes]
    encoding: str
    bom: bytes
    line_bytes: int

    def chunks(self, notes: list[str]) -> Iterator[bytes]:
        """The text in chunks that may part anything; sentences are appended for what was changed."""
        rest = iter(self.plain)
        chunks: Iterator[bytes] = chain((next(rest, b"").removeprefix(self.bom),), rest)
        utf16 = Utf16(self.encoding)
        if self.encoding.startswith("utf-16"):
            chunks = utf16.as_utf8(chunks)
        cutter = Cutter(self.line_bytes)
        yield from cutter.cut(chunks)
        if utf16.is_broken:
            notes.append("Some characters are broken or cut; their bytes are shown as escapes.")
        if cutter.count:
            cut = f"{cutter.count:,} ({cutter.dropped:,} bytes dropped)"
            notes.append(f"Lines cut at {self.line_bytes:,} bytes: {cut}.")


def _grouped(chunks: Iterable[bytes], size: int, place: Callable[[bytes], int]) -> Iterator[bytes]:
    """Pieces of at least so many bytes, each up to a place in a chunk (0: nowhere); the last one is the rest."""
    held: list[bytes] = []
    held_bytes = 0
    for chunk in chunks:
        end = place(chunk)
        if end and held_bytes + end >= size:
            yield b"".join((*held, chunk[:end]))
            held, held_bytes = [], 0
        else:
            end = 0
        held.append(chunk[end:])
        held_bytes += len(held[-1])
    yield b"".join(held)


def _taken(pieces: Iterator[bytes], begun: list[bytes], size: int) -> list[bytes]:
    """The next pieces, up to the end of a line in the one that makes them so many bytes; nobody else holds them.

    Args:
        pieces: Of a text in clean UTF-8 with LF.
        begun: What is left of the piece before, and then of the last one.
        size: How many bytes.
    """
    taken = [*begun]
    begun.clear()
    size -= sum(map(len, taken))
    for piece in pieces:
        size -= len(piece)
        end = _behind_last_lf(piece) if size <= 0 else 0
        taken.append(piece[: end or None])
        if end:
            begun.append(piece[end:])
            break
    return [*filter(None, taken)]


def _behind_last_lf(chunk: bytes) -> int:
    return chunk.rfind(b"\n") + 1


def _behind_last_cr(chunk: bytes) -> int:
    return chunk.rfind(b"\r") + 1


def _between_characters(chunk: bytes) -> int:
    """A place that parts no character, no sequence and no line end: before CRs, if there is no better one."""
    if end := _behind_last_lf(chunk):
        return end
    return max(0, chunk.rfind(b"\x1b")) or len(chunk[: _behind_last_cr(chunk)].rstrip(b"\r"))


@dataclass(slots=True)
class _Seen:
    """What a text is, as far as it was seen."""

    is_utf8: bool = True
    has_escapes: bool = False
    _has_lf: bool = False
    _has_cr: bool = False
    _last: bytes = b""

    def add(self, chunks: Iterable[bytes]) -> _Seen:
        decoder = codecs.getincrementaldecoder("utf-8")()
        begun = False  # a character
        for chunk in chunks:
            if self.is_utf8 and (begun or not chunk.isascii()):
                begun = self._decode(decoder, chunk)
            self.has_escapes = self.has_escapes or b"\x1b" in chunk
            self._has_lf = self._has_lf or b"\n" in chunk
            self._has_cr = self._has_cr or b"\r" in chunk
            self._last = chunk[-1:] or self._last
        self.is_utf8 = self.is_utf8 and not begun
        return self

    def _decode(self, decoder: codecs.IncrementalDecoder, chunk: bytes) -> bool:
        """Whether a character is begun at the end of a chunk."""
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError:
            self.is_utf8 = False
        return bool(decoder.getstate()[0])

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to decode, and no line end but LF."""
        return self.is_utf8 and not self._has_cr and not self.has_escapes

    @property
    def ends_at_cr(self) -> bool:
        return self._has_cr and not self._has_lf and not self.has_escapes

    @property
    def open_end(self) -> bool:
        return self._last not in (b"", b"\r" if self.ends_at_cr else b"\n")


@dataclass(slots=True)
class _Cleaner:
    """Makes the pieces of a text, one after the other, clean UTF-8 with LF."""

    coding: str
    ends_at_cr: bool
    paints: bool = False

    def clean(self, piece: bytes, *, is_last: bool = False) -> bytes:
        if not piece.isascii() and (self.coding != "utf-8" or not is_utf8(piece)):
            piece = piece.decode(self.coding, "backslashreplace").encode()
        if self.ends_at_cr:
            return piece.replace(b"\r", b"\n")
        if self.paints or not (b"\r" in piece or b"\x1b" in piece):
            return piece
        return self._without_cr(piece, is_last=is_last)

    def _without_cr(self, piece: bytes, *, is_last: bool) -> bytes:
        """Without the CRs of line ends; from the first line on that places the cursor, a CR places it too."""
        cursor = _CURSOR.search(piece) if b"\x1b" in piece else None
        self.paints = cursor is not None
        end = piece.rfind(b"\n", 0, cursor.start()) + 1 if cursor else len(piece)
        plain = _without_crs_before_lf(piece[:end])
        if cursor:
            return plain + piece[end:]
        shown = plain.rstrip(b"\r") if is_last else b""
        return shown if _behind_last_lf(shown) < len(shown) else plain


def _without_crs_before_lf(text: bytes) -> bytes:
    """Line ends as LF; the pattern is slow where a bar is redrawn by many CRs."""
    if not _ends_lines_with_cr(text):
        return text
    return _CRS_BEFORE_LF.sub(b"\n", text) if b"\r\r\n" in text else text.replace(b"\r\n", b"\n")


def _ends_lines_with_cr(text: bytes) -> bool:
    """Whether a CR stands before an LF; a plain search would stop at each CR."""
    letters = np.frombuffer(text, np.uint8)
    behind = [
        start + 1 + np.flatnonzero(letters[start : start + PIECE_BYTES] == ord("\r"))
        for start in range(0, len(letters), PIECE_BYTES)
    ]
    return any((letters[places[places < len(letters)]] == ord("\n")).any() for places in behind)
