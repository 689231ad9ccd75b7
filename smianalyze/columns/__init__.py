"""Every column of every frame, declared once: name, dtype, meaning, nvidia-smi's own name.

The unit is the suffix of the name (``_pct _mib _w _c _mhz _us _ms _s``); no suffix means a count or a name.
README's column tables are generated from here.
"""

from __future__ import annotations

from smianalyze.columns.column import HOST, LINE, SOURCE, TIME, Column, Dtype
from smianalyze.columns.of_cards import OF_CARDS
from smianalyze.columns.of_hosts import OF_HOSTS
from smianalyze.columns.of_inputs import OF_INPUTS
from smianalyze.columns.of_logs import OF_LOGS

__all__ = ["FRAMES", "HOST", "TIME", "Column", "Dtype", "columns_of"]

FRAMES: dict[str, tuple[Column, ...]] = OF_CARDS | OF_HOSTS | OF_LOGS | OF_INPUTS
"""Columns of each frame in order; ``source`` and ``line`` are part of every frame (``inputs``: source only)."""


def columns_of(frame: str) -> tuple[Column, ...]:
    """All columns of a frame in order, with ``source`` and ``line`` at the end (``inputs``: source first)."""
    if frame == "inputs":
        return (SOURCE, *FRAMES[frame])
    return (*FRAMES[frame], SOURCE, LINE)
