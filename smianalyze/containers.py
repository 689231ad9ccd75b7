"""Recordings of terminals as one text: raw bytes, typescripts of ``script``, asciicasts of asciinema (v1-v3)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

_TYPESCRIPT = re.compile(r"Script started on [^\n]{1,1000}")
_TERM, _COLUMNS, _LINES = (re.compile(rf'\b{name}="([^"]{{1,64}})"') for name in ("TERM", "COLUMNS", "LINES"))
_NUMBER = re.compile(r"[0-9]{1,6}")
_CLASSIC_TIMING = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ([0-9]{1,9})")
_ADVANCED_TIMING = re.compile(r"([A-Z]) ([0-9]{1,9}(?:\.[0-9]{1,9})?) (.{1,200})")
_RESIZED = re.compile(r"SIGWINCH ROWS=([0-9]{1,6}) COLS=([0-9]{1,6})")
CAST_START = '{"version":'


class Size(NamedTuple):
    """The size of a terminal from one place in a recording on; None is unknown."""

    start: int
    height: int | None
    width: int | None


@dataclass(slots=True)
class Recording:
    """What a terminal was sent.

    Attributes:
        text: All of it; lines of the input still end at LF.
        starts: Where in the text each piece starts that came from one line of the input, or at one time.
        lines: The 1-based line of the input for each piece.
        seconds: Seconds since the start for each piece; empty where nobody took the time.
        sizes: The sizes that the container tells, in order.
        term: TERM of the session, "" if unknown.
    """

    text: str
    starts: Sequence[int]
    lines: Sequence[int]
    seconds: Sequence[float] = ()
    sizes: list[Size] = field(default_factory=list)
    term: str = ""

    def line_at(self, position: int) -> int:
        """The line of the input that a place of the text came from."""
        return self.lines[max(bisect_right(self.starts, position) - 1, 0)]

    def seconds_at(self, position: int) -> float | None:
        """When a place of the text was written, in seconds since the start."""
        return self.seconds[max(bisect_right(self.starts, position) - 1, 0)] if self.seconds else None


def is_cast(lines: Sequence[str]) -> bool:
    """Whether this is an asciicast."""
    return bool(lines) and lines[0].replace(" ", "").startswith(CAST_START)


def recording(lines: Sequence[str], timing: Sequence[str] = ()) -> Recording:
    """The recording that the lines of an input hold.

    Args:
        lines: Decoded lines; carriage returns before their ends are kept.
        timing: Lines of the timing file that ``script`` wrote beside a typescript.
    """
    if is_cast(lines):
        return _cast(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    made = Recording("\n".join(lines), starts, range(1, len(lines) + 1))
    head = _TYPESCRIPT.match(lines[0]) if lines else None
    if head:
        made.term = _named(_TERM, head.group())
        made.sizes.append(Size(0, _number(_named(_LINES, head.group())), _number(_named(_COLUMNS, head.group()))))
    if timing:
        _add_times(made, timing, start=len(lines[0]) + 1 if head else 0)
    return made


def _named(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group(1) if found else ""


def _number(text: object) -> int | None:
    found = _NUMBER.fullmatch(str(text))
    return int(found.group()) if found else None


def _add_times(made: Recording, timing: Sequence[str], *, start: int) -> None:
    """Cut the pieces at the writes that the timing file lists; it counts bytes behind the head line."""
    starts, lines, seconds = [0], [1], [0.0]
    position, now = start, 0.0
    is_ascii = made.text.isascii()
    for delay, kind, rest in _timing_steps(timing):
        now += delay
        resized = _RESIZED.match(rest)
        if kind == "S" and resized:
            made.sizes.append(Size(position, int(resized[1]), int(resized[2])))
        if kind != "O" or not rest.isdigit() or position >= len(made.text):
            continue
        count = int(rest)
        while starts_next := made.text.find("\n", position, position + count) + 1:
            break_at = starts_next
            starts.append(position)
            lines.append(made.line_at(position))
            seconds.append(now)
            count -= len(made.text[position:break_at].encode())
            position = break_at
        starts.append(position)
        lines.append(made.line_at(position))
        seconds.append(now)
        position += count if is_ascii else _characters(made.text, position, count)
    made.starts, made.lines, made.seconds = starts, lines, seconds


def _characters(text: str, position: int, count: int) -> int:
    """How many characters at a position make so many bytes."""
    return len(text[position : position + count].encode()[:count].decode("utf-8", "ignore"))


def _timing_steps(timing: Sequence[str]) -> Iterator[tuple[float, str, str]]:
    """Delay, kind (O output, H head, S signal) and rest of each step of a timing file of either kind."""
    for line in timing:
        if classic := _CLASSIC_TIMING.fullmatch(line):
            yield float(classic[1]), "O", classic[2]
        elif advanced := _ADVANCED_TIMING.fullmatch(line):
            yield float(advanced[2]), advanced[1], advanced[3]


def _cast(lines: Sequence[str]) -> Recording:
    """An asciicast; a line that is cut or damaged is left out."""
    head = _json(lines[0])
    if not isinstance(head, dict):
        head = _json("\n".join(lines))  # v1 is one object, perhaps on several lines
        lines = lines[:1]
    if not isinstance(head, dict):
        head = {}
    made = _Cast(absolute=head.get("version") == 2)
    terminal = head.get("term")
    if isinstance(terminal, dict):  # v3
        made.resize(terminal.get("rows"), terminal.get("cols"))
    else:
        made.resize(head.get("height"), head.get("width"))
    for event in head.get("stdout") or ():  # v1
        if isinstance(event, list) and len(event) == 2:
            made.add(1, [event[0], "o", event[1]])
    for number, line in enumerate(lines[1:], 2):
        event = _json(line)
        if isinstance(event, list) and len(event) == 3:
            made.add(number, event)
    environment = head.get("env")
    term = terminal.get("type") if isinstance(terminal, dict) else (environment or {}).get("TERM")
    return Recording("".join(made.pieces), made.starts, made.lines, made.seconds, made.sizes, str(term or ""))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@dataclass(slots=True)
class _Cast:
    """The events of an asciicast so far; times are since the start (v2) or since the last event."""

    absolute: bool
    now: float = 0.0
    length: int = 0
    pieces: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    lines: list[int] = field(default_factory=lambda: [1])
    seconds: list[float] = field(default_factory=lambda: [0.0])
    sizes: list[Size] = field(default_factory=list)

    def resize(self, height: object, width: object) -> None:
        self.sizes.append(Size(self.length, _number(height), _number(width)))

    def add(self, number: int, event: list[object]) -> None:
        time, kind, data = event
        if not isinstance(time, int | float) or not isinstance(data, str):
            return
        self.now = time if self.absolute else self.now + time
        if kind == "r":
            width, _, height = data.partition("x")
            self.resize(height, width)
        elif kind == "o" and data:
            self.pieces.append(data)
            self.starts.append(self.length)
            self.lines.append(number)
            self.seconds.append(self.now)
            self.length += len(data)
