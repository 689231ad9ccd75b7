"""The memo may stand in for the grammar only while no terminal looks at which digit it reads."""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fixture_pairs import FIXTURES
from lark import Lark

import smianalyze
from smianalyze.formats.smi_table import LINES
from smianalyze.reader import MAX_LINE, REJECTED, LineReader, grammar

GRAMMARS = Path(__file__).resolve().parents[1] / "grammars"
DOCUMENTS = {"smi_document.lark": "document"}
LINE_GRAMMARS = sorted(
    path.name
    for path in GRAMMARS.glob("*.lark")
    if path.name not in {"common.lark", *DOCUMENTS} and "line:" in path.read_text(encoding="utf-8")
)
DIGITS = frozenset(range(ord("0"), ord("9") + 1))
MASK = str.maketrans("123456789", "000000000")


@cache
def built(name: str) -> Lark:
    return grammar(name, "line")


def parts_that_tell_digits_apart(tree: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Pieces of a parsed pattern that match one digit and not another, or look back at what was matched."""
    for operator, argument in tree:
        if operator in (sre.LITERAL, sre.NOT_LITERAL) and argument in DIGITS:
            yield f"the digit {chr(argument)}"
        elif operator is sre.IN:
            digits = {code for item in argument for code in covered(item)} & DIGITS
            if digits and digits != DIGITS:
                yield f"only the digits {sorted(map(chr, digits))}"
        elif operator in (sre.GROUPREF, sre.GROUPREF_EXISTS):
            yield "a reference to a group"
        elif operator is sre.BRANCH:
            for branch in argument[1]:
                yield from parts_that_tell_digits_apart(branch)
        elif isinstance(argument, tuple):
            for piece in argument:
                if isinstance(piece, sre_parser.SubPattern):
                    yield from parts_that_tell_digits_apart(piece)


def covered(item: tuple[Any, Any]) -> range | list[int]:
    operator, argument = item
    if operator is sre.RANGE:
        return range(argument[0], argument[1] + 1)
    return [argument] if operator is sre.LITERAL else []


@pytest.mark.parametrize("name", LINE_GRAMMARS)
def test_no_terminal_tells_digits_apart(name: str) -> None:
    found = {
        terminal.name: [*parts_that_tell_digits_apart(sre_parser.parse(terminal.pattern.to_regexp()))]
        for terminal in built(name).terminals
    }

    assert {terminal: parts for terminal, parts in found.items() if parts} == {}


@pytest.mark.parametrize("pattern", ["MIG 1g", "P[0-8]", r"([0-9])x\1", "[^5|]+"])
def test_terminal_that_tells_digits_apart_is_found(pattern: str) -> None:
    assert [*parts_that_tell_digits_apart(sre_parser.parse(pattern))]


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("smi_table/*.txt")), ids=lambda path: path.stem)
def test_masked_line_is_read_like_the_line(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    plain, masked = LineReader("smi_table.lark", bool), LineReader("smi_table.lark", bool)

    for line in lines:
        assert plain.read(line) == masked.read(line.translate(MASK))


@pytest.mark.parametrize("name", [*LINE_GRAMMARS, *DOCUMENTS])
def test_terminals_do_not_collide(name: str) -> None:
    start = DOCUMENTS.get(name, "line")

    Lark.open_from_package("smianalyze.grammars", name, parser="lalr", start=start, strict=True)


def test_known_shape_is_not_parsed_again() -> None:
    reader = LineReader("smi_table.lark", bool)

    for used in range(100, 1000):
        shape = reader.read(f"| N/A   52C    P0   149W / 250W |  14{used}MiB / 32510MiB |     87%      Default |")

    assert reader.parses == 1
    assert shape.kind == "gpu_load"


def test_broken_line_keeps_what_was_complete() -> None:
    line = "| N/A   52C    P0   149W / 250W |  14310MiB / 325"
    shape = LineReader("smi_table.lark", bool).read(line)

    assert shape.kind == ""
    assert {name: line[start:end] for name, start, end in shape.columns} == {
        "temperature_gpu_c": "52",
        "pstate": "P0",
        "power_draw_w": "149",
        "power_limit_w": "250",
        "memory_used_mib": "14310",
    }


def test_line_that_cannot_match_is_not_parsed() -> None:
    reader = LineReader("smi_table.lark", lambda line: "|" in line)

    assert [reader.read("prose"), reader.read("|" * (MAX_LINE + 1))] == [REJECTED, REJECTED]
    assert reader.parses == 0


def test_long_series_takes_few_parses() -> None:
    table = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")
    before = LINES.parses
    capture = smianalyze.loads("".join(table.replace("31022", str(31022 + tick)) for tick in range(300)))

    assert len(capture.gpus) == 600
    assert LINES.parses - before <= 30
