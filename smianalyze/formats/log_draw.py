"""One state of a progress bar, as far as it is understood."""

from __future__ import annotations

from typing import NamedTuple

from smianalyze.formats.format import Row


class Draw(NamedTuple):
    """One draw of a bar.

    Attributes:
        bar: What tells the bar from others: its description.
        row: Columns, as said.
        shows_metric: Whether it shows a metric of training.
        label: What stands before its share or counter.
        is_sure: Whether all draws of its shape say the same columns.
    """

    bar: str
    row: Row
    shows_metric: bool
    label: str
    is_sure: bool = True
