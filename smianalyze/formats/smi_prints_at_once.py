"""The rows of many prints of the plain table as columns: one step for each column instead of one for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from smianalyze.formats.smi_layouts import LETTERS, NO_LINE, Layout
from smianalyze.formats.times import times
from smianalyze.formats.values import DTYPES
from smianalyze.frame_parts import Part
from smianalyze.offsets import Cells, Texts, decimals, integers, texts
from smianalyze.shapes import BLANK, Indexes, Lines


class Found(NamedTuple):
    """A print: place of its first line among those that are not blank, how many there are, and their layout."""

    start: int
    size: int
    layout: Layout


class _Placed(NamedTuple):
    """Prints as arrays: where each begins, which of the layouts it has, and these."""

    starts: Indexes
    kinds: Indexes
    layouts: list[Layout]

    @classmethod
    def of(cls, found: Sequence[Found]) -> _Placed:
        """The arrays of some prints."""
        layouts = {id(one.layout): one.layout for one in found}
        places = {layout: place for place, layout in enumerate(layouts)}
        kinds = np.array([places[id(one.layout)] for one in found], np.int64)
        return cls(np.array([one.start for one in found], np.int64), kinds, [*layouts.values()])


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

    def date(self, one: Found) -> list[tuple[int, str]]:
        """The date of a print, if it has one: lines of other kinds near it may lack theirs."""
        place = int(self.solid[one.start])
        is_date = self.lines.letters[place] == ord("D")
        return [(self._before + place + 1, self.lines.texts(place, place + 1)[0])] if is_date else []

    def signpost(self, one: Found) -> list[tuple[int, str]]:
        """A header of a print and a blank line of it, if it has one: they say that a print was here."""
        first, end = self.solid[one.start], self.solid[one.start + one.size - 1] + 1
        kinds = self.lines.letters[first:end].tobytes()
        places = sorted(kinds.rfind(kind) + int(first) for kind in (b"H", BLANK.encode()) if kind in kinds)
        return [(self._before + place + 1, self.lines.texts(place, place + 1)[0]) for place in places]

    def ascending(self, found: list[Found]) -> list[Found]:
        """The prints in which the index of the GPUs ascends: elsewhere, one that does not begins a print."""
        rows = self._rows(_Placed.of(found), "gpus")
        index = integers(self.lines, "gpu_index", rows.lines[:, 0]).values
        falls = (np.diff(rows.prints) == 0) & (np.diff(index) <= 0)
        bad = set(rows.prints[1:][falls].tolist())
        return [one for number, one in enumerate(found) if number not in bad] if bad else found

    def parts(self, found: list[Found], shared: Texts) -> dict[str, Part]:
        """The rows of all prints, in their order.

        Args:
            found: The prints.
            shared: Texts that were met before.
        """
        placed = _Placed.of(found)
        heads = self._rows(placed, "snapshots")
        when = times(self.lines, heads.lines[:, 0])
        result: dict[str, Part] = {}
        for frame in LETTERS:
            rows = heads if frame == "snapshots" else self._rows(placed, frame)
            part = Part(len(rows.prints), self._values(frame, rows, shared))
            known = None if when.known is None else when.known[rows.prints]
            part.columns["time"] = Cells(when.values[rows.prints], known)
            part.columns["snapshot"] = Cells(rows.prints)
            first = np.where(rows.lines[:, 0] == NO_LINE, rows.lines[:, -1], rows.lines[:, 0])
            part.columns["line"] = Cells(first + self._before + 1)
            if part.count:
                result[frame] = part
        sections = shared.numbers(layout.process_section for layout in placed.layouts)
        result["snapshots"].columns["process_section"] = Cells(sections[placed.kinds], None, shared.listed)
        return result

    def _rows(self, placed: _Placed, frame: str) -> _Rows:
        """The rows of a frame: those of the layout of each print, one print after the other."""
        tables = [layout.rows[frame] for layout in placed.layouts]
        offsets = np.concatenate([np.zeros((0, len(LETTERS[frame])), np.int64), *tables])
        sizes = np.array([len(table) for table in tables], np.int64)
        counts = sizes[placed.kinds]
        prints = np.repeat(np.arange(len(counts)), counts)
        # the first row of a print among those of all layouts, less the rows of the prints before it
        firsts = (np.cumsum(sizes) - sizes)[placed.kinds] - (np.cumsum(counts) - counts)
        rows = offsets[np.arange(len(prints)) + firsts[prints]]
        lines = self.solid[np.maximum(rows, 0) + placed.starts[prints, None]]
        return _Rows(prints, np.where(rows == NO_LINE, NO_LINE, lines))

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
