"""The table that YOLO draws its progress bar behind: a header, then one row an epoch.

``GPU_mem`` reads ``8.14G``. YOLOv5, YOLOv7 and ultralytics until 8.3 mean 10**9 bytes, ultralytics 8.4 means
2**30; the bar changed its looks on the way, so it says which.
"""

from __future__ import annotations

from smianalyze.formats.format import Row
from smianalyze.formats.log_draw import Draw
from smianalyze.formats.log_numbers import Number
from smianalyze.formats.log_said import amount, si_count
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_NAMES = {
    "gpu_mem": "gpu_mem",
    "box": "box_loss",
    "obj": "obj_loss",
    "cls": "cls_loss",
    "total": "loss",
    "img_size": "imgsz",
    "size": "imgsz",
}
_BYTES_OF_G = {True: 2**30, False: 10**9}
_MIB = 2**20


def is_header(lines: LineReader, text: str) -> bool:
    """Whether a line that begins so names the columns of a table."""
    return lines.read(text.strip()).kind == "table_header"


class YoloTable:
    """Reads the rows below the last header."""

    def __init__(self, lines: LineReader) -> None:
        self._lines = lines
        self._names: list[str] = []

    def read_header(self, line: Line) -> None:
        """Take the names of the columns, if the line is a header."""
        text = line.text.strip()
        if text.startswith("Epoch") and "mem" in text:
            shape = self._lines.read(text)
            if shape.kind == "table_header":
                names = [text[start:end].lower() for _, start, end in shape.columns]
                self._names = [_NAMES.get(name, name) for name in names]

    def cells(self, draw: Draw) -> Row | None:
        """The columns of a row with its bar; None where the description is no row of the table."""
        text = draw.label.strip()
        if not self._names or not text[:1].isdigit():
            return None
        shape = self._lines.read(text)
        if shape.kind != "table_row":
            return None
        epoch, total, *cells = [text[start:end] for _, start, end in shape.columns]
        if len(cells) != len(self._names):
            return None
        row: Row = {"format": "yolov5" if "obj_loss" in self._names else "ultralytics"}
        row |= {"epoch": si_count(epoch), "total_epochs": si_count(total)}
        row |= {name: amount(cell)[0] for name, cell in zip(self._names, cells, strict=True) if name != "gpu_mem"}
        memory = _value(dict(zip(self._names, cells, strict=True)).get("gpu_mem", ""))
        if memory is not None:
            is_new = "━" in draw.bar or "elapsed_s" not in draw.row or "eta_s" not in draw.row
            row["gpu_mem_mib"] = memory * _BYTES_OF_G[is_new] / _MIB
        return row | draw.row


def _value(text: str) -> Number | None:
    value = amount(text)[0]
    return value.value() if value else None
