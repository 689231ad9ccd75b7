"""smianalyze: all rows of all prints, one print after the other."""

from __future__ import annotations

from pathlib import Path

from screen_readers.screens import Sums, blocks
from smianalyze.terminal.containers import recording
from smianalyze.watch.rows import RecordedPrints

COLUMNS = ("temperature_gpu_c", "power_draw_w", "memory_used_mib", "utilization_gpu_pct")


def read(path: Path) -> Sums:
    """The sums of what the rows say."""
    screens, found = 0, [0.0] * len(COLUMNS)
    for one in RecordedPrints(recording(blocks(path))):
        screens += 1
        for row in one.rows["gpus"]:
            for place, column in enumerate(COLUMNS):
                found[place] += row[column]  # type: ignore[operator]
    return Sums(screens, *map(int, found))
