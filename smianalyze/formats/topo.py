"""The matrix of ``nvidia-smi topo -m``: one row of ``links`` for each device and each device in its line.

The row of a device with itself (link ``X``) says where the device sits: ``cpu_affinity``, ``numa_affinity``,
``gpu_numa_id``, and of a NIC its ``nic_name``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from smianalyze.formats.format import Format, Problem, Reading, Row
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_SELF = "X"
_UNKNOWN = "N/A"
_DAMAGED = "a row of the matrix that breaks off, or whose cells do not stand below their devices"

LINES = LineReader("topo.lark", bool)


def _recognises(text: str) -> bool:
    return "CPU Affinity" in text and "GPU" in text


@dataclass(slots=True)
class _Cells:
    """The cells of a line by kind, in order."""

    kind: str
    devices: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> _Cells:
        shape = LINES.read(text)
        cells = cls(shape.kind)
        lists = {"device": cells.devices, "link": cells.links}
        for name, start, end in shape.columns:
            lists.get(name, cells.others).append(text[start:end])
        return cells


@dataclass(slots=True)
class _Matrix:
    """A matrix: the devices of its header, what the columns behind them say, and the rows of the diagonal."""

    devices: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    diagonal: dict[str, Row] = field(default_factory=dict)

    def links(self, cells: _Cells, *, is_last: bool) -> list[str]:
        """The links of a row that certainly stand below their devices; none if cells were lost or have moved."""
        at = self.devices.index(cells.devices[0])
        if cells.links[at : at + 1] not in ([], [_SELF]) or len(cells.links) > len(self.devices):
            return []
        if is_last and not cells.others:
            return cells.links[:-1]  # the last one may be cut
        return cells.links if len(cells.links) == len(self.devices) else []

    def rows(self, cells: _Cells, links: Sequence[str], line: int) -> list[Row]:
        """A row for each link."""
        device = cells.devices[0]
        found: list[Row] = [
            {"line": line, "device_a": device, "device_b": other, "link": link}
            for other, link in zip(self.devices, links, strict=False)
        ]
        here = next((row for row in found if row["device_b"] == device), {})
        if len(cells.others) == len(self.places):
            here.update(
                (name, text) for name, text in zip(self.places, cells.others, strict=True) if text != _UNKNOWN
            )
        self.diagonal[device] = here
        return found


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    matrix = _Matrix()
    for line in lines:
        if not line.text.strip() or not (matrix.devices or _recognises(line.text)):
            continue
        cells = _Cells.of(line.text)
        if cells.kind == "header":
            matrix = _Matrix(cells.devices, [words.lower().replace(" ", "_") for words in cells.others])
        elif cells.kind == "nic" and cells.devices[0] in matrix.diagonal:
            matrix.diagonal[cells.devices[0]]["nic_name"] = None if line is lines[-1] else cells.others[0]
        elif cells.kind == "row" or line.text.split()[0] in matrix.devices:
            _add_row(reading, matrix, cells, line, is_last=line is lines[-1])
        elif cells.kind != "legend":
            matrix = _Matrix()
            continue
        reading.used.add(line.number)
    return reading


def _add_row(reading: Reading, matrix: _Matrix, cells: _Cells, line: Line, *, is_last: bool) -> None:
    is_ours = cells.kind == "row" and cells.devices[0] in matrix.devices
    links = matrix.links(cells, is_last=is_last) if is_ours else []
    if links:
        reading.rows.setdefault("links", []).extend(matrix.rows(cells, links, line.number))
    if len(links) < len(matrix.devices):
        reading.problems.append(Problem(line.number, _DAMAGED, line.text))


FORMAT = Format(
    name="topo",
    title="matrix of links between devices",
    command="nvidia-smi topo -m",
    sample="""\
        GPU0    GPU1    CPU Affinity    NUMA Affinity
GPU0     X      PHB     0-11            N/A
GPU1    PHB      X      0-11            N/A
""",
    recognises=_recognises,
    read=_read,
)
