"""The full report as XML, ``nvidia-smi -q -x``, schemas v4 to v13, once or in a loop (one document after another).

Fills what ``smi_query`` fills, with the same columns. A standard reader parses it: entities and references are
refused, nothing is fetched, and no element outlives its end. Of a document that breaks off, the GPUs that were
complete are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.formats.smi_details import PROCESS_LISTS, Card, Told, step
from smianalyze.formats.smi_numbering import DetailPrint, add_prints
from smianalyze.repair import Line

MAX_DEPTH = 64  # elements inside each other; genuine ones have 7
MAX_TEXT = 64 * 1024  # characters in one element; a list of retired pages is the longest genuine one

_ROOT = "nvidia_smi_log"
_START = re.compile(r"<\?xml|<!DOCTYPE nvidia_smi_log|<nvidia_smi_log")
_BETWEEN = re.compile(r"(?=<\?xml)|(?<=</nvidia_smi_log>)")
_BUS_ID = re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")


class _Refused(ValueError):
    """A document that is beyond our limits."""


@dataclass(slots=True)
class _File:
    """A document as a file that gives one line at a time, so that we know in which line an element ends."""

    lines: Iterator[Line]
    number: int = 0
    text: str = ""

    def read(self, _size: int = -1) -> str:
        line = next(self.lines, None)
        if line is None:
            return ""
        self.number, self.text = line.number, line.text
        return line.text.encode("utf-8", "replace").decode("utf-8") + "\n"


@dataclass(slots=True)
class _Level:
    """An element that is open: its name, and whether it holds others."""

    element: Element
    tag: str
    name: str
    is_leaf: bool = True


@dataclass(slots=True)
class _Document:
    """One document, element by element."""

    report: DetailPrint
    problems: list[Problem]
    levels: list[_Level] = field(default_factory=list)
    card: Card | None = None
    whole_to: int = 0

    def take(self, event: str, element: Element, line: int) -> None:
        """Read the start or the end of an element."""
        if event == "start":
            self._start(element, line)
        else:
            self._end(line)

    def _start(self, element: Element, line: int) -> None:
        if len(self.levels) >= MAX_DEPTH or (not self.levels and element.tag != _ROOT):
            raise _Refused
        tag = step(element.tag)
        parent = self.levels[-1] if len(self.levels) > 2 else None
        self.levels.append(_Level(element, tag, _without_parent(tag, parent.tag) if parent else tag))
        if len(self.levels) > 1:
            self.levels[-2].is_leaf = False
        path = [level.name for level in self.levels[1:]]
        if path == ["gpu"]:
            bus_id = element.get("id", "")
            self.card = Card(line, bus_id=bus_id if _BUS_ID.fullmatch(bus_id) else None)
        elif self.card and path[1:] == ["mig_devices", "mig_device"]:
            self.card.mig_devices.append(Told(line))
        elif self.card and path[2:] == ["process_info"] and path[1] in PROCESS_LISTS:
            self.card.add_process(line)

    def _end(self, line: int) -> None:
        level = self.levels.pop()
        path = [*(above.name for above in self.levels[1:]), level.name]
        text = (level.element.text or "").strip()
        if len(text) > MAX_TEXT:
            self.problems.append(Problem(line, f"an element of more than {MAX_TEXT:,} characters", text))
        elif level.is_leaf and self.card and path[0] == "gpu":
            _place(self.card, path[1:], text, line)
        elif level.is_leaf and len(path) == 1:
            self.report.head.setdefault(level.name, text)
        if path == ["gpu"] and self.card:
            self.report.cards.append(self.card.rows(self.problems))
            self.card = None
            self.whole_to = line
        level.element.clear()
        if self.levels:
            self.levels[-1].element.remove(level.element)
        else:
            self.whole_to = line


def _without_parent(tag: str, parent: str) -> str:
    """``pci_bus`` in ``pci`` is ``bus``: many elements repeat what they stand in."""
    for prefix in (f"{parent}_", f"{parent.removesuffix('s')}_"):
        if tag.startswith(prefix):
            return tag.removeprefix(prefix)
    return tag


def _place(card: Card, path: list[str], text: str, line: int) -> None:
    """Take one value at its place in the card."""
    match path:
        case [section] if section in PROCESS_LISTS:
            card.say_of_processes(text or "None")
        case [section, "process_info", key] if section in PROCESS_LISTS:
            card.processes[-1].add(key, text, line)
        case ["mig_devices", "mig_device", *below] if below:
            card.mig_devices[-1].add("/".join(below), text, line)
        case _ if text:
            card.add("/".join(path), text, line)


def _read_document(lines: Sequence[Line], reading: Reading) -> DetailPrint:
    file = _File(iter(lines))
    document = _Document(DetailPrint(lines[0].number), reading.problems)
    try:
        for event, element in iterparse(file, ("start", "end")):
            document.take(event, element, file.number)
    except (DefusedXmlException, _Refused):
        what = "XML with entities, references or too many levels is refused"
        reading.problems.append(Problem(file.number, what, file.text))
    except ParseError:
        what = "the XML breaks off or is damaged here; complete GPUs before it were read"
        reading.problems.append(Problem(file.number, what, file.text))
    reading.used.update(line.number for line in lines if line.number <= document.whole_to)
    return document.report


def _documents(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines of each document; one that breaks off ends where the next begins."""
    document: list[Line] = []
    is_open = has_root = False
    for piece in _pieces(lines):
        start = _START.search(piece.text)
        if start and (not is_open or has_root or start.group() == "<?xml"):
            if has_root:
                yield document
            document, is_open, has_root = [piece._replace(text=piece.text[start.start() :])], True, False
        elif is_open:
            document.append(piece)
        if is_open:
            has_root = has_root or f"<{_ROOT}" in piece.text
            is_open = f"</{_ROOT}>" not in piece.text
    if has_root:
        yield document


def _pieces(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, cut where one document ends and another begins."""
    for line in lines:
        if "<?xml" not in line.text and f"</{_ROOT}>" not in line.text:
            yield line
        else:
            yield from (line._replace(text=text) for text in _BETWEEN.split(line.text))


def _recognises(text: str) -> bool:
    return _ROOT in text


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    add_prints(reading, [_read_document(document, reading) for document in _documents(lines)])
    if not reading.rows:
        reading.used.clear()
    return reading


FORMAT = Format(
    name="smi_xml",
    title="full report as XML",
    command="nvidia-smi -q -x",
    sample="""\
<nvidia_smi_log>
\t<attached_gpus>1</attached_gpus>
\t<gpu id="00000000:3B:00.0">
\t\t<fb_memory_usage>
\t\t\t<used>2 MiB</used>
\t\t</fb_memory_usage>
\t</gpu>
</nvidia_smi_log>
""",
    recognises=_recognises,
    read=_read,
)
