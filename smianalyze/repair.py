"""Undo what pasting, logging and wrapping did to a text, line by line; every line keeps its original number."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from smianalyze.prefixes import label_shapes, split_prefix
from smianalyze.unwrap import may_be_wrapped, rejoin_wrapped, split_joined

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|[ -/]{0,8}[0-~])"
)
_STRING_LITERALS = (
    re.compile(r'"((?:[^"\\]|\\.){0,100000})"?'),
    re.compile(r"'((?:[^'\\]|\\.){0,100000})'?"),
)
_ESCAPED_TABLE = re.compile(r"\\n {0,40}[|+]")
_BARE_LINE_END = re.compile(r"\\n(?=[-+| \\]|[A-Z][a-z]{2} |$)")  # and not the beginning of a name in a path
_ESCAPED_CHARACTER = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "", "e": "\x1b"}
_LINE_BREAK_TAG = re.compile(r"< {0,4}br {0,4}/? {0,4}>", re.IGNORECASE)
_MARKUP_TAG = re.compile(r"</?(?:pre|code|span|div|p|td|tr|font)(?: [^<>]{0,200})?>", re.IGNORECASE)
_MARKUP = ("&nbsp;", "&#160;", "&#xA0;", "<br>", "<br/", "<br ", "<BR>", "<BR/", "<pre>", "<code>")
# the times of a progress bar, and a dict of a trainer; elsewhere, as in XML, such letters are meant
_ESCAPED_LOG = re.compile(r"\[[0-9:]{4,12}&lt;[0-9:?]{1,12}, |\{&(?:#39|#x27|quot);[A-Za-z]")
_TAB_SEPARATED = re.compile(r"[^\s|][^\t|]*\t[^\s|][^|]*$")  # cells of a CSV; elsewhere tabs stand for blanks
_BACK_TO_START = re.compile(r"[\r\x08]++")
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"), " ") | {
    0xFEFF: "",
    0x200B: "",
}


class Line(NamedTuple):
    """One line of a table after repair.

    ``number`` is the 1-based line of the input where it stood; several lines share it when a whole table stood
    on one line. ``stream`` tells apart texts that were written through each other (the ranks of a job).
    """

    number: int
    text: str
    stream: str


def repaired(lines: Iterable[str]) -> list[list[Line]]:
    """The lines of each stream, in order, without prefixes, markup, colours and wraps.

    Args:
        lines: Decoded lines of one input, without line ends.

    Returns:
        One list a stream, ordered by first line; a text that nobody labelled is one stream.
    """
    return repaired_lines(enumerate(lines, 1))


def repaired_lines(lines: Iterable[tuple[int, str]]) -> list[list[Line]]:
    """The same for lines whose numbers are known."""
    cleaned = [(number, piece) for number, line in lines for piece in (cleaned_line(line) if line else ("",))]
    streams: dict[str, list[Line]] = {}
    for (number, _), (stream, text) in zip(cleaned, split_prefix([text for _, text in cleaned]), strict=True):
        streams.setdefault(stream, []).append(Line(number, text, stream))
    return [_unwrapped(stream) for stream in streams.values()]


def is_repaired_alone(text: str) -> bool:
    """Whether a line has no part in how the lines around it are repaired."""
    pieces = list(cleaned_line(text))
    return not label_shapes(pieces) and not any(map(may_be_wrapped, pieces))


def _unwrapped(lines: list[Line]) -> list[Line]:
    stream = lines[0].stream
    pairs = rejoin_wrapped([(line.number, line.text) for line in lines])
    return [Line(number, piece, stream) for number, text in pairs for piece in split_joined(text)]


def cleaned_line(text: str) -> Iterator[str]:
    """The lines that one line stands for once escapes, markup, colours and odd blanks are undone."""
    if text.isascii() and text.isprintable() and "\\n" not in text and "&" not in text and "<" not in text:
        yield text
        return
    for piece in _unescaped(text):
        for line in _without_markup(_ESCAPE_SEQUENCE.sub("", piece)):
            for state in _states(line.rstrip("\r")):
                shown = state.translate(_BLANKS)
                yield shown if _TAB_SEPARATED.match(shown) else shown.replace("\t", " ")


def with_plain_blanks(text: str) -> str:
    """A line with a blank for each tab and each blank of another kind."""
    return text.translate(_BLANKS).replace("\t", " ")


def _states(line: str) -> list[str]:
    """What a line showed one after the other: each state of a progress bar, but the last of a table's row."""
    states = _BACK_TO_START.split(line)
    if len(states) == 1 or states[-1].rstrip().endswith(("|", "+")):
        return states[-1:]
    return [state for state in states if state and not state.isspace()] or [""]


def _unescaped(text: str) -> list[str]:
    r"""Lines of a table that stands in a JSON, Go or Python string as one line with ``\n``."""
    if not _ESCAPED_TABLE.search(text):
        return [text]
    for literal in _STRING_LITERALS:
        found = [match.group(1) for match in literal.finditer(text) if "\\n" in match.group(1)]
        if found:
            return [line for one in found for line in _ESCAPED_CHARACTER.sub(_character, one).split("\n")]
    return _BARE_LINE_END.split(text)


def _character(escape: re.Match[str]) -> str:
    four, two, one = escape.groups()
    if one is None:
        return chr(int(four or two, 16))
    return _ESCAPED.get(one, one)


def _without_markup(text: str) -> list[str]:
    if not any(mark in text for mark in _MARKUP):
        return [html.unescape(text) if _ESCAPED_LOG.search(text) else text]
    lines = [html.unescape(_MARKUP_TAG.sub("", line)) for line in _LINE_BREAK_TAG.split(text)]
    return lines[:-1] if len(lines) > 1 and not lines[-1].strip() else lines
