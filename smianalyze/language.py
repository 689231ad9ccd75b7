"""What is said to people, in English or Chinese: texts are written in English where they are used.

``say`` fills a text in and says it in the language that is spoken; the Chinese ones stand in
:mod:`smianalyze.chinese` under their English. Numbers, names, units and commands are the same in both.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from smianalyze.chinese import TEXTS

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_spoken: ContextVar[Language] = ContextVar("spoken", default="en")


def say(text: str, /, **values: object) -> str:
    """A text in the language that is spoken, with its values filled in as ``str.format`` does.

    Args:
        text: English; one that is not written as a literal here was marked with :func:`text` where it is.
        values: What its names in braces stand for.

    Raises:
        KeyError: There is no Chinese for it (a test holds that there always is).
    """
    said = TEXTS[text] if _spoken.get() == "zh" else text
    return said.format(**values)


def text(english: str) -> str:
    """Marks a text that is said later, such as a constant; gives it back."""
    return english


def spoken() -> Language:
    """The language that is spoken now."""
    return _spoken.get()


def sentences(*said: str) -> str:
    """Sentences behind one another, without the empty ones; Chinese has no blank between them."""
    return say(" ").join(filter(None, said))


def some(things: Sequence[str], *, most: int) -> str:
    """The first of some things, and how many more there are."""
    shown, left = say(", ").join(things[:most]), len(things) - most
    return say("{shown} and {left:,} more", shown=shown, left=left) if left > 0 else shown


def lang_option() -> list[str]:
    """What makes a command speak this language wherever it is run; nothing for English."""
    return [] if spoken() == "en" else ["--lang", spoken()]


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language for a while."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def of_locale() -> Language:
    """The language of the user, by the variables that locale looks at; English where it is neither."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), None) or locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"
