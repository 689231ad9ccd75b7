"""What ``smianalyze explain`` says about one finding."""

from __future__ import annotations

from typing import NamedTuple


class Explanation(NamedTuple):
    """One finding id: its meaning, its rule with thresholds, the next step, and an example of an input."""

    meaning: str
    decided: str
    next_step: str
    example: str
