"""Lines to columns: the line grammar of a format, and a memo so that no shape of line is parsed twice.

Two lines have the same shape when they differ in digits only. No terminal of a line grammar spells out a digit
or takes only some of them (a test holds that), so the parser goes the same way through both, and what it found
in one stands at the same place in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import lark.lexer
from lark import Lark, Token, Tree, UnexpectedInput

MAX_LINE = 1_000  # characters; no line that nvidia-smi prints is as long
MAX_SHAPES = 20_000  # the memo starts again beyond this: text of ever new shapes must not fill the memory
_MASK = bytes.maketrans(b"123456789", b"000000000")


def grammar(name: str, start: str) -> Lark:
    """The parser of one of our grammars.

    Where interegular is installed (vLLM and outlines bring it along), Lark compares each terminal with all others
    on every start, half a second in all. Our grammars are compared once, by a test with ``strict=True``.
    """
    installed = lark.lexer.has_interegular
    lark.lexer.has_interegular = False
    try:
        return Lark.open_from_package("smianalyze.grammars", name, parser="lalr", start=start)
    finally:
        lark.lexer.has_interegular = installed


@dataclass(frozen=True, slots=True)
class LineShape:
    """What the grammar says about all lines of one shape.

    Attributes:
        kind: Name of the rule that reads the line; "" where the grammar rejects it.
        columns: Column name with start and end of its value in the line; columns without a value are left out.
            Of a rejected line: the columns that were complete before the place where it broke off.
        failed: Columns that read ``ERR!``.
        names: Names of ``columns``.
    """

    kind: str
    columns: tuple[tuple[str, int, int], ...] = ()
    failed: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


REJECTED = LineShape("")


class LineReader:
    """Reads the lines of one format; ``parses`` counts how often Lark had to run."""

    def __init__(self, name: str, may_match: Callable[[str], bool], *, max_line: int = MAX_LINE) -> None:
        """Prepare a reader; the grammar is built when the first line needs it.

        Args:
            name: The ``.lark`` file; its start rule is ``line``.
            may_match: Cheap test that is false for lines that the grammar can only reject.
            max_line: Longest line in characters; a longer one is rejected.
        """
        self._name = name
        self._may_match = may_match
        self._max_line = max_line
        self._lark: Lark | None = None
        self._shapes: dict[bytes, LineShape] = {}
        self.parses = 0

    def read(self, line: str) -> LineShape:
        """The shape of a line; :data:`REJECTED` for a line that is too long or cannot match."""
        if len(line) > self._max_line or not self._may_match(line):
            return REJECTED
        key = line.encode("utf-8", "surrogatepass").translate(_MASK)  # bytes are masked ten times as fast as a str
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= MAX_SHAPES:
                self._shapes.clear()
            shape = self._shapes[key] = self._parse(line)
        return shape

    def _parse(self, line: str) -> LineShape:
        if self._lark is None:
            self._lark = grammar(self._name, "line")
        self.parses += 1
        parser = self._lark.parse_interactive(line)
        try:
            parser.exhaust_lexer()
            tree = parser.feed_eof()  # type: ignore[no-untyped-call]
        except UnexpectedInput:
            return _shape("", _subtrees(parser.parser_state.value_stack))
        return _shape(str(tree.data), _subtrees(tree.children))


def _subtrees(values: list[Any]) -> Iterator[Tree[Token]]:
    """The column trees among finished values; what is not yet reduced to a rule is no value."""
    for value in values:
        if isinstance(value, Tree):
            yield value
        elif isinstance(value, list):
            yield from _subtrees(value)


def _shape(kind: str, trees: Iterator[Tree[Token]]) -> LineShape:
    columns: list[tuple[str, int, int]] = []
    failed: list[str] = []
    for tree in trees:
        tokens = [token for token in tree.children if isinstance(token, Token)]
        if not tokens or tree.data.startswith("_"):
            continue
        if tokens[0].type == "ERR":
            failed.append(str(tree.data))
        else:
            columns.append((str(tree.data), tokens[0].start_pos or 0, tokens[-1].end_pos or 0))
    return LineShape(kind, tuple(columns), tuple(failed), tuple(name for name, _, _ in columns))
