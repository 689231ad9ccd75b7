"""The header of ``watch``: what stands above the output of the command, host and time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

MAX_KNOWN = 1_000  # headers and dates; the same one stands on the screens of a second

# It begins with the interval, after the word for "every" in the language of the user, which may be two words.
INTERVAL = re.compile(r"[^0-9|+]{1,24}[0-9]{1,9}[.,][0-9]{1,2}[^0-9|+]{0,4}: ")
_DATE = re.compile(r"(?:^|[ :])([A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4})$")
_HOST = re.compile(r" ([A-Za-z0-9][A-Za-z0-9._-]{0,63}): $")
_RUN_TIME = re.compile(r" *in [0-9]{1,9}[.,][0-9]{1,3}s \([0-9]{1,3}\)$")  # procps from 4.0.5 on


class WatchHeader(NamedTuple):
    """How many rows belong to the header, 0 without one; host and time are None if they are not there."""

    rows: int
    host: str | None = None
    time: datetime | None = None


def watch_header(rows: Sequence[str]) -> WatchHeader:
    """The header of a screen."""
    first, second = [*rows[:2], "", ""][:2]
    return _header(first, second)


@lru_cache(maxsize=MAX_KNOWN)
def _header(first: str, second: str) -> WatchHeader:
    date = _DATE.search(first)
    is_header = bool(date or INTERVAL.match(first)) and (not second or bool(_RUN_TIME.match(second)))
    if not is_header or first == (date and date.group(1)):
        return WatchHeader(0)
    host = _HOST.search(first[: date.start(1)]) if date else None
    return WatchHeader(2, host and host.group(1), date and date_time(date.group(1)))


@lru_cache(maxsize=MAX_KNOWN)
def date_time(text: str) -> datetime | None:
    """``Mon Nov 30 19:35:52 2026`` as a naive time; None where there is no such date."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return None
