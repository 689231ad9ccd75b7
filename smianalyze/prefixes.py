"""Labels in front of every line: quotes, log times, pod and rank names, line numbers.

The rules of a table betray them: whatever stands before ``+-------`` stands before the other lines too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

MAX_PREFIX = 200  # characters; a longer text before a rule is no label
MAX_SHAPES = 500  # labels of one text that are told apart

_RULE_AFTER_LABEL = re.compile(r"([^\n]{1,200}?)[+|][-=]{10}[-=+| ]{0,400}$")
_TABLE_TEXT = re.compile(r"[-=+| ]{0,200}$")
_QUOTE = re.compile(r"(?:[>#*/]{1,3} {0,4}){1,4}(?=[|+])")
_NUMBER = re.compile(r"[0-9]{1,200}")
_VARYING = re.compile(r"[0-9]{1,200}|[ \t]{1,200}")
_TIME = re.compile(
    r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    r"|[A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r"|[0-9]{9,13}(?:\.[0-9]{1,9})?"
)


def split_prefix(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Stream and remaining text of each line; the stream is "" where the text has no labels."""
    shapes = label_shapes(lines)
    if not shapes:
        return [("", _without_quote(line)) for line in lines]
    label = re.compile("|".join(shapes))
    matches = [label.match(line) for line in lines]
    stream = _stream_names([match.group() for match in matches if match])
    return [
        (stream(match.group()), line[match.end() :]) if match else ("", line)
        for line, match in zip(lines, matches, strict=True)
    ]


def _without_quote(line: str) -> str:
    match = _QUOTE.match(line)
    return line[match.end() :] if match else line


def label_shapes(lines: Sequence[str]) -> list[str]:
    """Patterns of the labels that stand before rules, longest first; digits and blanks may vary."""
    shapes: dict[str, None] = {}
    for line in lines:
        if "-----" not in line and "=====" not in line:
            continue
        match = _RULE_AFTER_LABEL.match(line)
        if match and not _TABLE_TEXT.match(match.group(1)) and len(shapes) < MAX_SHAPES:
            shapes[_pattern(match.group(1))] = None
    return sorted(shapes, key=len, reverse=True)


def _pattern(label: str) -> str:
    """A pattern for the label; the blanks at its end are left out, so that empty lines match too."""
    pieces: list[str] = []
    end = 0
    for varying in _VARYING.finditer(label.rstrip()):
        pieces.append(re.escape(label[end : varying.start()]))
        pieces.append("[0-9]{1,200}" if varying.group()[0].isdigit() else "[ \t]{1,200}")
        end = varying.end()
    pieces.append(re.escape(label[end:].rstrip()))
    return "".join(pieces)


def _stream_names(labels: list[str]) -> Callable[[str], str]:
    """The stream of a label: the label without its time, or without any number where numbers count lines."""
    names = [_TIME.sub("", label) for label in labels]
    numbers = [[int(number[:18]) for number in _NUMBER.findall(name)] for name in names]
    if len(set(names)) > 1 and all(before < after for before, after in pairwise(numbers)):
        return lambda label: _VARYING.sub("", label)
    return lambda label: _TIME.sub("", label)
