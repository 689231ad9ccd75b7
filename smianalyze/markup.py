"""Markdown out of our own words; text from an input stands in the code spans of ``safe`` instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from smianalyze import safe
from smianalyze.quantities import UNKNOWN

ABSENT = "\N{EN DASH}"
"""Stands where a card or process was not in that print."""
PROSE_LETTERS = 1000
"""A sentence of ours is shorter; a longer text is cut."""

_CODE = re.compile(r"(`[^`]+`)")
# An underscore inside a word is none of Markdown's business, and names of columns are full of them.
_SPECIAL = re.compile(r"[\\`*<>\[\]|~&]|(?<!\w)_|_(?!\w)")


def prose(text: str, *, span: Callable[[str], str] = safe.code) -> str:
    """A sentence of ours as Markdown; code spans in it stay code spans.

    Args:
        text: Plain but for code spans.
        span: Makes a code span; inside a table it is ``safe.cell``.
    """
    pieces = _CODE.split(safe.line(text, PROSE_LETTERS))
    return "".join(
        span(piece[1:-1]) if number % 2 else _SPECIAL.sub(r"\\\g<0>", piece) for number, piece in enumerate(pieces)
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; columns of numbers are the caller's to align."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def legend(text: str) -> str:
    """What the marks in a table mean, for those that it holds; empty if it holds none."""
    meanings = {
        UNKNOWN: "was not printed or could not be read",
        ABSENT: "not there in that print",
    }
    said = [f"{mark} = {meaning}" for mark, meaning in meanings.items() if mark in text.split()]
    return f"{'; '.join(said)}." if said else ""
