"""What is said to people is said in both languages: every text has its Chinese, and no Chinese is left over."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from smianalyze import chinese
from smianalyze.columns import FRAMES, columns_of
from smianalyze.formats import FORMATS
from smianalyze.language import of_locale, say, speaking, spoken

PACKAGE = Path(__file__).resolve().parents[1] / "smianalyze"
PARTS = sorted(path for path in (PACKAGE / "chinese").glob("*.py") if path.stem != "__init__")
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "chinese")
SAYING = {"smianalyze.language": ("say", "text"), "smianalyze.quantities": ("counted",)}
BUILT = (ast.JoinedStr, ast.BinOp)
"""Cannot be looked up: such English stands nowhere as a whole."""

HAN = "[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]"
ENDS = ("\N{IDEOGRAPHIC FULL STOP}", "\N{FULLWIDTH QUESTION MARK}")
TEXTS = [pytest.param(english, said, id=english[:60]) for english, said in chinese.TEXTS.items()]


def named(paths: list[Path]) -> list[pytest.param]:
    return [pytest.param(path, id=path.relative_to(PACKAGE).with_suffix("").as_posix()) for path in paths]


def calls(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """What is said in a module: the function and its text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in SAYING]
    names = set(SAYING.get(f"smianalyze.{path.stem}", ())) if path.parent == PACKAGE else set()
    names |= {alias.name for node in imports for alias in node.names if alias.name in SAYING[str(node.module)]}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.func.id, node.args[1 if node.func.id == "counted" else 0]


def literals(path: Path) -> set[str]:
    """The texts that stand in a module."""
    found = set()
    for name, said in calls(path):
        for one in (said.body, said.orelse) if isinstance(said, ast.IfExp) else (said,):
            if isinstance(one, ast.Constant):
                found.add(f"{{number:,}} {one.value}" if name == "counted" else str(one.value))
    return found


def fields(text: str) -> set[tuple[str, str]]:
    """The places of values in a text, with how they are written."""
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("path", named(MODULES))
def test_each_text_has_its_chinese(path: Path) -> None:
    assert sorted(literals(path) - chinese.TEXTS.keys()) == []


@pytest.mark.parametrize("path", named(MODULES))
def test_what_is_said_stands_somewhere_as_a_whole(path: Path) -> None:
    assert [ast.unparse(said) for _, said in calls(path) if isinstance(said, BUILT)] == []


def test_no_chinese_is_left_over() -> None:
    said = set[str]().union(*map(literals, MODULES))
    said |= {column.meaning for frame in FRAMES for column in columns_of(frame)} | {one.title for one in FORMATS}
    assert sorted(chinese.TEXTS.keys() - said) == []


def test_each_text_stands_in_one_part_and_there_once() -> None:
    tables = [
        node.value
        for path in PARTS
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict)
    ]
    keys = [ast.literal_eval(key) for table in tables for key in table.keys if key]
    assert sorted({key for key in keys if keys.count(key) > 1}) == []


def test_all_parts_are_joined() -> None:
    assert {path.stem for path in PARTS} == {part.__name__.rpartition(".")[2] for part in chinese.PARTS}


@pytest.mark.parametrize(("english", "said"), TEXTS)
def test_both_have_the_same_values(english: str, said: str) -> None:
    assert fields(said) == fields(english)


@pytest.mark.parametrize(("english", "said"), TEXTS)
def test_chinese_has_chinese_marks(english: str, said: str) -> None:
    """Full stops where the English has some, marks of full width beside Chinese, a blank beside Latin letters."""
    plain = re.sub(r"`[^`]*`", "`", said)
    assert not re.search(f"{HAN}[,;:?!()]|[,;:?!(]{HAN}|{HAN}[.](?![a-z0-9])", plain)
    assert not re.search(f"{HAN}[A-Za-z0-9`]|[A-Za-z0-9`%]{HAN}", plain)
    assert said.endswith(ENDS) == english.endswith((".", "?")) or not re.search(HAN, said)


def test_say_speaks_the_language_of_its_surroundings() -> None:
    with speaking("zh"):
        assert say("GPU number") == "GPU 编号"
        with speaking("en"):
            assert say("GPU number") == "GPU number"
    assert spoken() == "en"


@pytest.mark.parametrize(
    ("names", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
    ],
)
def test_language_of_the_locale(names: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert of_locale() == language
