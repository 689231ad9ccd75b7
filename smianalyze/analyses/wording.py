"""How a finding names cards, processes and places in the inputs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from smianalyze.findings import Evidence
from smianalyze.language import say

MAX_NAMED = 8
"""So many cards or PIDs are named in a sentence; the rest is counted."""


def named(thing: str, numbers: Sequence[int]) -> str:
    """Things by number, such as ``GPU 0``, ``GPU 2, 3 and 4``, ``PID 1, 2, … and 9 more``."""
    shown = [str(number) for number in numbers[:MAX_NAMED]]
    left = len(numbers) - len(shown)
    if left:
        return say("{thing} {numbers} and {left:,} more", thing=thing, numbers=say(", ").join(shown), left=left)
    return f"{thing} {listed(shown)}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, such as ``a, b and c``."""
    *first, last = names
    return say("{first} and {last}", first=say(", ").join(first), last=last) if first else last


def mib(value: float) -> str:
    """A size with its unit, such as ``15,836 MiB``."""
    return f"{value:,.0f} MiB"


def places(rows: pd.DataFrame, *, suffix: str = "") -> tuple[Evidence, ...]:
    """Where the rows stand in the inputs, each place once.

    Args:
        rows: Have source and line, with the suffix behind the names.
        suffix: ``_before`` or ``_after`` in the frames of a comparison.
    """
    pairs = zip(rows[f"source{suffix}"], rows[f"line{suffix}"], strict=True)
    known = [Evidence(str(source), int(line)) for source, line in pairs if pd.notna(line)]
    return tuple(dict.fromkeys(known))
