"""Whole prints of the plain table from blocks of lines, all prints of a block at once.

A print is taken if its sequence of lines has a layout (:mod:`smianalyze.formats.smi_layouts`); all others, and the
text between prints, are left to be read line by line. As a print begins with its head, they can be read without
those that were taken; a header line stands for these, so that nothing seems to go on what stood before them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from smianalyze.formats.block_reading import EMPTY, IGNORED, USED, BlockReading
from smianalyze.formats.smi_layouts import Layout, layout_of
from smianalyze.formats.smi_prints import LOST_CELLS, OTHER_MODE, PrintedLine
from smianalyze.formats.smi_prints_at_once import Found, Prints
from smianalyze.formats.smi_table import LINES, LONGEST_SEQUENCE, printed_line
from smianalyze.formats.times import date_cells
from smianalyze.formats.values import DTYPES
from smianalyze.offsets import Cells, Texts
from smianalyze.repair import Line, repaired_lines
from smianalyze.shapes import BLANK, OTHER, Cell, Flags, Indexes, Kinds, Shape, Shapes

NAME = "smi_table"  # of the format
LONGEST_PRINT = 64 * 1024  # bytes; where titles are further apart, most of an input is something else
MAY_HOLD_PRINTS = re.compile(rb"nvidia-smi", re.IGNORECASE)
"""Is in the title of each print."""


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


SHAPES = Shapes(_described, once=b"NVIDIA-SMI")


def _stand_below(kinds: Kinds, kind: str, before: bytes = b"") -> Flags:
    """Which lines stand below one of a kind, or below a rule that does.

    Args:
        kinds: Of lines that are not blank.
        kind: The one that is looked for.
        before: Kinds of the two lines before them, or of less.
    """
    all_kinds = np.concatenate((np.frombuffer(before.rjust(2, b"\0"), np.uint8), kinds))
    above, second_above = all_kinds[1:-1], all_kinds[:-2]
    is_rule = (above == ord("U")) | (above == ord("R"))
    result: Flags = (above == ord(kind)) | (is_rule & (second_above == ord(kind)))
    return result


def _heads(kinds: Kinds) -> Indexes:
    """Where prints begin: at a date, or at a title that has none before it, nor before the rule above it."""
    return np.flatnonzero((kinds == ord("D")) | ((kinds == ord("T")) & ~_stand_below(kinds, "D")))


def _layout(letters: bytes) -> Layout | None:
    return layout_of(letters.decode()) if len(letters) <= LONGEST_SEQUENCE else None


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
        heads = _heads(kinds)
        end = len(lines)
        if is_last:
            heads = np.append(heads, len(kinds))
        elif len(heads) and len(kinds) - heads[-1] <= LONGEST_SEQUENCE:
            end, solid = int(solid[heads[-1]]), solid[: heads[-1]]
        prints = Prints(lines, solid, self.reading.lines)
        found = prints.ascending(self._found(kinds, heads))
        self._take(prints, found)
        self._leave(prints, found, end)
        self.before = (self.before + kinds[: len(solid)][-2:].tobytes())[-2:]
        self.reading.lines += end
        return int(lines.starts[end])

    def _leave_all(self, data: bytes) -> int:
        if data:
            self._leave_date(self.date)
            self.reading.left += self.signpost
            self.signpost, self.date, self.before, self.is_left = [], [], OTHER.encode(), True
            self.reading.leave(data)
        return len(data)

    def _found(self, kinds: Kinds, heads: Indexes) -> Found:
        """The whole prints between heads."""
        letters = kinds.tobytes()
        stretches = [letters[start:end].rstrip(b"X") for start, end in pairwise(heads.tolist())]
        layouts = {stretch: _layout(stretch) for stretch in set(stretches)}
        whole = {stretch: layout for stretch, layout in layouts.items() if layout is not None}
        numbers = {stretch: number for number, stretch in enumerate(whole)}
        starts = heads[:-1]
        sizes = np.array([len(stretch) for stretch in stretches], np.int64)
        layout = np.array([numbers.get(stretch, -1) for stretch in stretches], np.int64)
        # repair may find the date of a print above its title, in a line that is not read by shape
        is_sure = (kinds == ord("D")) | ~_stand_below(kinds, OTHER, self.before)
        found = Found(starts, starts + sizes, layout, [*whole.values()])
        return found.only((layout >= 0) & is_sure[starts])

    def _take(self, prints: Prints, found: Found) -> None:
        reading = self.reading
        if len(found):
            for frame, part in prints.parts(found, self.shared).items():
                part.columns["snapshot"] = Cells(part.integers("snapshot") + reading.snapshots)
                reading.add(frame, part)
            reading.snapshots += len(found)
            reading.names = [NAME]

    def _leave(self, prints: Prints, found: Found, end: int) -> None:
        """Leave the lines between the prints that were taken, unless all are blank."""
        states = np.full(end, EMPTY, np.uint8)
        states[prints.solid] = USED
        starts, ends = np.append(found.starts, len(prints.solid)), np.append(0, found.ends)
        is_gap = starts > ends
        if self.is_left:
            is_gap[0] = True
        for number in np.flatnonzero(is_gap).tolist():
            start, end_before = int(starts[number]), int(ends[number])
            if start > end_before:
                stop = int(prints.solid[end_before - 1]) + 1 if number else 0
                until = int(prints.solid[start]) if number < len(found) else end
                if number:
                    self._mark(prints, int(starts[number - 1]), end_before)
                self._leave_lines(prints, range(stop, until))
                states[stop:until][states[stop:until] == USED] = IGNORED
            if number < len(found):
                self._leave_date(prints.date(start))
                self.is_left = False
        if len(found) and ends[-1] == len(prints.solid):
            self._mark(prints, int(found.starts[-1]), int(ends[-1]))
        self.reading.states.append(states)

    def _mark(self, prints: Prints, start: int, end: int) -> None:
        """Keep what stands for the print that was taken last."""
        self.signpost, self.date = prints.signpost(start, end), prints.date(start)

    def _leave_lines(self, prints: Prints, lines: range) -> None:
        self._leave_date(self.date)
        self.reading.left += self.signpost
        self.reading.left += enumerate(
            prints.lines.texts(lines.start, lines.stop), self.reading.lines + lines.start + 1
        )
        self.signpost, self.date, self.is_left = [], [], True

    def _leave_date(self, date: list[tuple[int, str]]) -> None:
        self.reading.left += [line for line in date if line[0] not in self.reading.dates]
        self.reading.dates.update(number for number, _ in date)
