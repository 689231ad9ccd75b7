"""Text between terminal sequences: words are replaced as if the sequences were not there, and those stay.

A colour does not end a word, a move of the cursor does. In an asciicast the text stands in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from smianalyze.redaction.pseudonyms import cells
from smianalyze.terminal.replay import TEXT, TOKEN

_NO_MOVE = re.compile(r"\x1b\[[0-9;:]{0,64}m|\x1b[()][0-~]|[\x07\x0e\x0f]")
_TITLE = re.compile(r"(\x1b[\]PX^_])([^\x07\x1b\n]+)")
_JSON_SIGN = re.compile(
    r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL
)
_NO_SIGN = "\ufffd"  # half a pair that makes one character
_JSON_SHORT = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\b": "\b", "\\f": "\f"}
_SIGNS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Redact = Callable[[str], str]


def holds_sequences(text: str) -> bool:
    """Whether there is anything but plain text, tabs and line ends at the end."""
    return _SIGNS.search(text.rstrip("\r")) is not None


def redacted_between(text: str, redact: Redact) -> str:
    """The text with what stands between its terminal sequences redacted.

    Args:
        text: Any text.
        redact: Replaces words by others of the same width.
    """
    return "".join(_pieces(text, redact))


def redacted_json(text: str, redact: Redact) -> str:
    r"""The same for a line of an asciicast, in which ESC is ``\u001b``; what is not replaced stays as written."""
    written = _JSON_SIGN.findall(text)
    signs = [_meant(sign) for sign in written]
    pieces = _pieces("".join(signs), redact)
    return "".join(
        as_written if piece == sign else piece
        for as_written, sign, piece in zip(written, signs, pieces, strict=True)
    )


def _meant(sign: str) -> str:
    """The character that a part of a JSON string stands for."""
    if len(sign) == 1:
        return sign
    if len(sign) == 2:
        return _JSON_SHORT.get(sign, sign[1])
    units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in sign.split("\\u")[1:])
    return units.decode("utf-16-be", "replace")[:1] or _NO_SIGN


def _pieces(text: str, redact: Redact) -> list[str]:
    """What stands in place of each character of the text."""
    pieces = list(text)
    plain: list[str] = []
    places: list[int] = []  # of each character of the plain text; -1 for a move of the cursor
    for token in TOKEN.finditer(text):
        kind = token.lastindex
        if kind == TEXT:
            start, end = token.span(TEXT)
            if start > token.start():
                plain.append(" ")
                places.append(-1)
            plain.extend(text[start:end])
            places.extend(range(start, end))
        elif title := _TITLE.match(token[0]):
            pieces[token.start() : token.end()] = [
                *title[1],
                *_aligned(title[2], redact(title[2])),
                *token[0][title.end() :],
            ]
        elif not _NO_MOVE.fullmatch(token[0]):
            plain.append("\t")
            places.append(-1)
    for place, piece in zip(places, _aligned("".join(plain), redact("".join(plain))), strict=True):
        if place >= 0:
            pieces[place] = piece
    return pieces


def _aligned(before: str, after: str) -> Iterator[str]:
    """What stands in ``after`` in the cells of each character of ``before``; both are of the same width."""
    if len(before) == len(after):
        yield from after
        return
    position = 0
    for character in before:
        is_kept = after.startswith(character, position)
        end = position + (1 if is_kept else cells(character))
        yield after[position:end]
        position = end
