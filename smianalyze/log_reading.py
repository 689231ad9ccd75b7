"""A log that was read in blocks: the events of the lines that are left, and with them the records that count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smianalyze.dating import complete_times
from smianalyze.formats import FORMATS
from smianalyze.formats.block_reading import BlockReading, Records
from smianalyze.formats.format import Row, Told
from smianalyze.frame_parts import Part, flags
from smianalyze.gathered import Gathered
from smianalyze.line_shapes import one_of_each_shape
from smianalyze.log_found import LINE, STEPS
from smianalyze.log_pieces import EVENTS
from smianalyze.offsets import Cells
from smianalyze.repair import Line, repaired_lines

_TIMES = ("printed_time", "time")


def read_log(reading: BlockReading, log: Records, gathered: Gathered, told: Told) -> None:
    """Add what a log holds; or the reading is given up, and what was added does not count.

    Args:
        reading: All blocks.
        log: Its records.
        gathered: Where to add events.
        told: What the input does not show.
    """
    streams = repaired_lines(reading.left)
    texts = one_of_each_shape([line.text for lines in streams for line in lines]).values()
    gathered.read_as([one for one in EVENTS if any(map(one.recognises, texts))], streams, told)
    steps = log.steps(gathered.used, open_end=told.open_end)
    if steps is None:
        return
    _complete_times(steps, gathered, log.dated)
    if steps.count:
        reading.parts[STEPS] = [steps]
    gathered.names.extend(name for name in reading.names if name not in gathered.names)
    gathered.names.sort(key=[one.name for one in FORMATS].index)


def _complete_times(steps: Part, gathered: Gathered, dated: Sequence[Line]) -> None:
    """Give a time to what prints one without a date or a year."""
    nothing = Cells(np.zeros(steps.count, "M8[us]"), np.zeros(steps.count, np.bool_))
    printed, time = (steps.columns.get(name, nothing) for name in _TIMES)
    is_undated = flags(printed, steps.count) & ~flags(time, steps.count)
    rows = np.flatnonzero(is_undated & bool(dated))
    lines = steps.columns[LINE].values[rows].tolist() if len(rows) else []
    undated: list[Row] = [
        {LINE: line, "printed_time": text} for line, text in zip(lines, printed.taken(rows).objects(), strict=True)
    ]
    gathered.notes.extend(complete_times({**gathered.rows, STEPS: undated}, [dated]))
    values = np.zeros(steps.count, "M8[us]")
    known = flags(time, steps.count).copy()
    values[known] = time.values[known]
    found = [(row, one["time"]) for row, one in zip(rows.tolist(), undated, strict=True) if "time" in one]
    for row, completed in found:
        values[row], known[row] = np.datetime64(str(completed)), True
    if found:
        steps.columns["time"] = Cells(values, known)
