"""The table that plain ``nvidia-smi`` prints, every generation from driver 290 to 616.

Reads titles, GPUs, MIG devices and processes into ``snapshots gpus mig_devices processes``; a card whose cells
read ``ERR!``, or that the process box of old drivers calls lost, becomes a ``gpu_lost`` event. Memory is MiB also
where old drivers print MB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

from lark import Lark, Token

from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.formats.smi_prints import Print, PrintedLine, split_prints
from smianalyze.reader import LineReader, grammar
from smianalyze.repair import Line

DAMAGED = "a table line that breaks off or is damaged; what stands before the damage was read"
NO_HEADER = "a process without a type, and no header above that says that the types are left out"

_NAMES = ("name", "process_name")
_GAP = "   "  # stands between columns and in no name: a border or a column is damaged
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_OURS = re.compile(r"[0-9]MiB {0,4}[/|]|[0-9A-F]:[0-9A-F]{2}:[0-9A-F]{2}\.[0-9A-F] ")
_LOAD = re.compile(r"MiB {0,4}/")
# in each part of a table that may stand alone
_WORDS = ("MiB", "-SMI", "MB /", "Not Supported", "GPU is lost")

_LETTERS = {
    "date": "D",
    "title": "T",
    "gpu_header": "H",
    "mig_header": "H",
    "no_mig_devices": "H",
    "gpu_identity": "I",
    "gpu_load": "L",
    "gpu_mig": "M",
    "mig_device_row": "V",
    "mig_bar1": "B",
    "process_header": "P",
    "process": "p",
    "untyped_header": "O",
    "untyped_process": "o",
    "process_not_supported": "s",
    "process_gpu_lost": "l",
    "no_processes": "n",
}
# a column that only one kind of line has: it tells what a cut line was
_KIND_OF_CUT_LINE = {
    "smi_version": "title",
    "name": "gpu_identity",
    "temperature_gpu_c": "gpu_load",
    "pstate": "gpu_load",
    "memory_used_mib": "gpu_load",
    "mig_device": "mig_device_row",
    "type": "process",
}


def may_match(line: str) -> bool:
    """Whether a line may stand in a table of nvidia-smi, or is its date; a cheap test."""
    return "|" in line or "---" in line or "===" in line or line.lstrip().startswith(_DAYS)


LINES = LineReader("smi_table.lark", may_match)

# What was read once is not read again: screen after screen shows the same rows in the same order.
MAX_TEXTS = 20_000
MAX_SEQUENCES = 64
LONGEST_SEQUENCE = 1_000  # lines; a longer text is no screen, and would fill the memory


@cache
def _document_grammar() -> Lark:
    return grammar("smi_document.lark", "document")


def _recognises(text: str) -> bool:
    return "|" in text and any(word in text for word in _WORDS)


def _read(lines: Sequence[Line], *, has_prints: bool) -> Reading:
    printed = [printed_line(text)._replace(number=number) for number, text, _ in lines if text.strip()]
    letters = "".join(line.letter for line in printed)
    read_units = units_of if len(letters) <= LONGEST_SEQUENCE else units_of.__wrapped__
    units = [(kind, printed[start:end]) for kind, start, end in read_units(letters)]
    reading = Reading()
    foreign = {line.number for kind, part in units if kind == "FOREIGN_BOX" for line in part}
    in_box = {line.number for kind, part in units if kind == "UNTYPED_BOX" for line in part}
    for line in printed:
        stray = line.letter == "o" and line.number not in in_box
        if line.letter not in "FQqX":
            reading.used.add(line.number)
        if (line.cut or stray) and line.number not in foreign:
            reading.problems.append(Problem(line.number, line.cut or NO_HEADER, line.text))
    for number, one in enumerate(split_prints(units)):
        _add(reading, number, one)
    if not reading.rows and not has_prints:
        reading.used.clear()
    return reading


@lru_cache(maxsize=MAX_SEQUENCES)
def units_of(letters: str) -> list[tuple[str, int, int]]:
    """Kind, start and end of the units in a sequence of lines."""
    tokens = _document_grammar().parse(letters).children
    return [(t.type, t.start_pos or 0, t.end_pos or 0) for t in tokens if isinstance(t, Token)]


@lru_cache(maxsize=MAX_TEXTS)
def printed_line(text: str) -> PrintedLine:
    """What a text says; number 0 stands for the number of its line."""
    shape = LINES.read(text)
    values = {name: text[start:end] for name, start, end in shape.columns}
    kind, cut = shape.kind, ""
    if not kind:
        kind = next((_KIND_OF_CUT_LINE[name] for name in values if name in _KIND_OF_CUT_LINE), "")
        if kind or ("|" in text and _OURS.search(text)):
            cut = DAMAGED
    for name in [name for name in _NAMES if _GAP in values.get(name, "")]:
        cut = DAMAGED
        del values[name]
    if kind == "rule":
        letter = "U" if text.lstrip().startswith("+") else "R"
    else:
        letter = _LETTERS.get(kind) or _letter_of_other(text, cut=bool(cut))
    return PrintedLine(0, text, letter, cut, values, shape.failed)


def _letter_of_other(text: str, *, cut: bool) -> str:
    if cut:
        return "q" if _LOAD.search(text) else "Q"
    return "F" if "|" in text else "X"


def _add(reading: Reading, snapshot: int, one: Print) -> None:
    shared = {"snapshot": snapshot, "time": one.time}
    reading.add("snapshots", {**one.head, **shared, "process_section": one.process_section, "line": one.line})
    for frame, rows in (("gpus", one.gpus), ("processes", one.processes), ("mig_devices", one.mig_devices)):
        for row in rows:
            reading.add(frame, {**row, **shared})
    for row in one.lost:
        reading.add("events", {**row, "time": one.time})


FORMAT: Format = Format(
    name="smi_table",
    title="plain nvidia-smi table",
    command="nvidia-smi",
    sample="""\
|   0  Tesla T4            Off  | 00000000:00:04.0 Off |                    0 |
| N/A   36C    P8     9W /  70W |      0MiB / 15109MiB |      0%      Default |
""",
    recognises=_recognises,
    read=partial(_read, has_prints=False),
    told=lambda told: replace(FORMAT, read=partial(_read, has_prints=FORMAT.name in told.at_once)),
)
