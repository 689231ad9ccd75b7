"""Fragments that only say again a part of the print before, as overlapping pastes do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from smianalyze.formats.format import Row
from smianalyze.frame_parts import Part

_PLACE = ("line", "source", "snapshot", "time")
_HEAD = ("smi_version", "driver_version", "time")


def repeats(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> list[int]:
    """Numbers of the snapshots that repeat the one before, in order.

    Such a fragment has no head and no processes, and what it says of each of its GPUs is, to the letter, what
    the print before says, which has more GPUs.

    Args:
        rows: Rows of each frame, those of ``snapshots`` in their order.
        parts: More of them as columns; their snapshots have a head.
    """
    cards: dict[object, list[Row]] = {}
    for row in rows.get("gpus", ()):
        cards.setdefault(row["snapshot"], []).append(row)
    others = {row["snapshot"] for frame in ("processes", "mig_devices", "vgpus") for row in rows.get(frame, ())}
    heads = {int(str(head["snapshot"])) for head in rows.get("snapshots", ())}
    found: list[int] = []
    last = -1
    for head in rows.get("snapshots", ()):
        snapshot = int(str(head["snapshot"]))
        if snapshot - 1 not in heads:
            last = snapshot - 1
        here = cards.get(snapshot, [])
        headless = all(head.get(key) is None for key in _HEAD) and snapshot not in others
        if headless and here:
            before = cards.get(last, []) if last in heads else _cards(parts.get("gpus"), last)
            if len(here) < len(before) and all(_is_said(card, before) for card in here):
                found.append(snapshot)
                continue
        last = snapshot
    return found


def _cards(gpus: Part | None, snapshot: int) -> list[Row]:
    if gpus is None:
        return []
    numbers = gpus.columns["snapshot"].values
    first, end = (int(np.searchsorted(numbers, snapshot, side)) for side in ("left", "right"))
    return list(gpus.rows(first, end))


def _is_said(card: Row, cards: Sequence[Row]) -> bool:
    said = _what_it_says(card)
    return any(said.items() <= _what_it_says(other).items() for other in cards)


def _what_it_says(card: Row) -> Row:
    return {name: value for name, value in card.items() if name not in _PLACE and value is not None}
