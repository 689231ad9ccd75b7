"""Every regular expression takes time in proportion to its input, whatever the input says.

Found by walking the modules and the grammars, so that none is forgotten: patterns at module level (inside
tuples, dictionaries, dataclasses and classes too), patterns written as literals into calls, and terminals.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NamedTuple

import pytest
from lark import Lark

import smianalyze

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "smianalyze"
KIB = 1024
# An exponential pattern shows at a few letters and would never come back from thousands.
SIZES = (16, 18, 20, 22, 24, 28, 256, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB)
JUDGED_FROM_S = 0.005  # below this a ratio is noise
LIMIT_S = 0.05
GROWTH = 2.5  # for a doubled input; a quadratic pattern has 4
TURNS = 5
# Who is quicker than this at 4 KiB stays below JUDGED_FROM_S at 32 KiB even if quadratic.
QUICK_S = JUDGED_FROM_S / 64
UNITS = (
    *(
        "a",
        "A",
        "0",
        " ",
        "-",
        "=",
        "|",
        ".",
        "/",
        "\\",
        ":",
        '"',
        "'",
        ",",
        "@",
        "%",
        "*",
        "+",
        "[",
        "<",
        "`",
        "\t",
    ),
    *(
        "\x1b[",
        "a ",
        "0 ",
        "0.",
        "0:",
        "a.",
        "/a",
        "a=",
        "-a ",
        "a_",
        "://a",
        "aA0",
        "| ",
        "|-",
        "+-",
        '"a',
        "\\a",
    ),
    *("[0", "(a", "0,", "a\n", "::", "> "),
)
END = "\x01"  # so that what ran to the end of the text has to give up there


class Pattern(NamedTuple):
    """A pattern, where it stands, and by which methods it is used."""

    where: str
    regex: re.Pattern[str] | re.Pattern[bytes]
    uses: frozenset[str]


SEARCHES = frozenset(("search", "finditer", "findall", "sub", "subn", "split"))
METHODS = SEARCHES | {"match", "fullmatch"}
ANY_USE = frozenset(("fullmatch", "search"))


@cache
def methods_by_name() -> dict[str, set[str]]:
    """For each name on which a method is called anywhere, the methods."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                found.setdefault(owner, set()).add(node.attr)
    return found


def patterns_in(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from patterns_in(item)
    elif isinstance(value, dict):
        yield from patterns_in((*value.keys(), *value.values()))
    elif isinstance(value, type) and value.__module__.startswith("smianalyze"):
        yield from patterns_in(dict(vars(value)))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from patterns_in([getattr(value, field.name) for field in dataclasses.fields(value)])


def modules() -> list[str]:
    return [found.name for found in walk_packages(smianalyze.__path__[:1], "smianalyze.")]


@cache
def owners() -> dict[int, str]:
    """The first module in which each pattern is met: others import it from there."""
    found: dict[int, str] = {}
    for name in modules():
        for regex in patterns_in([*vars(importlib.import_module(name)).values()]):
            found.setdefault(id(regex), name)
    return found


def patterns_of_module(name: str) -> Iterator[Pattern]:
    for variable, value in vars(importlib.import_module(name)).items():
        uses = methods_by_name().get(variable, set()) & METHODS if isinstance(value, re.Pattern) else None
        for regex in patterns_in(value):
            if owners()[id(regex)] == name:
                yield Pattern(f"{name}.{variable}", regex, frozenset(uses or ANY_USE))


def patterns_in_calls(name: str) -> Iterator[Pattern]:
    """Literals in ``re.search("…")`` and in calls with ``regex=True``."""
    path = Path(importlib.import_module(name).__file__ or "")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        function = ast.unparse(node.func)
        is_regex = any(
            keyword.arg == "regex" and ast.unparse(keyword.value) == "True" for keyword in node.keywords
        )
        if is_regex or (function.startswith("re.") and function != "re.compile"):
            yield Pattern(f"{name}:{node.lineno}", re.compile(node.args[0].value), ANY_USE)


def terminals(file_name: str) -> Iterator[Pattern]:
    # Without a parser every terminal is kept, also those of a file that has no rule.
    grammar = Lark.open_from_package("smianalyze.grammars", file_name, parser=None, lexer="basic")
    for terminal in grammar.terminals:
        regex = re.compile(terminal.pattern.to_regexp())
        yield Pattern(f"{file_name} {terminal.name}", regex, frozenset(("match",)))


def hostile_units(regex: re.Pattern[str] | re.Pattern[bytes]) -> list[str]:
    """What to repeat: letters and pairs that occur in any input, and the words of the pattern itself."""
    source = regex.pattern if isinstance(regex.pattern, str) else regex.pattern.decode("latin-1")
    words = list(dict.fromkeys(re.findall(r"[A-Za-z]{2,}", source)))[:12]
    return [*UNITS, *words, *(f"{word}=" for word in words[:4]), " ".join(words) + " "]


def job(pattern: Pattern, text: str) -> Callable[[], object]:
    """One use of the pattern on the text; a lexer matches at one place, ``sub`` goes on to the end."""
    is_text = isinstance(pattern.regex.pattern, str)
    hostile: Any = text if is_text else text.encode("latin-1")
    regex: re.Pattern[Any] = pattern.regex
    if pattern.uses & SEARCHES:
        return lambda: deque(regex.finditer(hostile), maxlen=0)
    return lambda: (regex.match(hostile), regex.fullmatch(hostile) if "fullmatch" in pattern.uses else None)


def seconds(work: Callable[[], object]) -> float:
    """The quickest of three runs: what else the machine does only ever adds to a time."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def hostile_text(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size] + END


def complaint(pattern: Pattern, unit: str) -> str:
    """Why the pattern is too slow on a text of repeated units; empty where it is not."""
    before = 0.0
    for size in SIZES:
        now = seconds(job(pattern, hostile_text(unit, size)))
        grew = size > 4 * KIB and now > JUDGED_FROM_S and now > GROWTH * before
        if now > LIMIT_S or (grew and grows(pattern, unit, size)):
            return f"{pattern.where}: {size} letters of {unit!r} took {now:.4f} s, fewer took {before:.4f} s"
        if size == 4 * KIB and now < QUICK_S:
            break
        before = now
    return ""


def grows(pattern: Pattern, unit: str, size: int) -> bool:
    """Whether a text takes much longer than its half where both take turns: others may use the machine."""
    half, whole = (job(pattern, hostile_text(unit, letters)) for letters in (size // 2, size))
    pairs = [(seconds(half), seconds(whole)) for _ in range(TURNS)]
    quickest_half, quickest_whole = (min(times) for times in zip(*pairs, strict=True))
    return quickest_whole > GROWTH * quickest_half


def first_complaint(pattern: Pattern) -> str:
    """The first unit that the pattern is too slow on, time after time."""
    for unit in hostile_units(pattern.regex):
        said = ""
        for _ in range(3):
            said = complaint(pattern, unit)
            if not said:
                break
        if said:
            return said
    return ""


def complaints(patterns: Iterable[Pattern]) -> list[str]:
    return list(filter(None, map(first_complaint, patterns)))


def test_patterns_are_found_where_they_hide() -> None:
    hidden = {"a": (re.compile("x"), [re.compile(b"y")]), "b": frozenset([re.compile("z")])}

    assert [regex.pattern for regex in patterns_in(hidden)] == ["x", b"y", "z"]
    assert "smianalyze.safe._BACKTICKS" in [found.where for found in patterns_of_module("smianalyze.safe")]
    assert "common.lark BUS_ID" in [found.where for found in terminals("common.lark")]


@pytest.mark.parametrize(
    "source",
    [r".*?NVRM.*?Xid.*?:", r"\s+$", r"(?:a+)+$", r"[a-z]+ *:"],
    ids=["cubic", "quadratic", "exponential", "quadratic-prefix"],
)
def test_slow_pattern_is_caught(source: str) -> None:
    assert first_complaint(Pattern("here", re.compile(source), ANY_USE))


@pytest.mark.parametrize("name", modules())
def test_every_pattern_of_a_module_is_linear(name: str) -> None:
    assert complaints((*patterns_of_module(name), *patterns_in_calls(name))) == []


@pytest.mark.parametrize("file_name", sorted(path.name for path in (ROOT / "grammars").glob("*.lark")))
def test_every_terminal_of_a_grammar_is_linear(file_name: str) -> None:
    assert complaints(terminals(file_name)) == []
