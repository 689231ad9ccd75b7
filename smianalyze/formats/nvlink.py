"""The NVLinks of ``nvidia-smi nvlink -s``: one row of ``links`` for each.

The print says how fast a link is and not where it leads, so ``device_b`` is unknown; ``link`` is ``NVLink``, with
its number, whether it is ``active``, and ``bandwidth_gb_s`` in one direction. The GPUs become ``devices``.
"""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats import list_gpus
from smianalyze.formats.format import Format, Problem, Reading, Row
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line


def _recognises(text: str) -> bool:
    return "Link " in text and ("GB/s" in text or "<inactive>" in text)


LINES = LineReader("nvlink.lark", _recognises)


def _read(lines: Sequence[Line]) -> Reading:
    reading = Reading()
    gpu: Row = {}
    for line in lines:
        if not line.text.strip():
            continue
        shape = LINES.read(line.text)
        is_known = bool(gpu) and gpu["line"] in reading.used
        if shape.kind and gpu:
            if not is_known:
                reading.used.add(int(str(gpu["line"])))
                reading.add("devices", gpu)
            reading.used.add(line.number)
            cells = {name: line.text[start:end] for name, start, end in shape.columns}
            reading.add("links", _link(line, gpu, shape.kind, cells))
        elif is_known and line.text.lstrip().startswith("Link "):
            reading.problems.append(
                Problem(line.number, "an NVLink whose speed breaks off or is damaged", line.text)
            )
        else:
            gpu = _gpu(line)
    return reading


def _gpu(line: Line) -> Row:
    """The GPU that a line of ``-L`` names; nothing for another line."""
    shape = list_gpus.LINES.read(line.text)
    if shape.kind != "gpu":
        return {}
    return {"line": line.number, **converted({name: line.text[start:end] for name, start, end in shape.columns})}


def _link(line: Line, gpu: Row, state: str, cells: dict[str, str]) -> Row:
    bandwidth = cells.get("bandwidth_gb_s")
    return {
        "line": line.number,
        "device_a": f"GPU{gpu['gpu_index']}",
        "link": "NVLink",
        "link_number": int(cells["link_number"]),
        "link_state": state,
        "bandwidth_gb_s": float(bandwidth) if bandwidth else None,
    }


FORMAT = Format(
    name="nvlink",
    title="NVLinks of each GPU",
    command="nvidia-smi nvlink -s",
    sample="""\
GPU 0: NVIDIA H200 (UUID: GPU-30a9b0ea-1d10-47a8-8ad0-25ae2f8ba5a4)
\t Link 0: 26.562 GB/s
""",
    recognises=_recognises,
    read=_read,
)
