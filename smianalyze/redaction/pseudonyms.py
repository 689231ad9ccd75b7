"""Other names of the same width: what is replaced in a table must not move what stands behind it.

A width is a number of cells of a terminal. What replaces a name is ASCII, so that every encoding has it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import product
from string import ascii_lowercase

FILLER = "x"
_FIRST_HIDDEN = 0xDC00  # half characters, which no decoded text has: bytes that are no UTF-8 become others of them
_HIDDEN = {sign: _FIRST_HIDDEN + sign for sign in range(0x20, 0x7F)}
_SHOWN = {hidden: sign for sign, hidden in _HIDDEN.items()}
_SIGN = re.compile(r"[A-Za-z0-9]")


def hidden(text: str) -> str:
    """The text in signs that no pattern knows, so that what was replaced is not taken for an original."""
    return text.translate(_HIDDEN)


def is_hidden(text: str) -> bool:
    """Whether all of it was replaced already."""
    return all(ord(sign) in _SHOWN for sign in text)


def shown(text: str) -> str:
    """The text with all that was hidden in plain letters."""
    return text.translate(_SHOWN)


def width(text: str) -> int:
    """Cells that a text takes: two for a wide character, none for a mark above one."""
    if text.isascii():
        return len(text)
    return sum(cells(character) for character in text)


def cells(character: str) -> int:
    """Cells that one character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def filled(text: str) -> str:
    """The text with all of it crossed out but its blanks."""
    return "".join(character if character.isspace() else FILLER * cells(character) for character in text)


def numbered(text: str, number: int) -> str:
    """The text with its letters and digits replaced by a number: 10.0.0.11 becomes 00.0.0.01."""
    head = "0x" if text[:2].lower() == "0x" else ""
    rest = text[len(head) :]
    count = len(_SIGN.findall(rest))
    digits = iter(str(number).zfill(count)[-count:])
    return head + _SIGN.sub(lambda _: next(digits), rest)


class Pseudonyms:
    """Names such as ``user-1``, each for one original; short originals get short ones: ``u01``, ``ab``."""

    def __init__(self) -> None:
        self._short: dict[int, set[str]] = {}

    def named(self, kind: str, number: int, columns: int) -> str:
        """A name of so many cells.

        Args:
            kind: A word for what is named.
            number: Tells things of this kind apart.
            columns: Its width, 1 or more.
        """
        for head in (f"{kind}-", kind[0]):
            name = f"{head}{str(number).zfill(columns - len(head))}"
            if len(name) == columns and len(head) < columns:
                return name
        return self._letters(columns)

    def _letters(self, columns: int) -> str:
        """Letters that were not given yet; where all were, the same for all that is left."""
        given = self._short.setdefault(columns, set())
        free = ("".join(letters) for letters in product(ascii_lowercase, repeat=columns))
        name = next((letters for letters in free if letters not in given), FILLER * columns)
        given.add(name)
        return name
