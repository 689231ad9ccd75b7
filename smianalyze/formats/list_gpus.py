"""The list of ``nvidia-smi -L``: one row of ``devices`` for each GPU, and one for each MIG device below it.

A MIG device has a ``profile`` and the number ``mig_device``; its ``gpu_index`` is that of the GPU above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line


def recognises(text: str) -> bool:
    """Whether a line may name a GPU and its UUID; a cheap test."""
    return "(UUID:" in text


LINES = LineReader("list_gpus.lark", recognises)


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    gpu_index: object = None
    for line in lines:
        shape = LINES.read(line.text)
        row = converted({name: line.text[start:end] for name, start, end in shape.columns})
        if not shape.kind and line.text.strip() and not line.text.startswith(" "):
            gpu_index = None  # perhaps a GPU; what stands below it is not below the GPU before
        gpu_index = row.get("gpu_index", gpu_index)
        if shape.kind or "name" in row:
            reading.used.add(line.number)
            reading.add("devices", {"line": line.number, **row, "gpu_index": gpu_index})
        if row and not shape.kind:
            reading.problems.append(Problem(line.number, "a GPU whose UUID breaks off", line.text))
    return reading


FORMAT = Format(
    name="list_gpus",
    title="list of GPUs",
    command="nvidia-smi -L",
    sample="GPU 0: Tesla T4 (UUID: GPU-30a9b0ea-1d10-47a8-8ad0-25ae2f8ba5a4)\n",
    recognises=recognises,
    read=_read,
)
