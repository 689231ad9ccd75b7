"""The CPUs of a host as ``lscpu`` prints them: one row of ``hosts``.

Where cores differ (performance and efficiency cores), a count that two kinds of core do not share is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_COUNTS = ("cpus", "threads_per_core", "cores_per_socket", "sockets", "numa_nodes")
_OF_A_MODEL = frozenset({"threads_per_core", "cores_per_socket", "sockets"})
_SURE = ("CPU(s):", "per core:", "ocket(s):", "per socket:")
_MODELS_APART = " + "
_NODES_APART = ";"


def _recognises(text: str) -> bool:
    return "(s)" in text and any(map(text.__contains__, _SURE))


LINES = LineReader("lscpu.lark", lambda line: ":" in line)


class _Host:
    """One print while it is read."""

    def __init__(self) -> None:
        self.used: list[int] = []
        self.kinds: set[str] = set()
        self._counts: dict[str, list[int]] = {}
        self._models: list[str] = []
        self._nodes: list[str] = []

    def take(self, line: Line, cells: Sequence[tuple[str, str]]) -> None:
        self.used.append(line.number)
        for name, text in cells:
            if name in _COUNTS:
                self._counts.setdefault(name, []).append(int(text))
            elif name == "cpu_model":
                self._models.append(text)
            elif name == "numa_cpus":
                self._nodes.append(text)

    def row(self) -> Row:
        """The columns; empty for lines that only look a little like this."""
        if "cpus" not in self._counts or not self.kinds & {"threads", "cores", "socket_line"}:
            return {}
        row: Row = {"line": self.used[0]}
        for name, counts in self._counts.items():
            is_of_all = name not in _OF_A_MODEL or len(counts) >= len(self._models)
            row[name] = counts[0] if is_of_all and len(set(counts)) == 1 else None
        row["cpu_model"] = _MODELS_APART.join(self._models) or None
        row["numa_cpus"] = _NODES_APART.join(self._nodes) or None
        return row


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    reading = Reading()
    host = _Host()
    for line in lines[: len(lines) - open_end]:
        shape = LINES.read(line.text + "\n")
        is_next = shape.kind == "cpus_line" and "cpus_line" in host.kinds
        if not shape.kind or is_next or line.text.startswith("Architecture:"):
            _add(host, reading)
            host = _Host()
        if shape.kind:
            host.kinds.add(shape.kind)
            host.take(line, [(name, line.text[start:end]) for name, start, end in shape.columns])
    _add(host, reading)
    return reading


def _add(host: _Host, reading: Reading) -> None:
    row = host.row()
    if row:
        reading.used.update(host.used)
        reading.add("hosts", row)


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="lscpu",
        reach=100,
        title="CPUs of the host",
        command="lscpu",
        sample="""\
Architecture:            x86_64
CPU(s):                  112
Thread(s) per core:      2
Core(s) per socket:      28
Socket(s):               2
NUMA node(s):            2
""",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
