"""Our own words in the columns of a terminal, where a Chinese letter takes two."""

from __future__ import annotations

import re
import textwrap
import unicodedata

COLUMNS = 80
NO_BREAK = "\N{NO-BREAK SPACE}"
_FILLER = "\0"
"""Stands behind a wide letter while lines are made, so that a letter is a column; our texts hold none."""
_OPENING, _CLOSING = "\N{FULLWIDTH LEFT PARENTHESIS}", "\N{FULLWIDTH RIGHT PARENTHESIS}"
_CLOSING += "\N{FULLWIDTH COMMA}\N{IDEOGRAPHIC FULL STOP}\N{IDEOGRAPHIC COMMA}\N{FULLWIDTH SEMICOLON}"
_CLOSING += "\N{FULLWIDTH COLON}\N{FULLWIDTH QUESTION MARK}\N{FULLWIDTH EXCLAMATION MARK}"

_UNIT = re.compile(r"(?<=[0-9]) (?=%|[A-Za-z°]{1,3}\b)")


class _Wrapper(textwrap.TextWrapper):
    """Breaks between wide letters too, but not before a closing mark and not behind an opening one."""

    wordsep_simple_re = re.compile(
        rf"( +|(?:[{_OPENING}]{_FILLER})*+(?:[^ {_FILLER}]{_FILLER}|(?:[^ {_FILLER}](?!{_FILLER}))+)"
        rf"(?:[{_CLOSING}]{_FILLER})*+)"
    )


def wrapped(said: str, *, indent: str = "", hanging: int = 0) -> str:
    """One paragraph in lines of at most 80 columns; one without wide letters as ``textwrap`` does it.

    Args:
        said: Ours: its only blank that may be broken is a space, and it holds no control characters.
        indent: Before each line.
        hanging: Further blanks before each line but the first.
    """
    filled = "".join(letter + _FILLER * (width(letter) - 1) for letter in said)
    wrapper = _Wrapper(
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + " " * hanging,
        break_on_hyphens=False,
    )
    return wrapper.fill(filled).replace(_FILLER, "").replace(NO_BREAK, " ")


def with_whole_units(said: str) -> str:
    """The same with a blank that is not broken between each number and its unit."""
    return _UNIT.sub(NO_BREAK, said)


def width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def left(text: str, columns: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """The text at the right of so many columns."""
    return " " * (columns - width(text)) + text
