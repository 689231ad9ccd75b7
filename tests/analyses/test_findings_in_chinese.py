"""Findings in Chinese: the same as in English but for their words, with the same numbers and commands."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import simulator
from fixture_pairs import FIXTURES

import smianalyze
from smianalyze.analyses.explanations import EXPLANATIONS
from smianalyze.analyses.unknowns import cannot_tell
from smianalyze.chinese import (
    explanations,
    findings,
    memory_findings,
    message_findings,
    series_findings,
    xids,
)
from smianalyze.findings import Finding
from smianalyze.language import speaking

PARTS = (findings, memory_findings, series_findings, message_findings, xids, explanations)
TEXTS = [pytest.param(*pair, id=pair[0][:60]) for part in PARTS for pair in part.TEXTS.items()]
CODE = re.compile(r"`[^`]*`")
HAN = "[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]"
MARK = r"[\u3001-\u3002\uff01-\uff5e]"
WORD = "[A-Za-z']{2,}"
TELLING = ("demo", "log_device", "log_failure", "log_oom", "runs", "smi_error", "top", "watch")
"""Fixtures with many kinds of findings."""

CAPTURES = [path for name in TELLING for path in sorted((FIXTURES / name).rglob("*.*")) if path.suffix != ".json"]
STRONG = [scene for scene in simulator.scenes() if scene.strength == "strong"]


def numbers(*said: str) -> Counter[str]:
    return Counter(re.findall("[0-9]+", " ".join(said)))


def parts(finding: Finding) -> tuple[str, str, str]:
    return finding.title, finding.why, finding.next_step


def check(capture: smianalyze.Capture) -> None:
    """Assert that a capture has the same findings in both languages, each in its own words."""
    english, chinese = capture.findings(lang="en"), capture.findings(lang="zh")
    wordless = [
        [replace(one, title="", why="", next_step="", language="en") for one in found]
        for found in (english, chinese)
    ]

    assert wordless[0] == wordless[1]
    for one, other in zip(english, chinese, strict=True):
        assert [numbers(said) for said in parts(other)] == [numbers(said) for said in parts(one)]
        assert [said for said in parts(other) if not is_chinese(said)] == []
    with speaking("zh"):
        assert [said for said in cannot_tell(capture.frames) if not is_chinese(said)] == []


def is_chinese(said: str) -> bool:
    """Whether a text is Chinese throughout, its blanks where they belong; commands in it are no words."""
    plain = CODE.sub("`", said)
    english = re.search(rf"(?:\b{WORD}[ ,;:]+){{2}}{WORD}", plain)
    odd = re.search(f"{HAN} {HAN}|{HAN}[A-Za-z0-9`]|[A-Za-z0-9`%]{HAN}|{MARK} | {MARK}", plain)
    return bool(re.search(HAN, plain)) and not english and not odd


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_capture_has_the_same_findings_in_both_languages(path: Path) -> None:
    check(smianalyze.load(path))


@pytest.mark.slow
@pytest.mark.parametrize("scene", STRONG, ids=lambda scene: scene.name)
def test_run_has_the_same_findings_in_both_languages(scene: simulator.Scene, tmp_path: Path) -> None:
    for name, text in scene.texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    check(smianalyze.load(*(tmp_path / name for name in scene.texts)))


@pytest.mark.parametrize(("english", "chinese"), TEXTS)
def test_text_has_the_numbers_and_the_code_of_its_english(english: str, chinese: str) -> None:
    plain = [re.sub(r"[{][^}]*[}]", "", said) for said in (english, chinese)]

    assert numbers(plain[1]) == numbers(plain[0])
    assert Counter(CODE.findall(chinese)) == Counter(CODE.findall(english))


@pytest.mark.parametrize("finding_id", EXPLANATIONS)
def test_explanation_has_the_same_numbers_in_both_languages(finding_id: str) -> None:
    explanation = EXPLANATIONS[finding_id]
    with speaking("zh"):
        said = [explanation.meaning, explanation.decided, explanation.next_step, explanation.example]

    assert all(re.search(HAN, sentence) for sentence in said[:3])
    assert [numbers(sentence) for sentence in said] == [
        numbers(explanation.meaning),
        numbers(explanation.decided),
        numbers(explanation.next_step),
        numbers(explanation.example),
    ]
