"""Sentences that stand where a table should: no driver, no permission, another library version, a lost GPU.

Each becomes an event: ``gpu_lost`` where a GPU does not answer, else ``smi_error``; ``message`` is the line.
"""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_MARKS = (
    "NVIDIA-SMI ",
    "NVML",
    "device handle",
    "nvidia-smi",
    "valid field",
    "infoROM",
    "No devices",
    "No supp",
)
_KINDS = {
    "device_handle": "gpu_lost",
    "failure": "smi_error",
    "inforom": "smi_error",
    "no_devices": "smi_error",
}


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, _MARKS))


LINES = LineReader("smi_error.lark", _recognises)


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    last: Row | None = None
    for line in lines:
        text = line.text.strip()
        shape = LINES.read(text)
        if shape.kind == "continuation":
            if last is not None:
                last["message"] = f"{last['message']} {text}"
                reading.used.add(line.number)
        elif shape.kind:
            cells = converted({name: text[start:end] for name, start, end in shape.columns})
            reading.used.add(line.number)
            last = {"line": line.number, "kind": _KINDS[shape.kind], "message": text, **cells}
            reading.add("events", last)
        elif text:
            last = None
    return reading


FORMAT = Format(
    name="smi_error",
    reach=0,
    title="error sentences in place of a table",
    command="nvidia-smi",
    sample="Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error\n",
    recognises=_recognises,
    read=_read,
)
