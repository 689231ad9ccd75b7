"""Why there is no table, or half of one, in what was meant to be a recording of ``watch nvidia-smi``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise

from smianalyze.formats.smi_table import LINES
from smianalyze.watch.header import INTERVAL

_INSTEAD = "record with `nvidia-smi -l 1 > FILE`"
EMPTY = f"It is empty. watch writes nothing without a terminal type: set TERM=xterm, or {_INSTEAD}."
NO_TERMINAL = f"watch did not know its terminal and wrote nothing: set TERM=xterm, or {_INSTEAD}."
DUMB_TERMINAL = (
    "watch wrote to a terminal that cannot place its cursor (TERM=dumb), and what it showed is lost:"
    f" set TERM=xterm, or {_INSTEAD}."
)
MISSING_LINES = (
    "Lines of the table are missing on the screen, as `watch -w` of procps 3.3.17 to 4.0.2 drops them; what they"
    f" said is unknown. Leave out -w, or {_INSTEAD}."
)
MAX_LINES = 10  # watch that cannot paint writes two lines, and its error is one
_ERROR = re.compile(r"Error opening terminal: [^\n]{1,64}\.\s*")


def why_nothing(lines: Iterable[str]) -> Iterator[str]:
    """Sentences that say why an input in which nothing was found holds no table, if its text tells."""
    lines = iter(lines)
    first = [*islice(lines, MAX_LINES + 1)]
    if not any(line.strip() for line in chain(first, lines)):
        yield EMPTY
    elif len(first) <= MAX_LINES and any(map(_ERROR.fullmatch, first)):
        yield NO_TERMINAL
    elif len(first) <= MAX_LINES and any(_is_header(line.strip()) for line in first):
        yield DUMB_TERMINAL


def _is_header(line: str) -> bool:
    return INTERVAL.match(line) is not None and "nvidia-smi" in line


def lacks_lines(rows: Sequence[str]) -> bool:
    """Whether a card on a screen has no line with its load below the one with its name."""
    kinds = [LINES.read(row).kind for row in rows]
    return any(kind == "gpu_identity" and below not in ("gpu_load", "") for kind, below in pairwise(kinds))
