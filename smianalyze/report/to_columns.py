"""A comparison as columns of plain text, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze import safe
from smianalyze.analyses.comparison import Comparison
from smianalyze.cards import Card, Process, Reading, cards, processes
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, signed, whole
from smianalyze.wrapping import left, right, width

CARDS = (text("card"), text("memory, MiB"), text("growth"), text("utilization, %"), text("power, W"), "°C")
PROCESSES = (text("card"), "PID", text("before"), text("after"), text("change"), text("process"))
AS_IT_IS = ("PID", "°C")
STATES = {"appeared": text("appeared"), "vanished": text("vanished")}
CHANGES = {
    "unchanged": text("unchanged"),
    "started": text("started"),
    "ended": text("ended"),
    "grown": text("grown"),
    "shrunk": text("shrunk"),
    "unknown": text("unknown"),
    "present": text("present"),
}
NAME_LETTERS = 30  # what is left of 80 columns


def comparison_text(frames: Frames, comparison: Comparison, *, masker: Masker) -> str:
    """Cards and processes before and after; the primary card has a star, memory is in MiB.

    Args:
        frames: What was read.
        comparison: Before and after.
        masker: Names the processes.
    """
    primary = None if comparison.primary is None else comparison.primary.gpu_index
    tables = [_columns([_header(CARDS), *(_card(card, primary) for card in cards(frames, comparison))])]
    listed = processes(frames, comparison)
    if listed:
        rows = (_process(process, masker) for process in listed)
        tables.append(_columns([_header(PROCESSES), *rows], last_left=2))
    return "\n\n".join(tables)


def _header(names: Sequence[str]) -> Sequence[str]:
    return [name if name in AS_IT_IS else say(name) for name in names]


def _card(card: Card, primary: int | None) -> Sequence[str]:
    star = " *" if card.gpu_index is not None and card.gpu_index == primary else ""
    number = UNKNOWN if card.gpu_index is None else str(card.gpu_index)
    growth = say(STATES[card.state]) if card.state in STATES else signed(card.memory.delta)
    readings = (card.utilization, card.power, card.temperature)
    return (number + star, _pair(card.memory), growth, *map(_pair, readings))


def _pair(reading: Reading) -> str:
    return f"{whole(reading.before)} → {whole(reading.after)}"


def _process(process: Process, masker: Masker) -> Sequence[str]:
    name = safe.line(masker.process_name(process.name), NAME_LETTERS) if process.name else UNKNOWN
    index, pid = (UNKNOWN if value is None else str(value) for value in (process.gpu_index, process.pid))
    change = say(CHANGES[process.change])
    return (index, pid, whole(process.memory.before), whole(process.memory.after), change, name)


def _columns(rows: Sequence[Sequence[str]], *, last_left: int = 0) -> str:
    """Rows as padded columns: text of the first and the last ``last_left`` columns to the left, else right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    at_left = {0, *range(len(widths) - last_left, len(widths))}
    return "\n".join(
        "  ".join(
            left(cell, columns) if place in at_left else right(cell, columns)
            for place, (cell, columns) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
