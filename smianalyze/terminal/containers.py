"""Recordings of terminals as one stream: raw bytes, typescripts of ``script``, asciicasts of asciinema (v1-v3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from smianalyze.terminal.recordings import BLOCK, Recording, Size, Steps
from smianalyze.terminal.timing_files import timed

_TYPESCRIPT = re.compile(r"Script started on [^\n]{1,1000}\n?")
_TERM, _COLUMNS, _LINES = (re.compile(rf'\b{name}="([^"]{{1,64}})"') for name in ("TERM", "COLUMNS", "LINES"))
_NUMBER = re.compile(r"[0-9]{1,6}")
MAX_SECONDS = 10**9  # 30 years; a later event is damaged
CAST_START = '{"version":'


def is_cast(start: str) -> bool:
    """Whether an asciicast starts so."""
    return "".join(start[:100].split()).startswith(CAST_START)


def recording(blocks: Iterable[str], timing: Iterator[str] | None = None) -> Recording:
    """The recording that the text of an input holds.

    Args:
        blocks: The text in pieces; carriage returns are kept.
        timing: Lines of the timing file that ``script`` wrote beside a typescript.
    """
    blocks = iter(blocks)
    first = next(blocks, "")
    if is_cast(first):
        return _cast(_lines(chain([first], blocks)))
    made = Recording()
    head = _TYPESCRIPT.match(first)
    if head:
        made.term = _named(_TERM, head.group())
        made.sizes.append(Size(0, _number(_named(_LINES, head.group())), _number(_named(_COLUMNS, head.group()))))
    text: Iterable[str] = chain([first], blocks)
    if timing is not None:
        text = timed(made, text, timing, head=head.end() if head else 0)
    made.blocks = _numbered(made, text)
    return made


def _named(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group(1) if found else ""


def _number(text: object) -> int | None:
    found = _NUMBER.fullmatch(str(text))
    return int(found.group()) if found else None


def _numbered(made: Recording, blocks: Iterable[str]) -> Iterator[str]:
    """The blocks; it is noted where each line starts."""
    start, number = 0, 1
    for block in blocks:
        at = block.find("\n") + 1
        while at:
            number += 1
            made.lines.add(start + at, number)
            at = block.find("\n", at) + 1
        start += len(block)
        yield block


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """The lines of a text in pieces."""
    pieces: list[str] = []
    for block in blocks:
        first, *others = block.split("\n")
        pieces.append(first)
        for line in others:
            yield "".join(pieces)
            pieces = [line]
    yield "".join(pieces)


def _cast(lines: Iterator[str]) -> Recording:
    """An asciicast; a line that is cut or damaged is left out."""
    first = next(lines)
    head = _json(first)
    if not isinstance(head, dict):
        head = _json("\n".join([first, *lines]))  # v1 is one object, perhaps on several lines
    if not isinstance(head, dict):
        head = {}
    clock = Steps([0], [0.0])
    made = Recording(clock=clock)
    terminal = head.get("term")
    if isinstance(terminal, dict):  # v3
        _add_size(made, 0, terminal.get("rows"), terminal.get("cols"))
        made.term = str(terminal.get("type") or "")
    else:
        environment = head.get("env")
        _add_size(made, 0, head.get("height"), head.get("width"))
        made.term = str(environment.get("TERM") or "") if isinstance(environment, dict) else ""
    made.blocks = _cast_blocks(made, clock, _events(head, lines), absolute=head.get("version") == 2)
    return made


def _events(head: dict[str, object], lines: Iterable[str]) -> Iterator[tuple[int, float, str, str]]:
    """Line of the input, time, kind and data of each event."""
    output = head.get("stdout")  # v1
    if isinstance(output, list):
        for event in output:
            if isinstance(event, list) and len(event) == 2:
                yield from _event(1, [event[0], "o", event[1]])
    for number, line in enumerate(lines, 2):
        yield from _event(number, _json(line))


def _event(number: int, event: object) -> Iterator[tuple[int, float, str, str]]:
    """The event if it is one."""
    if isinstance(event, list) and len(event) == 3:
        time, kind, data = event
        if isinstance(time, int | float) and 0 <= time <= MAX_SECONDS and isinstance(data, str):
            yield number, time, str(kind), data


def _cast_blocks(
    made: Recording, clock: Steps[float], events: Iterable[tuple[int, float, str, str]], *, absolute: bool
) -> Iterator[str]:
    """The output of an asciicast; times are since the start (v2) or since the last event."""
    pieces: list[str] = []
    position = block_end = 0
    now = 0.0
    for number, time, kind, data in events:
        now = time if absolute else now + time
        if kind == "r":
            width, _, height = data.partition("x")
            _add_size(made, position, height, width)
        elif kind == "o" and data:
            made.lines.add(position, number)
            clock.add(position, now)
            pieces.append(data)
            position += len(data)
        if position - block_end >= BLOCK:
            yield "".join(pieces)
            pieces, block_end = [], position
    yield "".join(pieces)


def _add_size(made: Recording, position: int, height: object, width: object) -> None:
    made.sizes.append(Size(position, _number(height), _number(width)))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
