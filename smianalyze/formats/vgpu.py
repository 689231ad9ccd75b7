"""The table that ``nvidia-smi vgpu`` prints on a host: its cards, and the vGPUs that virtual machines use.

Cards go to ``gpus``, where memory, power and the rest stay unknown; vGPUs go to ``vgpus``, each with the index of
the card above it. A vGPU below a line that could not be read has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lark import Lark, Token

from smianalyze.formats import smi_table
from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.formats.smi_prints import lost_gpu
from smianalyze.formats.values import converted, printed_time
from smianalyze.reader import LineReader, LineShape, grammar
from smianalyze.repair import Line

# a row of three cells of which the last is a share: no other table of nvidia-smi has it
_ROW = re.compile(r" *\|[^|\n]+\|[^|\n]+\| *[0-9]{1,3}% *\|")
# the plain table never leaves a bus id alone in its cell
_LONE_BUS_ID = re.compile(r"\| *[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f] *\|")
_LETTERS = {"date": "D", "title": "T", "rule": "R", "vgpu_header": "H", "card": "C", "vgpu": "V"}

LINES = LineReader("vgpu.lark", smi_table.may_match)


class _Printed(NamedTuple):
    """One line with the letter of its kind and the text of its columns."""

    number: int
    text: str
    letter: str
    cells: dict[str, str]
    failed: tuple[str, ...]


@cache
def _document_grammar() -> Lark:
    return grammar("vgpu.lark", "document")


def _recognises(text: str) -> bool:
    return "vGPU" in text or _ROW.match(text) is not None


def _read(lines: Sequence[Line]) -> Reading:
    printed = [_printed(line, LINES.read(line.text)) for line in lines if line.text.strip()]
    tables = _document_grammar().parse("".join(line.letter for line in printed)).children
    reading = Reading()
    for table in tables:
        if isinstance(table, Token):
            _add_table(reading, printed[table.start_pos : table.end_pos])
    return reading


def _printed(line: Line, shape: LineShape) -> _Printed:
    letter = _LETTERS.get(shape.kind) or ("Q" if _is_damaged(line.text) else "X")
    cells = {name: line.text[start:end] for name, start, end in shape.columns}
    return _Printed(line.number, line.text, letter, cells, shape.failed)


def _is_damaged(text: str) -> bool:
    """Whether a line has a border and is none of the plain table, which may follow without its head."""
    has_border = text.lstrip().startswith("|") or text.rstrip().endswith("|")
    return has_border and (not smi_table.LINES.read(text).kind or _LONE_BUS_ID.search(text) is not None)


def _add_table(reading: Reading, table: Sequence[_Printed]) -> None:
    reading.used.update(line.number for line in table)
    reading.problems.extend(
        Problem(line.number, "a line of a vGPU table that breaks off or is damaged", line.text)
        for line in table
        if line.letter == "Q"
    )
    for lines in _prints(table):
        _add_print(reading, lines)


def _prints(table: Sequence[_Printed]) -> Iterator[Sequence[_Printed]]:
    """The prints of a table: where heads were lost, an index that is not higher than the last begins the next."""
    start, last = 0, -1
    for place, line in enumerate(table):
        if line.letter == "C":
            index = int(line.cells["gpu_index"])
            if index <= last:
                yield table[start:place]
                start = place
            last = index
    yield table[start:]


def _add_print(reading: Reading, lines: Sequence[_Printed]) -> None:
    head = {name: text for line in lines if line.letter in "DT" for name, text in line.cells.items()}
    shared = {
        "snapshot": len(reading.rows.get("snapshots", ())),
        "time": printed_time(head["time"]) if "time" in head else None,
    }
    begins = next(line.number for line in lines if line.letter != "R")
    reading.add("snapshots", {**converted(head), **shared, "process_section": "absent", "line": begins})
    card = None
    for line in lines:
        row = {**converted(line.cells), **shared, "line": line.number}
        if line.letter == "C":
            card = row["gpu_index"]
            reading.add("gpus", row)
            if "name" in line.failed:
                reading.add("events", {**lost_gpu(row, "ERR!"), "time": shared["time"]})
        elif line.letter == "V":
            reading.add("vgpus", {**row, "gpu_index": card})
        else:
            card = None


FORMAT = Format(
    name="vgpu",
    title="vGPUs of a host",
    command="nvidia-smi vgpu",
    sample="""\
| GPU  Name                       | Bus-Id                       | GPU-Util   |
|      vGPU ID     Name           | VM ID     VM Name            | vGPU-Util  |
|=================================+==============================+============|
|   0  NVIDIA A40                 | 00000000:66:00.0             |  38%       |
|      3251634402  NVIDIA A40-24A | 7cc7...  vm1                 |     38%    |
+---------------------------------+------------------------------+------------+
""",
    recognises=_recognises,
    read=_read,
)
