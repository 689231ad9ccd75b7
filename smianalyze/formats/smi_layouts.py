"""Where the rows of a print stand among its lines; prints with the same sequence of lines have one layout."""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import NamedTuple

import numpy as np

from smianalyze.formats.smi_prints import PrintedLine, Unit, split_prints
from smianalyze.formats.smi_table import units_of
from smianalyze.shapes import Indexes

MAX_LAYOUTS = 1_024  # sequences that are remembered; a host with many jobs has some hundred
NO_LINE = -1

_ROWS = {"GPU": "gpus", "PROCESS": "processes", "MIG_DEVICE": "mig_devices"}
_OTHERS = {"HEAD", "PROCESS_HEADER", "NOT_SUPPORTED", "NO_PROCESSES"}
_CERTAIN = frozenset("DTHURILMVBPpsn")  # no line that is damaged, or not the table's
LETTERS = {"snapshots": "DT", "gpus": "ILM", "processes": "p", "mig_devices": "VB"}
"""Kinds of the lines that a row of each frame has its values from."""


class Layout(NamedTuple):
    """The rows of a print.

    Attributes:
        rows: For each frame its rows; of each row the lines of the kinds in :data:`LETTERS`, counted from the
            first line of the print, :data:`NO_LINE` where it has none of a kind.
        process_section: What the print says of processes.
    """

    rows: dict[str, Indexes]
    process_section: str


@lru_cache(maxsize=MAX_LAYOUTS)
def layout_of(letters: str) -> Layout | None:
    """The layout of a sequence that is read as one whole print, whatever its lines say; None of any other.

    It begins with a title, has a header (which tells a print from pieces of one) and GPUs, and each of its lines
    is what it looks like. Which index its GPUs have is left to the caller: they must ascend.

    Args:
        letters: Kinds of the lines from one head to the next, blank ones left out; see ``smi_document.lark``.
    """
    if not _CERTAIN.issuperset(letters) or not {"T", "H", "I"}.issubset(letters):
        return None
    units = units_of(letters)
    if any(kind not in _ROWS and kind not in _OTHERS for kind, _, _ in units):
        return None
    prints = split_prints(_as_printed(letters, units))
    rows: dict[str, list[list[int]]] = {frame: [] for frame in _ROWS.values()}
    for kind, start, end in units:
        if kind in _ROWS:
            rows[_ROWS[kind]].append(_lines(letters, range(start, end), LETTERS[_ROWS[kind]]))
    if len(prints) != 1 or units[0][0] != "HEAD" or "T" not in letters[: units[0][2]]:
        return None
    rows["snapshots"] = [_lines(letters, range(units[0][2]), LETTERS["snapshots"])]
    tables = {frame: np.array(found, np.int64).reshape(-1, len(LETTERS[frame])) for frame, found in rows.items()}
    return Layout(tables, prints[0].process_section)


def _as_printed(letters: str, units: list[tuple[str, int, int]]) -> list[Unit]:
    """Units whose lines say nothing, but that the index of each GPU is higher than the last."""
    index = count()
    lines = [
        PrintedLine(number, "", letter, "", {"gpu_index": str(next(index))} if letter == "I" else {}, ())
        for number, letter in enumerate(letters)
    ]
    return [(kind, lines[start:end]) for kind, start, end in units]


def _lines(letters: str, lines: range, kinds: str) -> list[int]:
    return [next((line for line in lines if letters[line] == kind), NO_LINE) for kind in kinds]
