"""The fonts of pictures: one that comes with matplotlib, and for Chinese one that the machine has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager, get_font
from matplotlib.ft2font import FT2Font

from smianalyze.chinese import TEXTS
from smianalyze.language import Language, speaking, spoken

FAMILY = "DejaVu Sans"
"""Comes with matplotlib, so every machine draws the same letters."""

NORMAL, BOLD = 400, 700

CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Hiragino Sans GB",
    "Heiti SC",
    "SimHei",
    "Noto Sans CJK JP",  # what an older matplotlib calls the collection, by its first font
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
"""Families with simplified Chinese, the first that is there is taken."""


def families() -> list[str]:
    """The families to draw with in the language that is spoken, in the order in which a letter is looked for."""
    chinese = chinese_family() if spoken() == "zh" else None
    return [FAMILY, chinese] if chinese else [FAMILY]


def drawn_language() -> Language:
    """The language of pictures: the one that is spoken if there are letters for it, else English."""
    return "en" if spoken() == "zh" and chinese_family() is None else spoken()


@contextmanager
def speaking_as_drawn() -> Iterator[None]:
    """Speak the language of pictures; every function that makes a page of its own does."""
    with speaking(drawn_language()):
        yield


@cache
def chinese_family() -> str | None:
    """A family that has each letter of our Chinese texts; None where no font does."""
    found = _covering()
    if found is None:
        _learn_new_fonts()
        found = _covering()
    return found


def font(weight: str) -> FT2Font:
    """What measures and draws letters in the language that is spoken."""
    return get_font([findfont(FontProperties(family=family, weight=weight)) for family in families()])


def drawable(text: str, *, weight: str, instead: str) -> str:
    """The text with another letter for each that no font of the language that is spoken has."""
    faces = [_face(family, weight) for family in families()]
    return "".join(
        letter if any(face.get_char_index(ord(letter)) for face in faces) else instead for letter in text
    )


def _face(family: str, weight: str = "normal") -> FT2Font:
    return get_font(findfont(FontProperties(family=family, weight=weight)))


def _covering() -> str | None:
    wanted = set(filter(str.isprintable, "".join(TEXTS.values()))) - _letters(FAMILY)
    return next((family for family in CHINESE if _has_weights(family) and wanted <= _letters(family)), None)


def _has_weights(family: str) -> bool:
    """Whether it is there at all; then also under weights that it lacks, as matplotlib warns at each text else."""
    there = [entry for entry in fontManager.ttflist if entry.name == family]
    lacking = {NORMAL, BOLD}.difference(entry.weight for entry in there) if there else ()
    fontManager.ttflist += [replace(there[0], weight=weight) for weight in lacking]
    return bool(there)


def _letters(family: str) -> set[str]:
    return set(map(chr, _face(family).get_charmap()))


def _learn_new_fonts() -> None:
    """Fonts that were installed after matplotlib made its list, which it keeps for good."""
    known = {entry.fname for entry in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError):  # a broken font of the system: there are others
            continue
