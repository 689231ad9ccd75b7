"""The rows of many prints of the plain table as columns: one step for each column instead of one for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smianalyze.formats.smi_layouts import LETTERS, NO_LINE, Layout
from smianalyze.formats.times import times
from smianalyze.formats.values import DTYPES
from smianalyze.frame_parts import Part
from smianalyze.offsets import Cells, Texts, decimals, integers, texts
from smianalyze.shapes import BLANK, Flags, Indexes, Lines


@dataclass(frozen=True, slots=True)
class Found:
    """Prints of a block.

    Attributes:
        starts: Place of the first line of each among those that are not blank.
        ends: Place behind its last one.
        kinds: Which of the layouts it has.
        layouts: How their lines follow each other.
    """

    starts: Indexes
    ends: Indexes
    kinds: Indexes
    layouts: list[Layout]

    def __len__(self) -> int:
        """How many prints there are."""
        return len(self.starts)

    def only(self, which: Flags) -> Found:
        """Some of the prints."""
        return Found(self.starts[which], self.ends[which], self.kinds[which], self.layouts)


class _Rows(NamedTuple):
    """Rows of a frame: the print of each, counted from 0, and its lines, one column for each kind of line."""

    prints: Indexes
    lines: Indexes


class Prints:
    """The lines of a block that may be prints.

    Attributes:
        lines: All lines.
        solid: Which of them are not blank.
    """

    def __init__(self, lines: Lines, solid: Indexes, before: int) -> None:
        """Lines of a block, with the number of lines before it."""
        self.lines = lines
        self.solid = solid
        self._before = before

    def date(self, start: int) -> list[tuple[int, str]]:
        """The date of the print that starts here, if it has one: lines of other kinds near it may lack theirs."""
        place = int(self.solid[start])
        is_date = self.lines.letters[place] == ord("D")
        return [(self._before + place + 1, self.lines.texts(place, place + 1)[0])] if is_date else []

    def signpost(self, start: int, end: int) -> list[tuple[int, str]]:
        """A header of a print and a blank line of it, if it has one: they say that a print was here."""
        first, behind = self.solid[start], self.solid[end - 1] + 1
        kinds = self.lines.letters[first:behind].tobytes()
        places = sorted(kinds.rfind(kind) + int(first) for kind in (b"H", BLANK.encode()) if kind in kinds)
        return [(self._before + place + 1, self.lines.texts(place, place + 1)[0]) for place in places]

    def ascending(self, found: Found) -> Found:
        """The prints in which the index of the GPUs ascends: elsewhere, one that does not begins a print."""
        rows = self._rows(found, "gpus")
        index = integers(self.lines, "gpu_index", rows.lines[:, 0]).values
        falls = (np.diff(rows.prints) == 0) & (np.diff(index) <= 0)
        ascend = np.ones(len(found), np.bool_)
        ascend[rows.prints[1:][falls]] = False
        return found.only(ascend)

    def parts(self, found: Found, shared: Texts) -> dict[str, Part]:
        """The rows of all prints, in their order.

        Args:
            found: The prints.
            shared: Texts that were met before.
        """
        heads = self._rows(found, "snapshots")
        when = times(self.lines, heads.lines[:, 0])
        result: dict[str, Part] = {}
        for frame in LETTERS:
            rows = heads if frame == "snapshots" else self._rows(found, frame)
            part = Part(len(rows.prints), self._values(frame, rows, shared))
            known = None if when.known is None else when.known[rows.prints]
            part.columns["time"] = Cells(when.values[rows.prints], known)
            part.columns["snapshot"] = Cells(rows.prints)
            first = np.where(rows.lines[:, 0] == NO_LINE, rows.lines[:, -1], rows.lines[:, 0])
            part.columns["line"] = Cells(first + self._before + 1)
            if part.count:
                result[frame] = part
        sections = shared.numbers(layout.process_section for layout in found.layouts)
        result["snapshots"].columns["process_section"] = Cells(sections[found.kinds], None, shared.listed)
        return result

    def _rows(self, found: Found, frame: str) -> _Rows:
        """The rows of a frame: those of the layout of each print, one print after the other."""
        tables = [layout.rows[frame] for layout in found.layouts]
        offsets = np.concatenate([np.zeros((0, len(LETTERS[frame])), np.int64), *tables])
        sizes = np.array([len(table) for table in tables], np.int64)
        counts = sizes[found.kinds]
        prints = np.repeat(np.arange(len(counts)), counts)
        # the first row of a print among those of all layouts, less the rows of the prints before it
        firsts = (np.cumsum(sizes) - sizes)[found.kinds] - (np.cumsum(counts) - counts)
        rows = offsets[np.arange(len(prints)) + firsts[prints]]
        lines = self.solid[rows + found.starts[prints, None]]
        lines[rows == NO_LINE] = NO_LINE
        return _Rows(prints, lines)

    def _values(self, frame: str, rows: _Rows, shared: Texts) -> dict[str, Cells]:
        values: dict[str, Cells] = {}
        for kind, lines in zip(LETTERS[frame], rows.lines.T, strict=True):
            for name in self.lines.columns(kind) if (lines != NO_LINE).any() else ():
                cells = self._cells(name, lines, shared)
                if cells.known is None or cells.known.any():  # other inputs may have lines with more columns
                    values[name] = cells
        return values

    def _cells(self, name: str, lines: Indexes, shared: Texts) -> Cells:
        match DTYPES.get(name):
            case "Int64":
                return integers(self.lines, name, lines)
            case "Float64":
                return decimals(self.lines, name, lines)
            case "string":
                return texts(self.lines, name, lines, shared)
        return Cells(lines, np.zeros(len(lines), np.bool_))  # a part of the date
