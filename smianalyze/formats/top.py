"""Samples of ``top -b``: one row of ``hosts`` each, and one of ``host_processes`` for each process that it lists.

``top`` prints a time of day and no date. Sizes of processes are KiB where no letter stands behind them. A number
that did not fit (``257931+total``) is unknown, and so are the shares of a print that lists each CPU alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.format import Format, Problem, Reading, Row
from smianalyze.formats.log_label import labelled
from smianalyze.formats.top_values import COLUMNS, amounts, cell_value, row_values
from smianalyze.reader import LineReader, LineShape
from smianalyze.repair import Line

DEFAULT = ("PID", "USER", "PR", "NI", "VIRT", "RES", "SHR", "S", "%CPU", "%MEM", "TIME+", "COMMAND")
_SUMMARY = ("header", "tasks", "cpu", "one_cpu", "memory", "swap")
_MARKS = ("load average:", "Cpu(s):", "%Cpu", "Mem :", "Mem: ", "Swap:", "Tasks: ", "Threads: ", " COMMAND")
_SIZES = ("memory", "swap")
_MANY = frozenset({"one_cpu"})  # lines that one sample has more than once
_ROW = re.compile(
    r" {0,9}[0-9]{1,9} {1,9}[^ ]{1,32} {1,9}(?:rt|-?[0-9]{1,3}) {1,9}-?[0-9]{1,3} {1,9}[0-9.,]{1,12}[mgtp]? "
)
_HEADER = re.compile(r"top - [0-9]{1,2}:[0-9]{2}:[0-9]{2} up ")
_MAX_LABEL = 100  # characters that a collector may put before each line
_DIGITS = str.maketrans("123456789", "000000000")


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, _MARKS)) or _ROW.match(text) is not None


LINES = LineReader("top.lark", bool)


class _Reader:
    """Reads the samples of one stream in order."""

    def __init__(self, label: str) -> None:
        self.reading = Reading()
        self._label = label
        self._host: Row = {}
        self._kinds: set[str] = set()
        self._names: Sequence[str] = ()

    def take(self, line: Line, *, is_open: bool) -> None:
        """Read one line; its end may be missing if it is open."""
        text = line.text[len(self._label) :] if self._is_labelled(line.text) else line.text
        if not text.strip():
            return
        shape = LINES.read(text + "\n")
        cells = [(name, text[start:end]) for name, start, end in shape.columns]
        if shape.kind == "row":
            self._process(line, text, cells, is_open)
        elif is_open:
            return  # its last number may be longer
        elif shape.kind in _SUMMARY:
            self._summary(line, shape, dict(cells))
        elif shape.kind == "columns":
            self._columns(line, [name for _, name in cells])

    def _is_labelled(self, text: str) -> bool:
        return bool(self._label) and text[: len(self._label)].translate(_DIGITS) == self._label

    def _summary(self, line: Line, shape: LineShape, cells: Mapping[str, str]) -> None:
        kind, values = shape.kind, amounts(cells)
        if kind in _SIZES and "unit" not in cells and all(value is None for value in values.values()):
            return
        if not self._kinds or self._names or kind == "header" or (kind in self._kinds and kind not in _MANY):
            self._host, self._kinds, self._names = {"line": line.number}, set(), ()
            self._host |= labelled(line.text[: len(self._label)]) if self._label else {}
            self._host.pop("rank", None)
            self.reading.add("hosts", self._host)
        self._kinds.add(kind)
        self.reading.used.add(line.number)
        self._host |= values
        if "time_of_day" in cells:
            self._host["printed_time"] = cells["time_of_day"]

    def _columns(self, line: Line, names: Sequence[str]) -> None:
        names = ["PID", *names]
        if "COMMAND" not in names[:-1] and names[-1] in COLUMNS and {"%CPU", "%MEM", "RES"} & set(names):
            if self._names:  # a sample whose summary was left out
                self._host, self._kinds = {}, set()
            self._names = names
            self.reading.used.add(line.number)

    def _process(self, line: Line, text: str, cells: Sequence[tuple[str, str]], is_open: bool) -> None:
        names = self._names or DEFAULT
        values = row_values(names, cells, text, is_open=is_open)
        if values is None:
            if self._names and _starts_like(names, cells):
                what = "a process of top whose row breaks off"
                self.reading.problems.append(Problem(line.number, what, line.text))
            return
        host = self._host if self._names else {}
        said: Row = {name: host[name] for name in ("time", "printed_time") if name in host}
        self.reading.used.add(line.number)
        place = {"line": line.number, "sample_line": host.get("line")}
        self.reading.add("host_processes", {**place, **said, **values})


def _starts_like(names: Sequence[str], cells: Sequence[tuple[str, str]]) -> bool:
    """Whether the cells fit their columns as far as there are any, so that the line is a row without its end."""
    fits = all(cell_value(name, *cell) is not None for name, cell in zip(names[:-1], cells[:-1], strict=False))
    return len(cells) < len(names) and len(cells) > 1 and fits


def _label(lines: Sequence[Line]) -> str:
    """What a collector put before each line, with its digits masked; "" where nothing is."""
    found = (_HEADER.search(line.text[: _MAX_LABEL + 20]) for line in lines if "load average:" in line.text)
    first = next(filter(None, found), None)
    return first.string[: first.start()].translate(_DIGITS) if first else ""


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    reader = _Reader(_label(lines))
    for line in lines:
        reader.take(line, is_open=open_end and line is lines[-1])
    return reader.reading


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="top",
        reach=600,  # the processes of a sample
        title="load, CPU and memory of the host, and its processes",
        command="top -b",
        sample="""\
top - 11:14:31 up 41 days,  3:07,  2 users,  load average: 19.12, 18.44, 11.09
%Cpu(s): 34.1 us,  4.2 sy,  0.0 ni, 41.1 id, 20.0 wa,  0.4 hi,  0.2 si,  0.0 st
MiB Mem : 128721.4 total,   9812.2 free,  71204.8 used,  47704.4 buff/cache
""",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
