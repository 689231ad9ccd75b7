r"""The only way for text from an input to reach a terminal, Markdown, a CSV file or a figure.

Hostile characters are replaced by a visible escape (``\x1b``), never deleted, so that nothing vanishes.
What a text *says* (users, paths, secrets) is the business of ``masking``; mask first, then clean.
"""

from __future__ import annotations

import json
import re

# Zero width, yet printable by Python's reckoning: joiners, fillers and variation selectors.
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
_BACKTICKS = re.compile("`+")
# A cell that starts with one of these is a formula to a spreadsheet; the wide forms in East Asian settings.
_FORMULA_STARTS = frozenset("=+-@＝＋－＠")  # noqa: RUF001 - the wide forms are meant


def line(text: str, limit: int = 200) -> str:
    """The text on one line, fit for a terminal.

    Args:
        text: Any text, lone surrogates included.
        limit: Most characters of the result, at least 1; a longer text is cut and ends in an ellipsis.

    Returns:
        Printable characters only: no control, direction, zero-width or line separator character.
    """
    shown = _visible(text[: limit + 1])  # an escape is never shorter than what it replaces
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def code(text: str) -> str:
    """A Markdown code span of the text, for use outside tables; an empty text becomes a blank."""
    shown = _visible(text) or " "
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    # Renderers take one blank off both ends. The backslash: some let it escape the fence behind it.
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` \\") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell(text: str) -> str:
    r"""A Markdown code span of the text, for use inside a table.

    A pipe is written ``\|``. One that follows a backslash is shown as ``\x7c``: renderers disagree on
    whether ``\\|`` ends a cell.
    """
    return code(text).replace("\\|", r"\\x7c").replace("|", r"\|")


def csv_text(text: str) -> str:
    """A text cell that no spreadsheet evaluates; for text columns only, a number keeps its minus sign.

    Controls become visible escapes, so a cell cannot start with a tab, a line end or NUL either. An
    apostrophe is put in front of what would be a formula; ``csv_text_undone`` takes it away.
    """
    shown = _visible(text)
    return f"'{shown}" if _is_formula(shown) else shown


def json_text(document: str) -> str:
    """A JSON document that says the same and shows nothing invisible: such characters are written as escapes."""
    odd = {sign for sign in set(document) if (not sign.isprintable() and sign != "\n") or sign in _INVISIBLE}
    return document.translate({ord(sign): json.dumps(sign)[1:-1] for sign in odd}) if odd else document


def csv_text_undone(text: str) -> str:
    """The text of a cell as it was before ``csv_text`` put an apostrophe in front."""
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def label(text: str, limit: int = 60) -> str:
    """The text on one short line, fit for a figure.

    The caller draws with ``text.parse_math`` off: a ``$`` would otherwise be read as mathematics. A blank
    goes in front of an underscore, because matplotlib leaves labels that start with one out of a legend.
    """
    return line(f" {text}" if text.startswith("_") else text, limit)


def _visible(text: str) -> str:
    if text.isprintable() and _INVISIBLE.isdisjoint(text):
        return text
    return "".join(map(_spelled, text))


def _spelled(character: str) -> str:
    if character.isprintable() and character not in _INVISIBLE:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _is_formula(text: str) -> bool:
    # Apostrophes in front count too: ``'=1`` gets a second one, so that undoing gives it back.
    return text.lstrip("'")[:1] in _FORMULA_STARTS
