"""Whole prints of the plain table from blocks of lines, all prints of a block at once.

A print is taken if its sequence of lines has a layout (:mod:`smianalyze.formats.smi_layouts`); all others, and the
text between prints, are left to be read line by line. As a print begins with its head, they can be read without
those that were taken; a header line stands for these, so that nothing seems to go on what stood before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, BlockReading
from smianalyze.formats.smi_layouts import layout_of
from smianalyze.formats.smi_prints import LOST_CELLS, OTHER_MODE, PrintedLine
from smianalyze.formats.smi_prints_at_once import Found, Prints
from smianalyze.formats.smi_table import LINES, LONGEST_SEQUENCE, printed_line
from smianalyze.formats.times import date_cells
from smianalyze.formats.values import DTYPES
from smianalyze.offsets import Cells, Texts
from smianalyze.repair import Line, repaired_lines
from smianalyze.shapes import BLANK, OTHER, Cell, Kinds, Shape, Shapes

NAME = "smi_table"  # of the format
LONGEST_PRINT = 64 * 1024  # bytes; where titles are further apart, most of an input is something else
MAY_HOLD_PRINTS = re.compile(rb"nvidia-smi", re.IGNORECASE)
"""Is in the title of each print."""
_UNSURE = re.compile(rb"\?[UR]?\Z")  # repair may find the date of the next print here


def _described(text: str) -> Shape:
    """What a line says, if repair leaves it alone and it is whole."""
    if not text.strip():
        return Shape(BLANK)
    printed = printed_line(text)
    if "&" in text or printed.cut or _may_be_lost(printed):
        return Shape(OTHER)
    if repaired_lines([(1, text)]) != [[Line(1, text, "")]] or (printed.letter in "UR" and not _closes(text)):
        return Shape(OTHER)
    cells: list[Cell] = []
    for name, start, end in LINES.read(text).columns:
        cell = Cell(name, len(text[:start].encode()), text[start:end])
        cells.extend(date_cells(cell) if name == "time" else [cell] if name in DTYPES else [])
        if name == "mig_mode_pending":
            cells.append(cell._replace(column="mig_mode", text=OTHER_MODE[cell.text]))
    return Shape(printed.letter, tuple(cells))


def _may_be_lost(printed: PrintedLine) -> bool:
    """Whether so much has failed that a card may be lost, which is an event; one sensor may be broken."""
    most = {"T": 1, "L": LOST_CELLS - 1}.get(printed.letter, 0)
    return len(printed.failed) > most


def _closes(rule: str) -> bool:
    """Whether a rule ends as it begins; another one may have been wrapped."""
    rule = rule.rstrip()
    return rule.endswith(("+", "|")) and rule.count(rule[-1]) > 1


SHAPES = Shapes(_described)


def _heads(kinds: Kinds) -> list[int]:
    """Where prints begin: at a date, or at a title that has none before it, nor before the rule above it."""
    date, title = ord("D"), ord("T")
    padded = np.concatenate((np.zeros(2, np.uint8), kinds))
    before, before_that = padded[1:-1], padded[:-2]
    is_rule = (before == ord("U")) | (before == ord("R"))
    has_date = (before == date) | (is_rule & (before_that == date))
    heads: list[int] = np.flatnonzero((kinds == date) | ((kinds == title) & ~has_date)).tolist()
    return heads


@dataclass(slots=True)
class TableBlocks:
    """Reads one input block by block.

    Attributes:
        reading: What was found.
        before: Kinds of the last two lines.
        signpost: Lines that stand for the prints that were taken last; none where other lines follow already.
        date: The date of that print.
        is_left: Whether the lines before were left, or there are none: the next print then leaves its date.
        shared: Texts that were met.
    """

    reading: BlockReading
    before: bytes = b""
    signpost: list[tuple[int, str]] = field(default_factory=list)
    date: list[tuple[int, str]] = field(default_factory=list)
    is_left: bool = True
    shared: Texts = field(default_factory=Texts)

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input that begins with this block consists of prints for the most part."""
        return head.lower().count(b"nvidia-smi") * LONGEST_PRINT >= len(head) > 0

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Read some lines; returns how many bytes were read: the others are the beginning of a print."""
        if not MAY_HOLD_PRINTS.search(data):
            return self._leave_all(data)
        lines = SHAPES.read(data)
        solid = np.flatnonzero(lines.letters != ord(BLANK))
        kinds = lines.letters[solid]
        letters = kinds.tobytes()
        heads = _heads(kinds)
        end = len(lines)
        if is_last:
            heads.append(len(letters))
        elif heads and len(letters) - heads[-1] <= LONGEST_SEQUENCE:
            end, solid = int(solid[heads[-1]]), solid[: heads[-1]]
        prints = Prints(lines, solid, self.reading.lines)
        found = prints.ascending(list(self._found(letters, heads)))
        self._take(prints, found)
        self._leave(prints, found, end)
        self.before = (self.before + letters[: len(solid)])[-2:]
        self.reading.lines += end
        return int(lines.starts[end])

    def _leave_all(self, data: bytes) -> int:
        if data:
            self._leave_date(self.date)
            self.reading.left += self.signpost
            self.signpost, self.date, self.before, self.is_left = [], [], OTHER.encode(), True
            self.reading.leave(data)
        return len(data)

    def _found(self, letters: bytes, heads: list[int]) -> Iterator[Found]:
        """The whole prints between heads."""
        text = letters.decode()
        for start, end in pairwise(heads):
            size = len(text[start:end].rstrip("X"))
            layout = layout_of(text[start : start + size]) if size <= LONGEST_SEQUENCE else None
            if layout is not None and (text[start] == "D" or not self._is_unsure(letters, start)):
                yield Found(start, size, layout)

    def _is_unsure(self, letters: bytes, start: int) -> bool:
        before = letters[max(0, start - 2) : start]
        return _UNSURE.search(before if start >= 2 else self.before + before) is not None

    def _take(self, prints: Prints, found: list[Found]) -> None:
        reading = self.reading
        if found:
            for frame, part in prints.parts(found, self.shared).items():
                part.columns["snapshot"] = Cells(part.integers("snapshot") + reading.snapshots)
                reading.add(frame, part)
            reading.snapshots += len(found)
            reading.names = [NAME]

    def _leave(self, prints: Prints, found: list[Found], end: int) -> None:
        """Leave the lines between the prints that were taken, unless all are blank."""
        states = np.full(end, EMPTY, np.uint8)
        states[prints.solid] = USED
        stop, last, place = 0, None, 0  # behind the print before, that print, and its end among the solid lines
        for one in [*found, None]:
            place_of_next = one.start if one else len(prints.solid)
            if place < place_of_next:
                until = int(prints.solid[one.start]) if one else end
                self._leave_lines(prints, range(stop, until), last)
                states[stop:until][states[stop:until] == USED] = IGNORED
            if one:
                if self.is_left:
                    self._leave_date(prints.date(one))
                self.is_left = False
                last, place = one, one.start + one.size
                stop = int(prints.solid[place - 1]) + 1
        if last and place == len(prints.solid):
            self.signpost = prints.signpost(last)
            self.date = prints.date(last)
        self.reading.states.append(states)

    def _leave_lines(self, prints: Prints, lines: range, last: Found | None) -> None:
        self._leave_date(prints.date(last) if last else self.date)
        self.reading.left += prints.signpost(last) if last else self.signpost
        self.reading.left += enumerate(
            prints.lines.texts(lines.start, lines.stop), self.reading.lines + lines.start + 1
        )
        self.signpost, self.date, self.is_left = [], [], True

    def _leave_date(self, date: list[tuple[int, str]]) -> None:
        self.reading.left += [line for line in date if line[0] not in self.reading.dates]
        self.reading.dates.update(number for number, _ in date)
