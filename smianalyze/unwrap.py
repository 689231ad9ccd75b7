"""Lines that were cut in two by a narrow terminal, and tables that were joined to one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RULE_IN_TEXT = re.compile(r"[+|][-=]{10}[-=+]{0,400}[+|]")
_DASHES = re.compile(r"[-=]{1,400}")
_FIRST_PIECE = re.compile(r" {0,40}[+|][-=+|]{10,400}$")
_LAST_PIECE = re.compile(r"[-=+|]{0,400}[+|]$")


def rejoin_wrapped(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join the pieces of lines that a terminal of fixed width wrapped.

    Rules show the width: a rule that does not close with ``+`` or ``|`` and whose next line closes it. From
    then on a line that begins like a table line and does not close takes as many pieces as the rule did.

    Args:
        lines: Line numbers and texts of one stream.

    Returns:
        The same with wrapped lines joined, under the number of their first piece.
    """
    if not any(map(may_be_wrapped, {text for _, text in lines})):
        return list(lines)
    result: list[tuple[int, str]] = []
    width = pieces = 0
    position = 0
    while position < len(lines):
        number, text = lines[position]
        found = _pieces_of_rule(lines, position)
        if found:
            width, pieces = len(text), found
        count = pieces if width and _is_open(text, width) else 1
        part = [piece for _, piece in lines[position : position + count]]
        result.append((number, "".join(piece.ljust(width) for piece in part[:-1]) + part[-1]))
        position += count
    return result


def may_be_wrapped(text: str) -> bool:
    """Whether a line may be the first piece of a rule."""
    return _FIRST_PIECE.match(text) is not None


def is_open_rule(text: str) -> bool:
    """Whether a line is the beginning of a rule that does not close."""
    return may_be_wrapped(text) and not (text.endswith(("+", "|")) and text.count(text[-1]) > 1)


def _pieces_of_rule(lines: Sequence[tuple[int, str]], position: int) -> int:
    """Number of lines that the rule at this position was wrapped into; 0 where there is no wrapped rule."""
    text = lines[position][1]
    if not is_open_rule(text):
        return 0
    for count, (_, piece) in enumerate(lines[position + 1 : position + 8], 2):
        if len(piece) == len(text) and not set(piece) - set("-=+|"):
            continue
        return count if len(piece) < len(text) and _LAST_PIECE.match(piece) else 0
    return 0


def _is_open(text: str, width: int) -> bool:
    """Whether a table line goes on in the next: it begins with a border and does not end with one in time."""
    if not text.lstrip(" ").startswith(("+", "|")) or len(text) > width:
        return False
    return len(text) == width or not text.rstrip().endswith(("+", "|"))


def split_joined(text: str) -> list[str]:
    """The lines of a table that stands on one line; any other text is returned as its only line.

    A rule tells how many cells the rows after it have, and with that how many bars belong to each row.
    """
    if "--" not in text:
        return [text]
    rules = list(_RULE_IN_TEXT.finditer(text))
    if not rules or rules[0].group() == text.strip() or not _rows_between(text, rules):
        return [text]
    lines = [text[: rules[0].start()].strip()]
    for rule, following in zip(rules, [*rules[1:], None], strict=True):
        lines.append(rule.group())
        between = text[rule.end() : following.start() if following else len(text)]
        lines.extend(_rows(between, cells=len(_DASHES.findall(rule.group()))))
    return [line for line in lines if line]


def _rows_between(text: str, rules: list[re.Match[str]]) -> bool:
    return "|" in text[rules[0].end() :] and ("MiB" in text or "-SMI" in text)


def _rows(text: str, *, cells: int) -> list[str]:
    """Rows of so many cells; what is left over at the end stands as it is."""
    bars = [index for index, character in enumerate(text) if character == "|"]
    rows: list[str] = []
    end = 0
    while len(bars) > cells:
        rows.append(text[bars[0] : bars[cells] + 1])
        end = bars[cells] + 1
        bars = bars[cells + 1 :]
    rows.append(text[end:].strip())
    return rows
