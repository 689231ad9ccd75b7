"""Which lines of a long log some format may read, so that the many others cost next to nothing.

Lines that differ in digits only are asked for once. Around a line that a log format recognises stand others that
it may need: the rest of a wrapped message, the metrics of a block. Where another format recognises a line, all are
kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import compress

from smianalyze.formats import FORMATS
from smianalyze.line_shapes import line_shapes
from smianalyze.repair import cleaned_line

MIN_LINES = 5_000
"""A shorter text is read as a whole, which takes less than a second."""

MAX_KEPT_SHARE = 0.6
"""Where more lines are kept, nothing is won."""

HEAD_LINES = 100
"""The first lines are kept: they say how and when the job was started."""

CHUNK_LINES = 50_000
MAX_SHAPES = 200_000  # of lines that are told apart; text of ever new shapes must not fill the memory
_HASH = re.compile(rb"[0-9a-f]{8,64}")  # no word that a format knows is one

NONE, ALL = -1, -2
_FENCE = "```"  # of a manual: what stands in it is no log


def wanted_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that some format may read, with their numbers; the last one always.

    Args:
        lines: Of one input, without their ends.
    """
    kept = _kept(lines) if len(lines) >= MIN_LINES else None
    places = range(len(lines)) if kept is None else kept
    return ((place + 1, lines[place]) for place in places)


def _kept(lines: Sequence[str]) -> list[int] | None:
    """Places of the lines to keep; None for all."""
    reach_of: dict[bytes, int] = {}
    spans = [(0, HEAD_LINES - 1)]
    for start in range(0, len(lines), CHUNK_LINES):
        chunk = lines[start : start + CHUNK_LINES]
        shapes = line_shapes(chunk)
        if len(reach_of) > MAX_SHAPES:
            reach_of.clear()
        for shape, text in dict(zip(shapes, chunk, strict=True)).items():
            if shape not in reach_of:
                plain = _HASH.sub(b"0", shape)
                reach_of[shape] = reach_of[plain] if plain in reach_of else _reach(text)
                reach_of[plain] = reach_of[shape]
            if reach_of[shape] == ALL:
                return None
        wanted = [reach_of[shape] + 1 for shape in shapes]
        spans.extend((start + place, wanted[place] - 1) for place in compress(range(len(chunk)), wanted))
    places = _joined(spans, len(lines))
    return places if len(places) <= MAX_KEPT_SHARE * len(lines) else None


def _reach(text: str) -> int:
    """How far around a line its formats need others; NONE where no format recognises it."""
    pieces = list(cleaned_line(text))
    found = [one.reach for one in FORMATS if any(map(one.recognises, pieces))]
    reaches = [ALL if reach is None else reach for reach in found]
    fence = [0] if any(_FENCE in piece for piece in pieces) else []
    return ALL if ALL in reaches else max([*reaches, *fence], default=NONE)


def _joined(spans: Sequence[tuple[int, int]], count: int) -> list[int]:
    """Places within reach of some, each once and in order; the last line too."""
    places: list[int] = []
    next_place = 0
    for place, reach in [*spans, (count - 1, 0)]:
        first = max(next_place, place - reach)
        last = min(count - 1, place + reach)
        places.extend(range(first, last + 1))
        next_place = max(next_place, last + 1)
    return places
