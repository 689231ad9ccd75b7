"""A comparison as columns of plain text, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze import safe
from smianalyze.analyses.comparison import Comparison
from smianalyze.cards import Card, Process, Reading, cards, processes
from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, signed, whole

CARDS = ("card", "memory, MiB", "growth", "utilization, %", "power, W", "°C")
PROCESSES = ("card", "PID", "before", "after", "change", "process")
NAME_LETTERS = 30  # what is left of 80 columns


def comparison_text(frames: Frames, comparison: Comparison, *, masker: Masker) -> str:
    """Cards and processes before and after; the primary card has a star, memory is in MiB.

    Args:
        frames: What was read.
        comparison: Before and after.
        masker: Names the processes.
    """
    primary = None if comparison.primary is None else comparison.primary.gpu_index
    text = _columns([CARDS, *(_card(card, primary) for card in cards(frames, comparison))])
    listed = processes(frames, comparison)
    if listed:
        text += "\n\n" + _columns([PROCESSES, *(_process(process, masker) for process in listed)], last_left=2)
    return text


def _card(card: Card, primary: int | None) -> Sequence[str]:
    star = " *" if card.gpu_index is not None and card.gpu_index == primary else ""
    number = UNKNOWN if card.gpu_index is None else str(card.gpu_index)
    growth = card.state if card.state in ("appeared", "vanished") else signed(card.memory.delta)
    readings = (card.utilization, card.power, card.temperature)
    return (number + star, _pair(card.memory), growth, *map(_pair, readings))


def _pair(reading: Reading) -> str:
    return f"{whole(reading.before)} → {whole(reading.after)}"


def _process(process: Process, masker: Masker) -> Sequence[str]:
    name = safe.line(masker.process_name(process.name), NAME_LETTERS) if process.name else UNKNOWN
    index, pid = (UNKNOWN if value is None else str(value) for value in (process.gpu_index, process.pid))
    return (index, pid, whole(process.memory.before), whole(process.memory.after), process.change, name)


def _columns(rows: Sequence[Sequence[str]], *, last_left: int = 0) -> str:
    """Rows as padded columns: text of the first and the last ``last_left`` columns to the left, else right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, *range(len(widths) - last_left, len(widths))}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
