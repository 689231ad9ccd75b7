"""The full report of ``nvidia-smi -q``, all of it or the sections of ``-d``, once or in a loop (``-l``).

Fills ``snapshots gpus processes mig_devices`` with the values of the plain table and many more; a card that does
not answer becomes a ``gpu_lost`` event.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.formats.smi_details import KNOWN_PATHS, PROCESS_LISTS, Card, Told, step
from smianalyze.formats.smi_numbering import DetailPrint, add_prints
from smianalyze.formats.smi_paths import BY_LAST_STEP
from smianalyze.formats.smi_values import is_complete
from smianalyze.formats.values import printed_time
from smianalyze.reader import LineReader
from smianalyze.repair import Line

INDENT = 4  # blanks from a section to what it holds

_HEAD = ("timestamp", "driver_version", "kmd_version", "cuda_version", "cuda_umd_version", "attached_gpus")
_HEAD_SECTIONS = ("vgpu_driver_capability",)
_PROCESS_KEYS = ("gpu_instance_id", "compute_instance_id", "process_id", "type", "name", "used_gpu_memory")
_START = re.compile(
    r" {0,40}(?:GPU {1,4}[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f] {0,80}$"
    r"|(?:Timestamp|Attached GPUs) {1,80}:)"
)

LINES = LineReader("smi_query.lark", bool)


def _recognises(text: str) -> bool:
    return "NVSMI LOG" in text or _START.match(text) is not None


@dataclass(slots=True)
class _Level:
    """A line that others stand below; no name if it could not be read.

    ``has_gap``: a line below it could not be read, and that may have been the heading of those that follow.
    """

    indent: int
    name: str
    line: Line
    is_empty: bool
    has_gap: bool = False


@dataclass(slots=True)
class _Entry:
    """One line of a print, taken apart."""

    line: Line
    kind: str
    indent: int
    key: str
    value: str

    @classmethod
    def of(cls, line: Line) -> _Entry:
        shape = LINES.read(line.text)
        cells = {name: line.text[start:end] for name, start, end in shape.columns}
        value = cells.get("value", cells.get("pci_bus_id", ""))
        indent = len(line.text) - len(line.text.lstrip())
        return cls(line, shape.kind, indent, step(cells.get("key", "")), value.rstrip())

    @property
    def is_whole(self) -> bool:
        """Whether it is one line: two that were joined have blanks inside, as only a process name may."""
        return self.kind != "" and (self.key == "name" or "  " not in self.value)

    @property
    def is_in_columns(self) -> bool:
        """Whether key and value stand in columns, as in no sentence."""
        return self.kind == "entry" and "  :" in self.line.text

    @property
    def begins_print(self) -> bool:
        """Whether a print without its first line may begin here."""
        if self.key == "timestamp":
            return printed_time(self.value) is not None
        return self.key == "attached_gpus" and self.value.isdecimal()


@dataclass(slots=True)
class _Reports:
    """The prints of one text, line by line."""

    last: Line
    reading: Reading
    prints: list[DetailPrint] = field(default_factory=list)
    is_open: bool = False
    card: Card | None = None
    card_indent: int = 0
    levels: list[_Level] = field(default_factory=list)

    def take(self, line: Line) -> None:
        """Read one more line that is not blank."""
        entry = _Entry.of(line)
        if entry.kind == "log_start":
            self._begin(entry)
        elif entry.kind == "gpu":
            self._begin_card(entry)
        elif self.card and entry.indent > self.card_indent:
            self._take_inside(self.card, entry)
        elif entry.kind == "entry" and entry.key in _HEAD:
            self._take_head(entry)
        elif not self.is_open:
            return
        elif not self.card and not self.prints[-1].cards:
            if entry.is_in_columns or entry.key in _HEAD_SECTIONS:
                self.reading.used.add(line.number)
        else:
            if line.text.lstrip().startswith("GPU"):
                self._problem(line, "a GPU whose bus id cannot be read; its values are left out")
            self.close()

    def close(self) -> None:
        """End the print: what follows belongs to no card of it."""
        self._close_card()
        self.is_open = False

    def _begin(self, entry: _Entry) -> None:
        self._close_card()
        self.prints.append(DetailPrint(entry.line.number))
        self.is_open = True
        self.reading.used.add(entry.line.number)

    def _take_head(self, entry: _Entry) -> None:
        is_second = entry.key == "timestamp" and "timestamp" in self.prints[-1].head if self.is_open else True
        if self.card or is_second:
            self.close()
            if not entry.begins_print:
                return
            self._begin(entry)
        self.reading.used.add(entry.line.number)
        if entry.line is not self.last:
            self.prints[-1].head.setdefault(entry.key, entry.value)

    def _begin_card(self, entry: _Entry) -> None:
        self._close_card()
        report = self.prints[-1] if self.prints else None
        listed = [card.gpu.get("pci_bus_id") for card in report.cards] if report else []
        if report is None or entry.value in listed or (report.is_whole and not self.is_open):
            self._begin(entry)
        self.is_open = True
        self.card = Card(entry.line.number, bus_id=entry.value)
        self.card_indent = entry.indent
        self.reading.used.add(entry.line.number)

    def _close_card(self) -> None:
        self._leave(0)
        if self.card:
            self.prints[-1].cards.append(self.card.rows(self.reading.problems))
        self.card = None

    def _take_inside(self, card: Card, entry: _Entry) -> None:
        self._leave(entry.indent)
        readable = entry.is_whole and (entry.indent - self.card_indent) % INDENT == 0
        above = self.levels[-1] if self.levels else None
        self.levels.append(
            _Level(entry.indent, entry.key if readable else "", entry.line, entry.kind == "heading")
        )
        path = [level.name for level in self.levels]
        if not above and entry.indent > self.card_indent + INDENT:
            path = BY_LAST_STEP.get(path[0], path[0]).split("/")
        if above:
            above.is_empty = False
            above.has_gap = above.has_gap or not readable
        if "" in path or (above and above.has_gap and not _is_known(path)):
            self._problem(entry.line, "a line that is damaged, or stands below one")
            return
        self.reading.used.add(entry.line.number)
        if path == ["mig_device"] and entry.kind == "heading":
            card.mig_devices.append(Told(entry.line.number))
        elif entry.value and (entry.line is not self.last or is_complete(entry.value)):
            _place(card, path, entry)
        if entry.line is self.last and len(path) > 1 and path[0] in PROCESS_LISTS:
            card.process_list = ""  # the list may go on

    def _leave(self, indent: int) -> None:
        """Leave the levels that a line of this indent does not stand below."""
        while self.levels and self.levels[-1].indent >= indent:
            level = self.levels.pop()
            if level.is_empty and level.name:
                self._problem(level.line, "a line without a value")

    def _problem(self, line: Line, what: str) -> None:
        self.reading.problems.append(Problem(line.number, what, line.text))


def _is_known(path: list[str]) -> bool:
    """Whether these words mean something nowhere else, so that the line stands where it was printed."""
    return path[0] in (*PROCESS_LISTS, "mig_device") or "/".join(path) in KNOWN_PATHS


def _place(card: Card, path: list[str], entry: _Entry) -> None:
    """Take one value at its place in the card."""
    section, *below = path
    if section in PROCESS_LISTS:
        _place_process(card, entry) if below else card.say_of_processes(entry.value)
    elif section == "mig_device" and below and card.mig_devices:
        card.mig_devices[-1].add("/".join(below), entry.value, entry.line.number)
    else:
        card.add("/".join(path), entry.value, entry.line.number)


def _place_process(card: Card, entry: _Entry) -> None:
    """Take one line of a process; a key that is not below the last one begins the next process."""
    if entry.key not in _PROCESS_KEYS:
        return
    known = card.processes[-1].texts if card.processes else {}
    if not known or any(key in known for key in _PROCESS_KEYS[_PROCESS_KEYS.index(entry.key) :]):
        card.add_process(entry.line.number)
    card.processes[-1].add(entry.key, entry.value, entry.line.number)


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    if not lines:
        return reading
    reports = _Reports(lines[-1], reading)
    for line in lines:
        if line.text.strip() and (reports.is_open or _recognises(line.text)):
            reports.take(line)
    reports.close()
    add_prints(reading, reports.prints)
    reading.problems.sort()
    if not reading.rows:
        reading.used.clear()
    return reading


FORMAT = Format(
    name="smi_query",
    title="full report",
    command="nvidia-smi -q",
    sample="""\
==============NVSMI LOG==============

Attached GPUs                             : 1
GPU 00000000:3B:00.0
    FB Memory Usage
        Total                             : 15360 MiB
        Used                              : 2 MiB
""",
    recognises=_recognises,
    read=_read,
)
