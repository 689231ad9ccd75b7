"""What ``nvidia-smi pmon`` scrolls by: one line for each process on each GPU and tick.

Every process goes to ``processes``, every tick to ``snapshots``; a card whose row is all ``-`` has no process. The
command is the rest of the line, as it may hold blanks; nvidia-smi cuts it after 15 characters (16 on Windows).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from smianalyze.formats.format import Format
from smianalyze.formats.monitor import COUNT, CUT, NO_NUMBER, Monitor, RowRead
from smianalyze.formats.monitor_heading import Heading, Words, values
from smianalyze.formats.monitor_lines import Printed, has_header, may_match
from smianalyze.reader import LineReader

COLUMNS = {
    "pid": "pid",
    "type": "type",
    "sm": "sm_utilization_pct",
    "mem": "memory_utilization_pct",
    "enc": "encoder_utilization_pct",
    "dec": "decoder_utilization_pct",
    "jpg": "jpeg_utilization_pct",
    "ofa": "ofa_utilization_pct",
    "fb": "used_gpu_memory_mib",  # printed as MB; NVML says that it is MiB
    "ccpm": "protected_memory_mib",
    "command": "process_name",
}
BLOCKS = (
    (("#", "C/G"), ("pid", "type")),
    (("%",) * 6, ("sm", "mem", "enc", "dec", "jpg", "ofa")),
    (("%",) * 4, ("sm", "mem", "enc", "dec")),
    (("MB", "MB"), ("fb", "ccpm")),
    (("MB",), ("fb",)),
    (("name",), ("command",)),
)
NAME_WIDTH = 15  # characters that a name is filled up to with blanks
MAX_NAME = 16  # characters of the longest name, seen on Windows
_LONE_ROW = re.compile(
    r"(?: 20[0-9]{6})?[ 0-9:]{0,12} {4,7}[0-9]{1,2} {1,10}[0-9-]{1,10} {3,5}[CGM+-]{1,3} [^\n]{1,200}"
)
NO_PID = "a row without a PID that says something all the same; it was not read"
_OUR_WIDTHS = [11, 6]  # of PID and type


def _fit(words: Sequence[str]) -> bool:
    return list(words[:2]) == ["pid", "type"] and words[-1] == "command"


def _read_row(row: Printed, heading: Heading, may_be_cut: bool) -> RowRead | None:
    cells = row.cells
    if not _names_a_process(row):
        return None
    if len(cells) < heading.count:
        return RowRead(what=COUNT.format(cells=len(cells), columns=heading.count))
    last = heading.count - 1
    known = values(row, (1, *range(3, last)), (heading.columns[0], *heading.columns[2:-1]))
    if known is None:
        return RowRead(what=NO_NUMBER)
    command = row.text[cells[last].start :]
    is_cut = may_be_cut and len(command.rstrip()) < MAX_NAME and not command[NAME_WIDTH - 1 :].endswith(" ")
    texts = {"type": row.word(2), "process_name": "-" if is_cut else command.rstrip()}
    known |= {name: text for name, text in texts.items() if text != "-"}
    if "pid" in known:
        what = CUT if is_cut else ""
        return RowRead({"gpu_index": int(row.word(0)), **known}, pid=int(row.word(1)), what=what)
    return RowRead(what=NO_PID) if known else RowRead()


def _names_a_process(row: Printed) -> bool:
    """Whether a PID and a type follow the GPU, or nothing but ``-``; the row may end before."""
    kinds = [cell.kind for cell in row.cells[1:3]]
    return all(kind in ("none", what) for kind, what in zip(kinds, ("number", "type"), strict=False))


def _is_row(row: Printed) -> bool:
    ends = [cell.end for cell in row.cells[:3]]
    return _names_a_process(row) and [b - a for a, b in pairwise(ends)] == _OUR_WIDTHS


def _recognises(text: str) -> bool:
    return has_header(text) or _LONE_ROW.fullmatch(text) is not None


LINES = LineReader("pmon.lark", may_match)
MONITOR = Monitor(
    lines=LINES,
    words=Words(frame="processes", columns=COLUMNS, blocks=BLOCKS, fit=_fit),
    read_row=_read_row,
    is_row=_is_row,
    process_section="empty",  # a card shows "-" where nothing runs, and also where PIDs are hidden
)


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="pmon",
        title="process monitor",
        command="nvidia-smi pmon",
        sample="""\
# gpu         pid   type     sm    mem    enc    dec    jpg    ofa     fb   ccpm    command
# Idx           #    C/G      %      %      %      %      %      %     MB     MB    name
    0        812     C     74     34      -      -      -      -  15836      0    python
""",
        recognises=_recognises,
        read=partial(MONITOR.read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
