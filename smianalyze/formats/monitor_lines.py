"""Lines of ``nvidia-smi dmon`` and ``pmon`` and their cells, without the labels that a log puts before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from smianalyze.reader import MAX_SHAPES, LineReader, LineShape
from smianalyze.repair import Line

MAX_LABELS = 100  # labels of one text that are told apart

_HEADER = re.compile(r"# ?(?:(?:Date|Time)[ ,]{1,16}){0,2}gpu[ ,]")
_UNITS = re.compile(r"# ?(?:(?:YYYYMMDD|HH:MM:SS)[ ,]{1,16}){0,2}Idx[ ,]")
_NUMBER = re.compile(r"[0-9]{1,200}")
_LINE_START = re.compile(r" {0,16}[#0-9]")


class Cell(NamedTuple):
    """Where a word of a line stands; ``kind`` is what the grammar says that it is."""

    kind: str
    start: int
    end: int


class Printed(NamedTuple):
    """One line that is not blank.

    ``kind`` is ``header``, ``units`` or ``row``, and "" for any other text. The first of ``cells`` is the GPU;
    ``date`` and ``time_of_day`` are "" where they are not printed.
    """

    number: int
    text: str
    kind: str
    is_csv: bool
    cells: tuple[Cell, ...]
    date: str = ""
    time_of_day: str = ""

    def word(self, place: int) -> str:
        """Text of a cell."""
        _, start, end = self.cells[place]
        return self.text[start:end]

    def words(self) -> list[str]:
        """Text of all cells, that of the GPU first."""
        return [self.text[start:end] for _, start, end in self.cells]


def may_match(line: str) -> bool:
    """Whether a line may be a header or a row: a cheap test."""
    return _LINE_START.match(line) is not None


def has_header(text: str) -> bool:
    """Whether a line holds the beginning of a header or of its units, also behind a label."""
    return (_HEADER.search(text) or _UNITS.search(text)) is not None


def is_labelled(text: str) -> bool:
    """Whether something stands before a header, so that it may stand before the lines below as well."""
    header = _HEADER.search(text)
    return header is not None and text[: header.start()].strip() != ""


def printed_streams(lines: Sequence[Line], reader: LineReader) -> list[list[Printed]]:
    """The lines of each stream that are not blank, read by the grammar of one monitor.

    Several streams are the ranks of a job that wrote through each other; a text without labels is one.
    """
    streams: dict[str, list[Printed]] = {}
    for stream, number, text in _without_labels([(line.number, line.text) for line in lines if line.text.strip()]):
        streams.setdefault(stream, []).append(printed_line(number, text, reader))
    return list(streams.values())


def printed_line(number: int, text: str, reader: LineReader) -> Printed:
    """A line that is not blank, read by the grammar of one monitor."""
    shape = reader.read(text.rstrip() + "\n")
    kind, is_csv, when, cells = _parts(shape)
    times = {name: text[start:end] for name, start, end in when}
    return Printed(number, text, kind, is_csv, cells, **times)


@lru_cache(MAX_SHAPES)
def _parts(shape: LineShape) -> tuple[str, bool, tuple[Cell, ...], tuple[Cell, ...]]:
    """Kind, whether it is CSV, cells of the time, and cells behind it: the same for all lines of a shape."""
    cells = [Cell(*column) for column in shape.columns]
    when = tuple(cell for cell in cells if cell.kind in ("date", "time_of_day"))
    kind = shape.kind.removeprefix("csv_")
    return kind, kind != shape.kind, when, tuple(cells[len(when) :])


def _without_labels(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, str]]:
    """Stream, number and text of lines, without what stands before a header and before the lines below as well.

    Labels that all have a header of their own (``0:``, ``1:``) are streams; others hold a time. What stands
    before a header alone, the beginning of a row that was cut there, becomes a line of its own.
    """
    shapes = sorted(_label_shapes(lines), key=len, reverse=True)
    label = re.compile("|".join(shapes) or "(?!)")
    labels = [match.group() if (match := label.match(text)) else "" for _, text in lines]
    headed = {label for label, (_, text) in zip(labels, lines, strict=True) if _HEADER.search(text)}
    are_streams = headed >= set(labels) - {""}
    for found, (number, text) in zip(labels, lines, strict=True):
        stream = found if are_streams else ""
        rest = text[len(found) :]
        header = _HEADER.search(rest)
        start = header.start() if header and rest[: header.start()].strip() else 0
        if start:
            yield stream, number, rest[:start]
        yield stream, number, rest[start:]


def _label_shapes(lines: Sequence[tuple[int, str]]) -> set[str]:
    """Patterns of the labels; numbers may vary."""
    shapes: set[str] = set()
    for (_, text), (_, below) in pairwise(lines):
        header = _HEADER.search(text)
        label = text[: header.start()].rstrip() if header else ""
        if label and not label.endswith(",") and len(shapes) < MAX_LABELS:
            shape = _NUMBER.sub("[0-9]{1,200}", re.escape(label))
            match = re.match(shape, below)
            if match and may_match(below[match.end() :]):
                shapes.add(shape)
    return shapes
