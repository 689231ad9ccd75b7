"""Frames from small text tables, so that a test shows what a rule looks at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from smianalyze.columns import columns_of
from smianalyze.frames import Frames

CONVERT: dict[str, Callable[[str], object]] = {
    "Int64": int,
    "Float64": float,
    "datetime64[us]": datetime.fromisoformat,
    "string": str,
}


def frames_of(**tables: str) -> Frames:
    """Frames from one table each: a header of column names, then one row a line; ``-`` is unknown.

    The last column may hold blanks. ``source`` is the frame's name and ``line`` the number of the row, if the
    table does not say otherwise. Without a ``snapshots`` table, each snapshot has its head, and its process
    section is ``listed`` if it has processes, else ``absent``.
    """
    rows = {frame: _rows(frame, text) for frame, text in tables.items()}
    if "snapshots" not in rows:
        listed = {row["snapshot"] for row in rows.get("processes", [])}
        seen = sorted(listed | {row["snapshot"] for row in rows.get("gpus", [])})
        rows["snapshots"] = [
            {
                "snapshot": number,
                "driver_version": "580.159.04",
                "process_section": "listed" if number in listed else "absent",
            }
            for number in seen
        ]
    return Frames.from_rows(rows)


def _rows(frame: str, text: str) -> list[dict[str, object]]:
    header, *lines = (line for line in text.splitlines() if line.strip())
    names = header.split()
    convert = {column.name: CONVERT[column.dtype] for column in columns_of(frame) if column.name in names}
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = zip(names, line.split(maxsplit=len(names) - 1), strict=True)
        known = {name: convert[name](cell.strip()) for name, cell in cells if cell.strip() != "-"}
        rows.append({"source": frame, "line": number, **known})
    return rows
