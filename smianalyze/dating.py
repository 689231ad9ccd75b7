"""Times that logs print without a date or a year: completed where the same input says it elsewhere, else unknown.

A line that begins with a full date dates what follows it, and what stands before the first of them. A clock that
goes back by more than half a day ran across midnight.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from smianalyze.formats.format import Row
from smianalyze.formats.log_label import full_time
from smianalyze.repair import Line

FRAMES = ("steps", "events", "hosts", "host_processes")
MAX_ANCHORS = 10_000  # lines with a date that are kept in mind
HALF_A_DAY = timedelta(hours=12)
SLACK = timedelta(days=1)  # by which the clocks of two programs may differ: zones
LONGEST = timedelta(days=100)  # of a log; a day that is further away may be one of another year
_STARTS = re.compile(r"[\[(<]?(?:[0-9]{4}[-/]|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )")
LABEL = 40  # characters in which a date at the begin of a line ends
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_SHORT = re.compile(
    r"(?:(?P<name>[A-Z][a-z]{2}) {1,2}(?P<of_name>[0-9]{1,2}) |(?P<month>[0-9]{1,2})[-/]?(?P<day>[0-9]{2}) )?"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?"
)


YEARS = range(1970, 2200)
"""A damaged year may be any; by such a date no other line is dated."""


class Anchor(NamedTuple):
    """A line that begins with a full date."""

    line: int
    time: datetime


class _Printed(NamedTuple):
    """A printed time: month and day are 0 where it has none."""

    month: int
    day: int
    clock: timedelta


def complete_times(rows: Mapping[str, Sequence[Row]], streams: Sequence[Sequence[Line]]) -> list[str]:
    """Give a time to the rows that print one without a date or a year, as far as the input dates them.

    Args:
        rows: Of each frame; those with ``printed_time`` and without ``time`` may get a ``time``.
        streams: The lines of the input.

    Returns:
        Sentences on what was completed.
    """
    undated = [
        row for frame in FRAMES for row in rows.get(frame, ()) if row.get("printed_time") and not row.get("time")
    ]
    anchors = sorted(_anchors(streams))[:MAX_ANCHORS] if undated else []
    if not anchors:
        return []
    notes: dict[str, None] = {}
    last: Anchor | None = None
    for row in sorted(undated, key=lambda row: int(str(row["line"]))):
        line, printed = int(str(row["line"])), _printed(str(row["printed_time"]))
        anchor = anchors[max(0, bisect_right(anchors, line, key=lambda anchor: anchor.line) - 1)]
        if last is not None and (last.line >= anchor.line or anchor.line > line):
            anchor = last
        time = _completed(printed, anchor, is_after=line >= anchor.line) if printed else None
        if time is not None and printed is not None:
            row["time"] = time
            last = Anchor(line, time)
            notes[f"Times without a {'year' if printed.month else 'date'} follow line {anchors[0].line}."] = None
    return list(notes)


def starts_with_date(text: str) -> bool:
    """Whether a line may begin with a date and a year."""
    return _STARTS.match(text) is not None


def _anchors(streams: Sequence[Sequence[Line]]) -> Iterator[Anchor]:
    for line in (line for lines in streams for line in lines):
        if starts_with_date(line.text) and (time := full_time(line.text[:LABEL])) and time.year in YEARS:
            yield Anchor(line.number, time)


def _printed(text: str) -> _Printed | None:
    found = _SHORT.fullmatch(text)
    if found is None:
        return None
    month = _MONTHS.get(found["name"], 0) if found["name"] else int(found["month"] or 0)
    hour, minute, second = (int(found[name]) for name in ("hour", "minute", "second"))
    if max(minute, second) > 59 or hour > 23 or (found["name"] and not month):
        return None
    micro = int((found["fraction"] or "0")[:6].ljust(6, "0"))
    day = int(found["of_name"] or found["day"] or 0)
    return _Printed(month, day, timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro))


def _completed(printed: _Printed, anchor: Anchor, *, is_after: bool) -> datetime | None:
    """The time that is nearest to a full one; that stands before it in the input, or behind it."""
    if printed.month:
        return _with_year(printed, anchor.time, is_after=is_after)
    time = datetime.combine(anchor.time.date(), datetime.min.time()) + printed.clock
    if time < anchor.time - HALF_A_DAY:
        return time + SLACK
    return time - SLACK if time > anchor.time + HALF_A_DAY else time


def _with_year(printed: _Printed, anchor: datetime, *, is_after: bool) -> datetime | None:
    dates = []
    for year in (anchor.year - 1, anchor.year, anchor.year + 1):
        try:
            dates.append(datetime(year, printed.month, printed.day) + printed.clock)
        except ValueError:
            continue  # no such day in that year
    since = (SLACK, LONGEST) if is_after else (LONGEST, SLACK)
    fitting = [date for date in dates if -since[0] <= date - anchor <= since[1]]
    return fitting[0] if len(fitting) == 1 else None
