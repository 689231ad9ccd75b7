"""Fragments that only say again a part of the print before, as overlapping pastes do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from smianalyze.formats.format import Row
from smianalyze.frame_parts import Part, flags
from smianalyze.offsets import Cells
from smianalyze.shapes import Flags, Indexes

_PLACE = ("line", "source", "snapshot", "time")
_HEAD = ("smi_version", "driver_version", "time")
_OTHERS = ("processes", "mig_devices", "vgpus")


def repeats(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> list[int]:
    """Numbers of the snapshots that repeat the one before, in order.

    Such a fragment has no head and no processes, and what it says of each of its GPUs is, to the letter, what
    the print before says, which has more GPUs.

    Args:
        rows: Rows of each frame, those of ``snapshots`` in their order.
        parts: More of them as columns, in that order too.
    """
    counts, may_repeat = card_counts(rows, parts), _may_repeat(rows, parts)
    cards = _Cards(rows, parts)
    found: list[int] = []
    behind = 0  # the last one that was looked at
    for first in fragments(rows, parts):
        number = first
        while (
            behind <= first and number < len(counts) and may_repeat[number] and counts[number] < counts[first - 1]
        ):
            before = cards.of(first - 1)
            if not all(_is_said(card, before) for card in cards.of(number)):
                break
            found.append(number)
            number += 1
        behind = max(behind, number + 1)
    return found


def fragments(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part], before: int = 0) -> list[int]:
    """Numbers of the snapshots that have no head and no processes, and fewer GPUs than the one before.

    Args:
        rows: As of :func:`repeats`; numbers may begin anywhere.
        parts: As there.
        before: How many GPUs the snapshot before them has.
    """
    counts = card_counts(rows, parts)
    of_before = np.append(before, counts[:-1])
    of_before[_numbers("snapshots", rows, parts).min(initial=len(counts) - 1)] = before
    return np.flatnonzero(_may_repeat(rows, parts) & (counts < of_before)).tolist()


def card_counts(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> Indexes:
    """How many GPUs each snapshot has, by number."""
    counted: Indexes = np.bincount(
        _numbers("gpus", rows, parts), minlength=_numbers("snapshots", rows, parts).max(initial=-1) + 1
    )
    return counted


def _may_repeat(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> Flags:
    """Which snapshots say neither when they were made, nor by which driver, nor anything but of their GPUs."""
    numbers = _numbers("snapshots", rows, parts)
    result = np.zeros(numbers.max(initial=-1) + 1, np.bool_)
    heads = rows.get("snapshots", ())
    result[numbers[: len(heads)]] = [all(head.get(key) is None for key in _HEAD) for head in heads]
    if "snapshots" in parts:
        part = parts["snapshots"]
        are_known = [flags(part.columns[name], part.count) for name in _HEAD if name in part.columns]
        result[numbers[len(heads) :]] = ~np.any([np.zeros(part.count, np.bool_), *are_known], axis=0)
    for frame in _OTHERS:
        result[_numbers(frame, rows, parts)] = False
    return result & (card_counts(rows, parts) > 0)


def _numbers(frame: str, rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> Indexes:
    """The snapshot of each row of a frame; those that are columns follow."""
    numbers = np.array([int(str(row["snapshot"])) for row in rows.get(frame, ())], np.int64)
    return np.append(numbers, parts[frame].integers("snapshot")) if frame in parts else numbers


class _Cards:
    """The rows of the GPUs of each snapshot."""

    def __init__(self, rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> None:
        self._part = parts.get("gpus", Part(0, {"snapshot": Cells(np.zeros(0, np.int64))}))
        self._rows: dict[object, list[Row]] = {}
        for row in rows.get("gpus", ()):
            self._rows.setdefault(row["snapshot"], []).append(row)

    def of(self, snapshot: int) -> list[Row]:
        if snapshot in self._rows:
            return self._rows[snapshot]
        numbers = self._part.integers("snapshot")
        first, end = (int(np.searchsorted(numbers, snapshot, side)) for side in ("left", "right"))
        return list(self._part.rows(first, end))


def _is_said(card: Row, cards: Sequence[Row]) -> bool:
    said = _what_it_says(card)
    return any(said.items() <= _what_it_says(other).items() for other in cards)


def _what_it_says(card: Row) -> Row:
    return {name: value for name, value in card.items() if name not in _PLACE and value is not None}
