"""Which encoding a text is in.

ASCII is the same in all encodings read here but UTF-16, and that is changed to UTF-8 on the way in. So a text is
UTF-8 until some of its lines are not; what they are instead is decided by all of them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from smianalyze.errors import UnreadableInput

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


@dataclass(slots=True)
class Utf16:
    """UTF-16 as UTF-8; half characters become visible escapes.

    Attributes:
        encoding: utf-16-le or utf-16-be.
        is_broken: Whether there were any.
    """

    encoding: str
    is_broken: bool = False

    def as_utf8(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks of a text."""
        decoder = codecs.getincrementaldecoder(self.encoding)("surrogatepass")
        for chunk in chunks:
            text = decoder.decode(chunk)
            try:
                yield text.encode()
            except UnicodeEncodeError:
                self.is_broken = True
                yield text.encode("utf-8", "backslashreplace")
        rest = bytes(decoder.getstate()[0])
        if rest:
            self.is_broken = True
            yield rest.decode("ascii", "backslashreplace").encode()


def is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@dataclass(slots=True)
class OddLines:
    """Lines that are no UTF-8.

    Attributes:
        count: How many there are.
        foreign: How many lines outside ASCII are UTF-8, perhaps by chance.
        sample: Some of their bytes.
        is_cut: Whether the last line is UTF-8 but for a character that is cut at its end.
    """

    count: int = 0
    foreign: int = 0
    sample: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    _is_odd: bool = False  # of the line so far
    _is_foreign: bool = False

    def add(self, pieces: Iterable[bytes]) -> OddLines:
        """Look at a text; a long line may come in several pieces, which part no character."""
        for piece in pieces:
            for number, part in enumerate(piece.split(b"\n")):
                if number:
                    self._end_line()
                self.is_cut = self.is_cut and not number and not part
                if not part.isascii():
                    self._add(part)
        self._end_line()
        return self

    def _add(self, part: bytes) -> None:
        self._is_foreign = True
        if not is_utf8(part):
            self.is_cut = not self._is_odd and _is_cut(part)
            self._is_odd = True
            if len(self.sample) <= SAMPLE_BYTES:
                self.sample += part + b"\n"

    def _end_line(self) -> None:
        self.count += self._is_odd
        self.foreign += self._is_foreign and not self._is_odd
        self._is_odd = self._is_foreign = False

    def other_encoding(self, *, open_end: bool) -> str:
        """Which encoding it is instead; empty for UTF-8 with some damage.

        Args:
            open_end: The last line has no end.
        """
        if self.count == 1 and open_end and self.is_cut:
            return ""
        if self.foreign >= self.count:
            return ""
        if _is_chinese(self.sample):
            return "gb18030"
        # 0x80 to 0x9f are terminal controls in Latin-1, never text.
        return "" if re.search(rb"[\x80-\x9f]", self.sample) else "latin-1"


def _is_cut(line: bytes) -> bool:
    """Whether all of it is UTF-8 but for a character that is cut at the end."""
    try:
        codecs.utf_8_decode(line, "strict", False)
    except UnicodeDecodeError:
        return False
    return True


def _is_chinese(sample: bytes | bytearray) -> bool:
    text = sample.decode("gb18030", "replace")
    foreign = re.sub(r"[\x00-\x7f]+", "", text)
    common = len(foreign.encode("gb2312", "ignore")) // 2
    return bool(re.search("[\u4e00-\u9fff]", foreign)) and common >= COMMON_CHINESE_SHARE * len(foreign)
