"""From plain bytes to lines of text: encodings, line ends, and lines that do not end.

ASCII is the same in all encodings read here but UTF-16, and that is changed to UTF-8 on the way in. So lines
are decoded as they come, those that are no UTF-8 wait as bytes, and the end decides what they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from smianalyze.errors import UnreadableInput

# What ends a line or moves the cursor. A recording of a terminal has hardly any LF: it is not long for that,
# only a stretch of text between two of these bytes can be.
_BREAK = re.compile(rb"[\n\r\x1b]")
# Where a long stretch may be cut, as a cut number is a wrong number: blanks, separators, and the first byte
# of a character outside ASCII.
_WORD_END = re.compile(rb"[\x00- ,;|\xc0-\xff]")
LONGEST_WORD_BYTES = 256  # without a word end up to here it is cut all the same
# Sequences that place the cursor or clear the screen: among these, LF and CR LF are not the same.
_CURSOR = re.compile(r"\x1b\[[0-9;]*[@A-HJLMPSTXdfr]")

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
HEAD_BYTES = 64 * 1024  # enough to tell what a file is
# ASCII in UTF-16 has a NUL in each pair, always on the same side; Chinese text between lowers the share.
UTF16_NUL_SHARE = 0.3
UTF16_WRONG_SIDE_SHARE = 0.02
# Control characters that neither logs nor terminals use. Compressed data has 10 % of them.
_ODD_CONTROLS = bytes(set(range(0x20)) - set(b"\a\b\t\n\v\f\r\x0e\x0f\x1b")) + b"\x7f"
ODD_CONTROL_SHARE = 0.05
ODD_CONTROLS_BY_DAMAGE = 4  # no more than these do not make a short text binary
# Share of GB 2312 among the characters outside ASCII: all but rare names in Chinese text, half by chance.
COMMON_CHINESE_SHARE = 0.75
SAMPLE_BYTES = 1024 * 1024  # of lines that are no UTF-8: enough to tell what else they are
# Distinct lines kept to be shared. Tables repeat their borders, and each string costs 49 bytes more.
SHARED_LINES = 4096


@dataclass(frozen=True, slots=True)
class Decoded:
    """The lines of an input, without their ends.

    Attributes:
        lines: One string a line, without surrogates.
        encoding: utf-8, utf-8-sig, utf-16-le, utf-16-be, gb18030 or latin-1.
        open_end: The last line has no end: it may be cut, and a number at its end may be incomplete.
        notes: Sentences for the user.
    """

    lines: tuple[str, ...]
    encoding: str
    open_end: bool
    notes: tuple[str, ...]


def decode(name: str, chunks: Iterable[bytes], *, line_bytes: int) -> Decoded:
    """The text of an input.

    Lines end at LF or CR LF; in a file without LF and without terminal sequences, at CR. A CR inside a line
    stays there, and so does the CR before the LF of a line that places the cursor.

    Args:
        name: Display name of the input, for messages.
        chunks: Its plain bytes; the first chunk decides whether this is text.
        line_bytes: Longer lines are cut at the next end of a word.

    Raises:
        UnreadableInput: This is not text.
    """
    chunks = iter(chunks)
    head = next(chunks, b"")
    encoding, bom = encoding_of(name, head)
    notes: list[str] = []
    chunks = chain((head.removeprefix(bom),), chunks)
    if encoding.startswith("utf-16"):
        chunks = _as_utf8(chunks, encoding, notes)
    cutter = _Cutter(line_bytes)
    lines = _Lines()
    lines.read(cutter.cut(chunks))
    if cutter.count:
        notes.append(f"Lines cut at {line_bytes:,} bytes: {cutter.count:,} ({cutter.dropped:,} bytes dropped).")
    if lines.undecoded:
        encoding = _settle(lines, encoding, notes)
    return Decoded(tuple(lines.texts), encoding, lines.open_end, tuple(notes))


def encoding_of(name: str, head: bytes) -> tuple[str, bytes]:
    """What the first bytes of an input tell: its encoding (UTF-8 until it proves wrong) and its byte order mark.

    Raises:
        UnreadableInput: This is not text.
    """
    head = head[:HEAD_BYTES]
    encoding, bom = _encoding(head)
    if _is_binary(head, encoding):
        raise UnreadableInput(f"{name} is not text; save the output of nvidia-smi or the log as plain text.")
    return encoding, bom


def _encoding(head: bytes) -> tuple[str, bytes]:
    for bom, encoding in _BOMS.items():
        if head.startswith(bom):
            return encoding, bom
    pairs = max(1, len(head) // 2)
    first, second = head[0::2].count(0) / pairs, head[1::2].count(0) / pairs
    if second >= UTF16_NUL_SHARE and first <= UTF16_WRONG_SIDE_SHARE:
        return "utf-16-le", b""
    if first >= UTF16_NUL_SHARE and second <= UTF16_WRONG_SIDE_SHARE:
        return "utf-16-be", b""
    return "utf-8", b""


def _is_binary(head: bytes, encoding: str) -> bool:
    if encoding.startswith("utf-16"):
        head = head.decode(encoding, "replace").encode()
    odd = len(head) - len(head.translate(None, _ODD_CONTROLS))
    return odd > max(ODD_CONTROLS_BY_DAMAGE, ODD_CONTROL_SHARE * len(head))


def _as_utf8(chunks: Iterable[bytes], encoding: str, notes: list[str]) -> Iterator[bytes]:
    """UTF-16 as UTF-8; half characters become visible escapes."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    broken = False
    for chunk in chunks:
        text = decoder.decode(chunk)
        try:
            yield text.encode()
        except UnicodeEncodeError:
            broken = True
            yield text.encode("utf-8", "backslashreplace")
    rest = bytes(decoder.getstate()[0])
    if broken or rest:
        notes.append("Some characters are broken or cut; their bytes are shown as escapes.")
        yield rest.decode("ascii", "backslashreplace").encode()


@dataclass(slots=True)
class _Cutter:
    """Drops what is beyond the limit of a stretch of text, without ever holding the stretch."""

    limit: int
    count: int = 0
    dropped: int = 0
    _length: int = 0  # of the stretch so far
    _cutting: bool = False

    def cut(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            for start in range(0, len(chunk), self.limit):
                yield self._piece(chunk[start : start + self.limit])

    def _piece(self, piece: bytes) -> bytes:
        """A piece is no longer than the limit: only the stretch that it continues can be too long."""
        found = _BREAK.search(piece)
        end = found.start() if found else len(piece)
        kept = self._kept(piece, end)
        self.dropped += end - kept
        if found:
            self._cutting = False
            self._length = len(piece) - 1 - max(map(piece.rfind, (b"\n", b"\r", b"\x1b")))
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


@dataclass(slots=True)
class _Lines:
    """The lines so far; those that are no UTF-8 stand in ``undecoded`` by their index, empty in ``texts``."""

    texts: list[str] = field(default_factory=list)
    undecoded: dict[int, bytes] = field(default_factory=dict)
    open_end: bool = False
    _paints: bool = False
    _shared: dict[str, str] = field(default_factory=dict)

    def read(self, chunks: Iterable[bytes]) -> None:
        pending = bytearray()
        for chunk in chunks:
            end = chunk.rfind(b"\n") + 1
            if end:
                self._add(bytes(pending) + chunk[: end - 1])
                pending = bytearray(chunk[end:])
            else:
                pending += chunk
        if not pending:
            return
        if not self.texts and b"\r" in pending and b"\x1b" not in pending:
            pending = pending.replace(b"\r", b"\n")
        self.open_end = not pending.endswith(b"\n")
        self._add(bytes(pending.removesuffix(b"\n")))

    def _add(self, block: bytes) -> None:
        try:
            new = block.decode().split("\n")
        except UnicodeDecodeError:
            new = [self._decoded(line, at) for at, line in enumerate(block.split(b"\n"), len(self.texts))]
        if b"\r" in block:
            new = [self.without_cr(line) for line in new]
        if len(self._shared) > SHARED_LINES:
            self._shared.clear()
        self.texts.extend(map(self._shared.setdefault, new, new))

    def without_cr(self, line: str) -> str:
        """The line without the CRs of its end (``script`` in a remote shell leaves two).

        From the first sequence on that places the cursor, a CR places it too and stays.
        """
        self._paints = self._paints or ("\x1b" in line and bool(_CURSOR.search(line)))
        return line if self._paints else line.rstrip("\r")

    def _decoded(self, line: bytes, at: int) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            self.undecoded[at] = line
            return ""


def _settle(lines: _Lines, encoding: str, notes: list[str]) -> str:
    """Decode the lines that are no UTF-8, tell the user, and return the encoding that the input has."""
    other = "" if encoding == "utf-8-sig" else _other_encoding(lines)
    if other:
        notes.append(f"This is no UTF-8; read as {other}, so letters outside ASCII may be wrong.")
        for at, text in enumerate(lines.texts):
            if not text.isascii():  # UTF-8 by chance
                lines.undecoded[at] = text.encode()
    else:
        notes.append(f"Lines with bytes that are no UTF-8: {len(lines.undecoded):,}; shown as escapes.")
    for at, raw in lines.undecoded.items():
        lines.texts[at] = lines.without_cr(raw.decode(other or "utf-8", "backslashreplace"))
    return other or encoding


def _other_encoding(lines: _Lines) -> str:
    """Which encoding it is instead; empty for UTF-8 with some damage."""
    last = lines.undecoded.get(len(lines.texts) - 1)
    if len(lines.undecoded) == 1 and lines.open_end and last and _is_cut(last):
        return ""
    if sum(not text.isascii() for text in lines.texts) >= len(lines.undecoded):
        return ""
    sample = _sample(lines.undecoded.values())
    if _is_chinese(sample):
        return "gb18030"
    # 0x80 to 0x9f are terminal controls in Latin-1, never text.
    return "" if re.search(rb"[\x80-\x9f]", sample) else "latin-1"


def _is_cut(line: bytes) -> bool:
    """Whether all of it is UTF-8 but for a character that is cut at the end."""
    try:
        codecs.utf_8_decode(line, "strict", False)
    except UnicodeDecodeError:
        return False
    return True


def _sample(lines: Iterable[bytes]) -> bytes:
    sample = bytearray()
    for line in lines:
        sample += line + b"\n"
        if len(sample) > SAMPLE_BYTES:
            break
    return bytes(sample)


def _is_chinese(sample: bytes) -> bool:
    text = sample.decode("gb18030", "replace")
    foreign = re.sub(r"[\x00-\x7f]+", "", text)
    common = len(foreign.encode("gb2312", "ignore")) // 2
    return bool(re.search("[\u4e00-\u9fff]", foreign)) and common >= COMMON_CHINESE_SHARE * len(foreign)
