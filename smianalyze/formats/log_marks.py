"""The few lines of a log that hold one of some fixed words, found over all lines at once, and what they say."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from smianalyze.reader import MAX_LINE, LineReader, LineShape
from smianalyze.repair import Line

MAX_WRAPS = 12  # lines that a message goes on in; at 60 columns the longest takes eleven
_NEW_MESSAGE = ("Traceback", "[", "During handling", "The above exception", "File ")
_OF_A_NUMBER = tuple("0123456789.,")


class Message(NamedTuple):
    """A message in a log: its line, what stands before it, its text and what the grammar said.

    ``place`` is that of its line among those that are read, ``number`` the one in the input: what no format may
    read is left out.
    """

    place: int
    number: int
    prefix: str
    text: str
    shape: LineShape

    def cells(self) -> list[tuple[str, str]]:
        """Names of columns with their texts, in order."""
        return [(name, self.text[start:end]) for name, start, end in self.shape.columns]

    def printed(self) -> str:
        """The message with what stands before it, without its line end."""
        return f"{self.prefix}{self.text}".strip()


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of a log in order.

    Attributes:
        lines: Repaired lines of one stream.
        open_end: The last line may be cut. All others end with a line end, which the grammars see.
    """

    lines: Sequence[Line]
    open_end: bool

    def text(self, place: int) -> str:
        """The line at a place, with its line end if it has one for certain."""
        is_open = self.open_end and place + 1 == len(self.lines)
        return self.lines[place].text + ("" if is_open else "\n")

    def marked(self, marks: Sequence[str]) -> dict[int, list[int]]:
        """For each line that holds a mark, by its place: where its marks begin, in order."""
        text = "\n".join(line.text for line in self.lines)
        ends = list(accumulate(len(line.text) + 1 for line in self.lines))
        found: dict[int, list[int]] = {}
        for mark in marks:
            at = text.find(mark)
            while at >= 0:
                place = bisect_right(ends, at)
                found.setdefault(place, []).append(at - (ends[place - 1] if place else 0))
                at = text.find(mark, at + 1)
        return {place: sorted(set(found[place])) for place in sorted(found)}

    def messages(self, marks: Sequence[str], reader: LineReader) -> Iterator[Message]:
        """The messages that begin at a mark, one a line at most: the first that the grammar reads, also in part.

        Where it reads none, the message is the text from the first mark on, and its shape is a rejected one.
        """
        for place, starts in self.marked(marks).items():
            line = self.text(place)
            texts = [(line[:at], _bounded(line[at:])) for at in starts]
            number = self.lines[place].number
            read = [Message(place, number, prefix, text, reader.read(text)) for prefix, text in texts]
            yield next((message for message in read if message.shape.kind or message.shape.columns), read[0])

    def rejoined(self, message: Message, reader: LineReader, marks: Sequence[str]) -> tuple[Message, int]:
        """A message with the lines that it goes on in, and how many lines that is.

        A line belongs to it where the grammar then finds more columns than without. A wrap at a word lost a
        blank, a wrap at a width lost none: two numbers never stand side by side, so a number on both sides of a
        wrap is one number.
        """
        best, count = message, 1
        pieces = [message.text]
        for place in range(message.place + 1, min(message.place + 1 + MAX_WRAPS, len(self.lines))):
            piece = self.text(place)
            if (
                not piece.strip()
                or piece.lstrip().startswith(_NEW_MESSAGE)
                or any(mark in piece for mark in marks)
            ):
                break
            pieces.append(piece)
            for text in _joins(pieces):
                shape = reader.read(text)
                if len(_known(shape)) > len(_known(best.shape)):
                    best, count = message._replace(text=text, shape=shape), len(pieces)
        return best, count


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
