"""How a quantity is written for people: thousands separated, deltas signed, the unknown marked."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.language import say, spoken

Number = int | float

UNKNOWN = "?"
"""Stands where a value was not printed or could not be read; never 0."""


def whole(value: Number | None) -> str:
    """The value without decimals, such as ``31,022``; ``?`` if unknown."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def signed(value: Number | None) -> str:
    """A difference with its sign, such as ``+16,461``; a difference of nothing is ``0``."""
    if value is None:
        return UNKNOWN
    return f"{value:+,.0f}" if round(value) else "0"


def share(part: Number | None, total: Number | None) -> str:
    """A part of a total in percent; something that rounds to nothing is ``<1 %``."""
    if part is None or not total:
        return f"{UNKNOWN} %"
    percent = 100 * part / total
    return "<1 %" if 0 < percent < 1 else f"{percent:.0f} %"


def span(values: Sequence[Number]) -> str:
    """The range of some values, such as ``80 to 99``, or the value that all have."""
    low, high = whole(min(values)), whole(max(values))
    return low if low == high else say("{low} to {high}", low=low, high=high)


def signed_span(values: Sequence[Number]) -> str:
    """The range of some differences, such as ``+15,842 to +16,461``."""
    low, high = signed(min(values)), signed(max(values))
    return low if low == high else say("{low} to {high}", low=low, high=high)


def counted(number: int, thing: str) -> str:
    """A count with its noun, such as ``1 card`` and ``2 cards``; adds ``es`` after an s."""
    if spoken() != "en":
        noun = f"{{number:,}} {thing}"  # stands under this among the texts, with the word that counts it
        return say(noun, number=number)
    if number == 1:
        return f"1 {thing}"
    return f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"


def duration(seconds: Number) -> str:
    """A time in its largest unit of which there are two or more, such as ``90 seconds`` and ``3 hours``."""
    if seconds >= 2 * 86400:
        return counted(round(seconds / 86400), "day")
    if seconds >= 2 * 3600:
        return counted(round(seconds / 3600), "hour")
    if seconds >= 2 * 60:
        return counted(round(seconds / 60), "minute")
    return counted(round(seconds), "second") if seconds >= 1 else say("less than a second")
