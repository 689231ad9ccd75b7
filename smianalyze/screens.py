"""Split a recording of a terminal into the lines that were printed and the screens that were painted.

A program that paints places its cursor by row and column; a part of the recording in which nobody does so is plain
text, also in a loop that clears the screen before each print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from smianalyze.containers import Recording, Size, is_cast, recording
from smianalyze.frames_of_screen import Screen, ScreenReader

# Where a screen begins or ends: the alternate screen, or home and clear in either order.
_BOUNDARY = re.compile(
    r"\x1b\[\?(?:1049|1047|47)([hl])"
    r"|\x1b\[(?:1?;?1?)H(?:\x1b\[[0-9;]{0,16}m|\x0f){0,4}\x1b\[[02]?J"
    r"|\x1b\[2J\x1b\[(?:1?;?1?)H"
    r"|\x1bc"
)
_ADDRESSED = re.compile(r"\x1b\[(?:(?!1;1H)[0-9]{1,4};[0-9]{1,4}H|[0-9]{1,4}d)")
MEAN_STEP = 500
"""Characters from one address to the next, at most, on the mean: curses takes 80 for a first paint, 15 later. In
text that somebody prints, a lone address makes no screen."""
_REGION = re.compile(r"\x1b\[1;([0-9]{1,4})r")
REGION_BEFORE = 200  # characters in front of a clear in which curses may have set the height


class PaintedScreen(NamedTuple):
    """A screen, the lines of the input that painted it, and when it was complete, in seconds since the start."""

    screen: Screen
    lines: range
    seconds: float | None


@dataclass(slots=True)
class Parts:
    """What a recording holds: numbered lines of plain text, and screens."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    screens: list[PaintedScreen] = field(default_factory=list)


class _Span(NamedTuple):
    """A part of the text; ``closed`` if the program left its screen at the end."""

    start: int
    end: int
    is_screen: bool = False
    closed: bool = False


def holds_screens(lines: Sequence[str]) -> bool:
    """Whether a terminal may have been recorded here; a cheap test."""
    return is_cast(lines) or any("\x1b[" in line and _ADDRESSED.search(line) for line in lines)


def split_screens(lines: Sequence[str], timing: Sequence[str] = ()) -> Parts:
    """The plain lines and the screens of an input.

    Args:
        lines: Its decoded lines, with the carriage returns at their ends.
        timing: Lines of the timing file beside a typescript.
    """
    recorded = recording(lines, timing)
    parts = Parts()
    reader: ScreenReader | None = None
    for span in _spans(recorded.text):
        if not span.is_screen:
            parts.lines.extend(_plain_lines(recorded, span))
            reader = None
            continue
        reader = reader or ScreenReader(_size_before(recorded, span.start), term=recorded.term)
        parts.screens.extend(_painted(recorded, span, reader))
    return parts


def _spans(text: str) -> Iterator[_Span]:
    """The parts of a text in order."""
    start, alternate = 0, False
    for boundary in [*_BOUNDARY.finditer(text), None]:
        end = boundary.start() if boundary else len(text)
        switch = boundary.group(1) if boundary else None
        if alternate and boundary and switch != "l":
            continue
        closed = alternate and switch == "l"
        yield from _split_span(text, _Span(start, end, closed=closed))
        start, alternate = end, switch == "h"


def _split_span(text: str, span: _Span) -> Iterator[_Span]:
    """Plain text before, the screen, and plain text behind the last address of a part."""
    addresses = [(match.start(), match.end()) for match in _ADDRESSED.finditer(text, span.start, span.end)]
    if not addresses or addresses[-1][0] - addresses[0][0] > MEAN_STEP * len(addresses):
        yield span
        return
    begin, end = span.start, span.end
    if span.start == 0:  # lines may precede the first address of a file
        begin = text.rfind("\n", 0, addresses[0][0]) + 1
    if not span.closed and "\n" in text[addresses[-1][1] : span.end]:
        end = addresses[-1][1]
    if begin > span.start:
        yield _Span(span.start, begin)
    yield _Span(begin, end, is_screen=True, closed=span.closed)
    if end < span.end:
        yield _Span(end, span.end)


def _plain_lines(recorded: Recording, span: _Span) -> Iterator[tuple[int, str]]:
    position = span.start
    for line in recorded.text[span.start : span.end].split("\n"):
        if line:
            yield recorded.line_at(position), line
        position += len(line) + 1


def _size_before(recorded: Recording, position: int) -> Size:
    """The size that the container or a scroll region tells before a screen begins."""
    size = Size(0, None, None)
    for known in recorded.sizes:
        if known.start <= position:
            size = known
    region = _REGION.findall(recorded.text, max(0, position - REGION_BEFORE), position)
    return size._replace(height=int(region[-1])) if region else size


def _painted(recorded: Recording, span: _Span, reader: ScreenReader) -> Iterator[PaintedScreen]:
    """The screens of one part, each with the lines that were read since the one before."""
    first = recorded.line_at(span.start)
    for screen in _screens(recorded, span, reader):
        last = recorded.line_at(screen.position - 1)
        yield PaintedScreen(screen, range(min(first, last), last + 1), recorded.seconds_at(screen.position - 1))
        first = recorded.line_at(screen.position)


def _screens(recorded: Recording, span: _Span, reader: ScreenReader) -> Iterator[Screen]:
    start = span.start
    for size in recorded.sizes:
        if start < size.start < span.end:
            yield from reader.read(recorded.text, start, size.start)
            yield from reader.rest(size.start)
            reader.resize(size)
            start = size.start
    yield from reader.read(recorded.text, start, span.end)
    yield from reader.rest(span.end)
    if span.closed:
        yield from reader.leave(span.end)
