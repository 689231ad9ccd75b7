"""Where in many lines the few stand that hold one of some fixed words, found over all lines at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from smianalyze.reader import MAX_LINE, LineReader, LineShape
from smianalyze.repair import Line

MAX_WRAPS = 12  # lines that a message goes on in; at 60 columns the longest takes eleven
_NEW_MESSAGE = ("Traceback", "[", "During handling", "The above exception", "File ")
_OF_A_NUMBER = tuple("0123456789.,")


class Message(NamedTuple):
    """A message in a log: its place in the lines, what stands before it, its text and what the grammar said."""

    place: int
    prefix: str
    text: str
    shape: LineShape

    def cells(self) -> list[tuple[str, str]]:
        """Names of columns with their texts, in order."""
        return [(name, self.text[start:end]) for name, start, end in self.shape.columns]


def marked(lines: Sequence[Line], marks: Sequence[str]) -> dict[int, list[int]]:
    """For each line that holds a mark, by its place in ``lines``: where its marks begin, in order."""
    text = "\n".join(line.text for line in lines)
    ends = list(accumulate(len(line.text) + 1 for line in lines))
    found: dict[int, list[int]] = {}
    for mark in marks:
        at = text.find(mark)
        while at >= 0:
            place = bisect_right(ends, at)
            found.setdefault(place, []).append(at - (ends[place - 1] if place else 0))
            at = text.find(mark, at + 1)
    return {place: sorted(set(found[place])) for place in sorted(found)}


def messages(lines: Sequence[Line], marks: Sequence[str], reader: LineReader) -> Iterator[Message]:
    """The messages that begin at a mark, one a line at most: the first that the grammar reads, also in part.

    Where it reads none, the message is the text from the first mark on, and its shape is a rejected one. The text
    ends with its line end, but on the last line, which may be cut.
    """
    for place, starts in marked(lines, marks).items():
        line = _with_end(lines, place)
        read = [
            Message(place, line[:at], text, reader.read(text)) for at in starts for text in [_bounded(line[at:])]
        ]
        yield next((message for message in read if message.shape.kind or message.shape.columns), read[0])


def rejoined(
    lines: Sequence[Line], message: Message, reader: LineReader, marks: tuple[str, ...]
) -> tuple[Message, int]:
    """A message with the lines that it goes on in, and how many lines that is.

    A line belongs to it where the grammar then finds more columns than without. A wrap at a word lost a blank, a
    wrap at a width lost none: two numbers never stand side by side, so a number on both sides is one number.
    """
    best, count = message, 1
    pieces = [message.text]
    for place in range(message.place + 1, min(message.place + 1 + MAX_WRAPS, len(lines))):
        piece = _with_end(lines, place)
        if not piece.strip() or piece.lstrip().startswith(_NEW_MESSAGE) or any(mark in piece for mark in marks):
            break
        pieces.append(piece)
        for text in _joins(pieces):
            shape = reader.read(text)
            if len(_known(shape)) > len(_known(best.shape)):
                best, count = message._replace(text=text, shape=shape), len(pieces)
    return best, count


def _with_end(lines: Sequence[Line], place: int) -> str:
    return lines[place].text + ("\n" if place + 1 < len(lines) else "")


def _bounded(text: str) -> str:
    """The text up to the last blank that a reader takes."""
    return text if len(text) <= MAX_LINE else text[:MAX_LINE].rpartition(" ")[0]


def _joins(pieces: Sequence[str]) -> Iterator[str]:
    """The text as a wrap at words left it, then as a wrap at a width did."""
    words = pieces[0]
    for piece in pieces[1:]:
        words = words.removesuffix("\n")
        is_number_cut = words[-1:] in _OF_A_NUMBER and piece[:1] in _OF_A_NUMBER
        words += piece if is_number_cut else f" {piece.lstrip()}"
    yield _bounded(words)
    yield _bounded("".join(piece.removesuffix("\n") for piece in pieces[:-1]) + pieces[-1])


def _known(shape: LineShape) -> list[str]:
    return [name for name, _, _ in shape.columns if name != "other"]
