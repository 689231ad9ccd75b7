"""The bytes of an input, redacted line by line: encoding, line ends and everything that is not replaced stay."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import chain

from smianalyze.charsets import encoding_of
from smianalyze.redaction.painted_text import holds_sequences, redacted_between, redacted_json
from smianalyze.redaction.redactor import Redactor
from smianalyze.source import Source
from smianalyze.terminal.containers import CAST_START

LONGEST_LINE = 1024 * 1024  # characters that are redacted at a time; a recording of a terminal has hardly any LF
_HALF = re.compile(r"[\ud800-\udfff]")
_RAW = re.compile(r"[\udc80-\udcff]")
_WORD_ENDS = "\x1b ,"  # where a longer line may be parted


def redacted(source: Source, redactor: Redactor, notes: list[str]) -> Iterator[bytes]:
    """The input as it was stored, but unpacked and redacted, in chunks.

    Args:
        source: The input.
        redactor: Replaces what is private.
        notes: A sentence is appended for what was unpacked or left out.

    Raises:
        UnreadableInput: It cannot be read or is not text.
    """
    coding, chunks = _opened(source, notes)
    yield coding.bom
    yield from map(coding.encoded, _pieces(coding, chunks, redactor))
    yield coding.rest()


def redacted_text(source: Source, redactor: Redactor, notes: list[str]) -> Iterator[str]:
    """The same as text, in pieces that end where lines do."""
    return _pieces(*_opened(source, notes), redactor)


def _opened(source: Source, notes: list[str]) -> tuple[_Coding, Iterator[bytes]]:
    chunks = source.plain(notes)
    head = next(chunks, b"")
    encoding, bom = encoding_of(source.name, head)
    return _Coding(encoding, bom), chain((head.removeprefix(bom),), chunks)


def _pieces(coding: _Coding, chunks: Iterator[bytes], redactor: Redactor) -> Iterator[str]:
    redactor.begin()
    text = _Text(lambda line: redactor.line(coding.one_way(line)))
    for chunk in chunks:
        yield text.redacted(coding.decoded(chunk))
    yield text.redacted(coding.decoded(b"", is_last=True)) + text.rest()


class _Coding:
    """Bytes as text and back, without any loss: what is no UTF-8 passes as it is."""

    def __init__(self, encoding: str, bom: bytes) -> None:
        self.bom = bom
        is_utf16 = encoding.startswith("utf-16")
        self._is_utf16 = is_utf16
        self._encoding = encoding if is_utf16 else "utf-8"
        self._errors = "surrogatepass" if is_utf16 else "surrogateescape"
        self._decoder = codecs.getincrementaldecoder(self._encoding)(self._errors)

    def decoded(self, chunk: bytes, *, is_last: bool = False) -> str:
        """The text of a chunk, without a character that is not complete yet."""
        return self._decoder.decode(chunk, is_last and not self._is_utf16)

    def rest(self) -> bytes:
        """Half a character of UTF-16 at the end of an input that is cut."""
        return bytes(self._decoder.getstate()[0]) if self._is_utf16 else b""

    def one_way(self, line: str) -> str:
        """The line read in one way: where a byte is no UTF-8, each of them is a cell, as in GB 18030."""
        if self._is_utf16:  # half characters mean what is hidden, see pseudonyms
            return _HALF.sub("\ufffd", line)
        if line.isascii() or not _RAW.search(line):
            return line
        return line.encode("utf-8", self._errors).decode("ascii", self._errors)

    def encoded(self, text: str) -> bytes:
        """The bytes of a text."""
        return text.encode(self._encoding, self._errors)


class _Text:
    """Cuts a text into lines and redacts each."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._pending = ""
        self._is_first = True
        self._is_cast = False

    def redacted(self, chunk: str) -> str:
        """All lines that have ended."""
        text = self._pending + chunk
        if self._is_first and text:
            self._is_cast = text.startswith(CAST_START)
            self._is_first = len(text) < len(CAST_START)
        end = text.rfind("\n") + 1
        if not end and len(text) > LONGEST_LINE:
            end = max(text.rfind(mark, 0, LONGEST_LINE) for mark in _WORD_ENDS)
            end = end if end > 0 else LONGEST_LINE
        self._pending = text[end:]
        return "\n".join(map(self._line, text[:end].split("\n")))

    def rest(self) -> str:
        """The last line, which has no end."""
        return self._line(self._pending)

    def _line(self, line: str) -> str:
        if self._is_cast:
            return redacted_json(line, self._redact)
        return redacted_between(line, self._redact) if holds_sequences(line) else self._redact(line)
