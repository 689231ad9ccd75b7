"""Markdown out of our own words; text from an input stands in the code spans of ``safe`` instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from smianalyze import safe
from smianalyze.language import say, text
from smianalyze.quantities import UNKNOWN

ABSENT = "\N{EN DASH}"
"""Stands where a card or process was not in that print."""
PROSE_LETTERS = 1000
"""A sentence of ours is shorter; a longer text is cut."""

MEANINGS = {
    UNKNOWN: text("was not printed or could not be read"),
    ABSENT: text("not there in that print"),
}

_CODE = re.compile(r"(`[^`]+`)")
# An underscore inside a word is none of Markdown's business, and names of columns are full of them.
_SPECIAL = re.compile(r"[\\`*<>\[\]|~&]|(?<!\w)_|_(?!\w)")


def prose(said: str, *, span: Callable[[str], str] = safe.code) -> str:
    """A sentence of ours as Markdown; code spans in it stay code spans.

    Args:
        said: Plain but for code spans.
        span: Makes a code span; inside a table it is ``safe.cell``.
    """
    pieces = _CODE.split(safe.line(said, PROSE_LETTERS))
    return "".join(
        span(piece[1:-1]) if number % 2 else _SPECIAL.sub(r"\\\g<0>", piece) for number, piece in enumerate(pieces)
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; columns of numbers are the caller's to align."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def legend(shown: str) -> str:
    """What the marks in a table mean, for those that it holds; empty if it holds none."""
    meanings = [f"{mark} = {say(meaning)}" for mark, meaning in MEANINGS.items() if mark in shown.split()]
    return say("{meanings}.", meanings=say("; ").join(meanings)) if meanings else ""
