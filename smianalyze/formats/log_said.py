"""What a line of a training log says: where a value stands in the line, and how its text becomes the value.

One line is read by taking the values at once; of many lines of one shape, the places serve for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from smianalyze.formats.log_numbers import AS_PRINTED, MAX_INTEGER_DIGITS, NUMBER, Number, Scale, number, seconds

TIME = re.compile(r"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]{1,6}))?")
_DECIMAL_COMMA = re.compile(r",[0-9]")
_DIGITS = re.compile(r"[0-9]++")


class Placed(str):
    """A piece of a line that knows where it begins there, in characters."""

    __slots__ = ("start",)
    start: int

    @classmethod
    def at(cls, text: str, start: int) -> Placed:
        """The piece that begins at a place."""
        piece = cls(text)
        piece.start = start
        return piece


class Figure(NamedTuple):
    """A number: its text without unit, where it begins, and what makes it a value of its column.

    Attributes:
        text: As printed; thousands may be set off by commas.
        start: Where it begins in its line.
        scale: From its unit to that of the column.
        is_count: Whether a value without a fraction is a whole number, however it is printed.
    """

    text: str
    start: int
    scale: Scale = AS_PRINTED
    is_count: bool = False

    def value(self) -> Number | None:
        """The number; None where it is not finite."""
        value = number(self.text)
        if value is None:
            return None
        value = self.scale.of(value)
        return round(value) if self.is_count and value == round(value) else value

    def scaled(self, scale: Scale) -> Figure:
        """The same in another unit."""
        return self._replace(scale=scale)


class Clock(NamedTuple):
    """A duration: ``1 day, 9:08:14``, ``04:48``, ``1h 47m 59s``."""

    text: str
    start: int

    def value(self) -> Number | None:
        """Seconds."""
        return seconds(self.text)

    def scaled(self, scale: Scale) -> Clock | Figure:
        """The same, which has its unit."""
        return self if scale == AS_PRINTED else Figure("", self.start)


class Moment(NamedTuple):
    """A time with its date and year: ``2021-02-17 04:33:50,120``."""

    text: str
    start: int

    def value(self) -> datetime | None:
        """The time; None where there is no such day or hour."""
        return moment(self.text)


class Printed(NamedTuple):
    """A text that is kept as it stands."""

    text: str
    start: int

    def value(self) -> str:
        """The text."""
        return self.text


Quantity = Figure | Clock
Said = Figure | Clock | Moment | Printed


def moment(text: str) -> datetime | None:
    """The time that a text such as ``2021/02/17T04:33:50.12`` is; None for another text."""
    found = TIME.fullmatch(text)
    try:
        year, month, day, clock, fraction = found.groups() if found else ("", "", "", "", None)
        return datetime.fromisoformat(f"{year}-{month}-{day} {clock}.{(fraction or '').ljust(6, '0')}")
    except ValueError:
        return None


def place_of(text: str) -> int:
    """Where a piece begins in its line; 0 for one that does not know."""
    return text.start if isinstance(text, Placed) else 0


def part(text: str, start: int, end: int) -> Placed:
    """A part of a piece."""
    return Placed.at(text[start:end], place_of(text) + start)


def trimmed(text: str, characters: str | None = None) -> Placed:
    """A piece without these characters (blanks, if none are given) at both ends."""
    start = len(text) - len(text.lstrip(characters))
    return part(text, start, max(start, len(text.rstrip(characters))))


def split(text: str, separator: re.Pattern[str]) -> Iterator[Placed]:
    """The pieces between separators."""
    start = 0
    for found in separator.finditer(text):
        yield part(text, start, found.start())
        start = found.end()
    yield part(text, start, len(text))


def amount(text: str) -> tuple[Figure | None, str]:
    """The number at the start of a text and what follows it; None where there is no finite number."""
    plain = trimmed(text)
    match = NUMBER.match(plain)
    if not match or _DECIMAL_COMMA.match(plain, match.end()):
        return None, str(plain)
    return figure(part(plain, 0, match.end())), plain[match.end() :].strip()


def figure(text: str) -> Figure | None:
    """A number as printed; None where it is not finite."""
    return None if number(text) is None else Figure(str(text), place_of(text))


def integers(text: str) -> Iterator[Figure]:
    """All runs of digits."""
    for found in _DIGITS.finditer(text):
        if found.end() - found.start() <= MAX_INTEGER_DIGITS:
            yield Figure(found.group(), place_of(text) + found.start())


def clock(text: str) -> Clock | None:
    """A duration; None where the text is none."""
    return None if seconds(text) is None else Clock(str(text), place_of(text))


def si_count(text: str) -> Figure | None:
    """A counter of a progress bar, ``1.23k`` being 1230; three digits are all that such a bar shows."""
    value, unit = amount(text)
    return value._replace(scale=Scale.si(unit[:1]), is_count=True) if value else None


def values(row: Mapping[str, object]) -> dict[str, object]:
    """The columns of a row with the values that their texts have."""
    return {name: said.value() if isinstance(said, Said) else said for name, said in row.items()}
