"""Split a recording of a terminal into the lines that were printed and the screens that were painted.

A program that paints places its cursor by row and column; a part of the recording in which nobody does so is plain
text, also in a loop that clears the screen before each print. All of it is decided with a short look ahead, and so
a recording of any length is read block by block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.decode import Decoded
from smianalyze.terminal.containers import is_cast
from smianalyze.terminal.frames_of_screen import Screen, ScreenReader
from smianalyze.terminal.recordings import Recording

# Where a screen begins or ends: the alternate screen, or home and clear in either order.
_BOUNDARY = re.compile(
    r"\x1b\[\?(?:1049|1047|47)([hl])"
    r"|\x1b\[(?:1?;?1?)H(?:\x1b\[[0-9;]{0,16}m|\x0f){0,4}\x1b\[[02]?J"
    r"|\x1b\[2J\x1b\[(?:1?;?1?)H"
    r"|\x1bc"
)
_ADDRESSED = re.compile(r"\x1b\[(?:(?!1;1H)[0-9]{1,4};[0-9]{1,4}H|[0-9]{1,4}d)")
_ADDRESS_BYTES = re.compile(_ADDRESSED.pattern.encode())
MEAN_STEP = 500
"""Characters from one address to the next, at most, on the mean: curses takes 80 for a first paint, 15 later. In
text that somebody prints, a lone address makes no screen."""
LOOK = 16 * 1024
"""Characters ahead in which the next address is looked for: as many as a large screen has cells. A token of the
terminal is shorter."""
AHEAD = 2 * LOOK + 100  # characters that must be at hand: from there another look, and the boundary in it
_REGION = re.compile(r"\x1b\[1;([0-9]{1,4})r")
REGION_BEFORE = 200  # characters in front of a clear in which curses may have set the height


class PaintedScreen(NamedTuple):
    """A screen, the lines of the input that painted it, and when it was complete, in seconds since the start."""

    screen: Screen
    lines: range
    seconds: float | None


class PlainLine(NamedTuple):
    """A line that was printed, or the piece of one in front of a screen or behind it."""

    number: int
    text: str


def holds_screens(text: Decoded) -> bool:
    """Whether a terminal may have been recorded here; a cheap test."""
    if text.has_escapes and any(_ADDRESS_BYTES.search(piece) for piece in text.pieces()):
        return True
    return is_cast(next(text.pieces()).decode())


def split_screens(recorded: Recording) -> Iterator[PlainLine | PaintedScreen]:
    """The plain lines and the screens of a recording, in order."""
    splitter = _Splitter(recorded)
    for block in recorded.blocks:
        splitter.text += block
        yield from splitter.split(len(splitter.text) - AHEAD)
        splitter.forget()
    yield from splitter.split(len(splitter.text))
    yield from splitter.end()


@dataclass(slots=True)
class _Splitter:
    """The recording from a place on that is not yet split.

    A part is what stands between two boundaries. In the alternate screen only the end of it is one.

    Attributes:
        recorded: Where it comes from.
        text: The text that is at hand.
        base: Place of this text in the recording.
        at: Where in the text it goes on.
        scan: From where on a boundary or an address is looked for.
        is_head: Whether this is the start of a part, and the boundary belongs to what follows.
        paints: Whether this is a screen.
        alternate: Whether this is the alternate screen.
        reader: What reads this screen, or the one right before.
        sized: The place up to which the reader knows of changes of size.
        plain: Pieces of the plain line so far.
        line: The line of the input that comes next: of the plain line, or for the next screen.
    """

    recorded: Recording
    text: str = ""
    base: int = 0
    at: int = 0
    scan: int = 0
    is_head: bool = False
    paints: bool = False
    alternate: bool = False
    reader: ScreenReader | None = None
    sized: int = 0
    plain: list[str] = field(default_factory=list)
    line: int = 1

    def forget(self) -> None:
        """Drop the text that is split, but for a bit that may tell the height."""
        cut = max(0, self.at - REGION_BEFORE)
        self.text = self.text[cut:]
        self.base, self.at, self.scan = self.base + cut, self.at - cut, self.scan - cut
        self.recorded.forget(self.base)

    def split(self, limit: int) -> Iterator[PlainLine | PaintedScreen]:
        """Go on up to a place; the text behind it says how."""
        while self.at < limit:
            before = (self.at, self.paints, self.scan)
            boundary = self._boundary()
            end = boundary.start() if boundary else len(self.text)
            if boundary and self.at == end:
                yield from self._next_part(boundary)
            elif self.paints:
                yield from self._paint(limit, end, closes=self.alternate and boundary is not None)
            else:
                yield from self._print(limit, end)
            if before == (self.at, self.paints, self.scan):
                return  # more text is needed

    def end(self) -> Iterator[PlainLine | PaintedScreen]:
        """What stands at the end of the recording."""
        if self.paints:
            yield from self._painted(self._reader().rest(self.at))
        yield from self._printed()

    def _boundary(self) -> re.Match[str] | None:
        for boundary in _BOUNDARY.finditer(self.text, self.scan):
            if not self.alternate or boundary[1] == "l":
                return boundary
        return None

    def _next_part(self, boundary: re.Match[str]) -> Iterator[PaintedScreen]:
        if self.paints:
            yield from self._painted(self._reader().rest(self.at))
            if self.alternate:
                yield from self._painted(self._reader().leave(self.at))
        self.paints, self.alternate = False, boundary[1] == "h"
        self.is_head, self.scan = True, boundary.end()

    # plain text

    def _print(self, limit: int, end: int) -> Iterator[PlainLine]:
        """Plain text up to the first address of a screen, or as far as there is none for sure."""
        address = _ADDRESSED.search(self.text, max(self.scan, self.at), end)
        while address and address.start() < limit and not self._is_dense(address.start(), end):
            self.scan = address.end()
            address = _ADDRESSED.search(self.text, self.scan, end)
        place = address.start() if address else end
        self.is_head &= place - self.at <= LOOK and address is not None
        if self.is_head:
            begin = self.at
        else:  # what stands on the line before an address belongs to the screen
            line = self.text.rfind("\n", self.at, place) + 1 if address else end
            begin = max(line, place - LOOK, self.at)
        yield from self._print_lines(min(begin, limit))
        if address and place < limit:
            yield from self._printed()
            self.paints, self.is_head = True, False
            self.line = self.recorded.lines.at(self.base + self.at)

    def _is_dense(self, first: int, end: int) -> bool:
        """Whether so many addresses follow that somebody paints."""
        starts = [address.start() for address in _ADDRESSED.finditer(self.text, first, min(first + LOOK, end))]
        return starts[-1] - first <= MEAN_STEP * len(starts)

    def _print_lines(self, stop: int) -> Iterator[PlainLine]:
        if stop <= self.at:
            return
        self.reader = None
        for number, piece in enumerate(self.text[self.at : stop].split("\n")):
            if number:
                yield from self._printed()
                self.at += 1
            if piece:
                if not self.plain:
                    self.line = self.recorded.lines.at(self.base + self.at)
                self.plain.append(piece)
                self.at += len(piece)
        self.scan = max(self.scan, self.at)

    def _printed(self) -> Iterator[PlainLine]:
        if self.plain:
            yield PlainLine(self.line, "".join(self.plain))
        self.plain.clear()

    # screens

    def _paint(self, limit: int, end: int, *, closes: bool) -> Iterator[PaintedScreen]:
        """The screens up to the end of this part, or to where plain text begins."""
        gap = self._gap(min(limit + LOOK, end), end, closes=closes)
        if gap is not None:
            stop = gap
        elif end <= limit:
            stop = end
        else:  # a sequence is not cut in two
            stop = self.text.rfind("\x1b", self.at + 1, limit)
            if stop < 0:
                stop = limit if limit - self.at > LOOK else self.at
        yield from self._read(stop)
        if gap is not None:
            yield from self._painted(self._reader().rest(gap))
            self.paints = self.alternate = self.is_head = False
            self.scan = gap

    def _gap(self, horizon: int, end: int, *, closes: bool) -> int | None:
        """Where plain text begins: behind the last address before a line feed after which there is none."""
        feed = self.text.find("\n", self.at, horizon)
        while feed >= 0:
            address = _ADDRESSED.search(self.text, feed, min(feed + LOOK, end))
            if address is None:
                if closes and end <= feed + LOOK:
                    return None
                last = max(self.at, feed - LOOK)
                return max((one.end() for one in _ADDRESSED.finditer(self.text, last, feed)), default=feed)
            feed = self.text.find("\n", address.start(), horizon)
        return None

    def _read(self, stop: int) -> Iterator[PaintedScreen]:
        reader = self._reader()
        for size in self.recorded.sizes:
            start = size.start - self.base
            if self.sized < size.start and start < stop:
                yield from self._painted(reader.read(self.text, self.at, start))
                yield from self._painted(reader.rest(start))
                reader.resize(size)
                self.at, self.sized = start, size.start
        yield from self._painted(reader.read(self.text, self.at, stop))
        self.at = stop
        self.scan = max(self.scan, stop)

    def _reader(self) -> ScreenReader:
        if self.reader is None:
            size = self.recorded.size_at(self.base + self.at)
            region = _REGION.findall(self.text, max(0, self.at - REGION_BEFORE), self.at)
            if region:
                size = size._replace(height=int(region[-1]))
            self.reader = ScreenReader(size, term=self.recorded.term)
            self.sized = self.base + self.at
        return self.reader

    def _painted(self, screens: Iterator[Screen]) -> Iterator[PaintedScreen]:
        """The screens, each with the lines that were read since the one before."""
        lines = self.recorded.lines
        for screen in screens:
            place = self.base + screen.position
            last = lines.at(place - 1)
            yield PaintedScreen(screen, range(min(self.line, last), last + 1), self.recorded.seconds_at(place - 1))
            self.line = lines.at(place)
