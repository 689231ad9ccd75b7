"""Recordings as frames, for the tests of what is seen over time: each card is given by its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from smianalyze.analyses.over_time import OverTime
from smianalyze.frames import Frames

Row = dict[str, object]
Columns = Mapping[str, Sequence[object] | object]
START = datetime(2026, 11, 30, 19, 0, 0)


def prints(
    *cards: Columns,
    times: Sequence[datetime | None] | None = None,
    step_s: float = 1,
    **shared: object,
) -> list[list[Row]]:
    """The rows of each print; a value that is no list is that of every print, ``shared`` that of every card.

    Args:
        cards: One mapping of columns a card; its number is its place.
        times: Of the prints; without them they are ``step_s`` apart.
        step_s: Seconds between two prints.
        shared: Columns of all rows, such as source or host.
    """
    size = max(len(values) for card in cards for values in card.values() if isinstance(values, list))
    if times is None:
        times = [START + timedelta(seconds=round(number * step_s, 3)) for number in range(size)]
    usual = {"source": "run.csv", "memory_total_mib": 80000, "power_limit_w": 400.0, **shared}
    return [
        [
            {
                "time": times[number],
                "gpu_index": index,
                "line": 2 + number * len(cards) + index,
                **usual,
                **{name: one[number] if isinstance(one, list) else one for name, one in card.items()},
            }
            for index, card in enumerate(cards)
        ]
        for number in range(size)
    ]


def frames(*recordings: list[list[Row]], **further: Sequence[Row]) -> Frames:
    """The prints of some recordings, numbered through, and the rows of further frames."""
    every = [rows for recording in recordings for rows in recording]
    gpus = [{"snapshot": number, **row} for number, rows in enumerate(every) for row in rows]
    return Frames.from_rows({"gpus": gpus, **further})


def over_time(*cards: Columns, step_s: float = 1, **shared: object) -> OverTime:
    """One recording of some cards, see :func:`prints`."""
    return OverTime(frames(prints(*cards, step_s=step_s, **shared)))
