"""What ``nvidia-smi dmon`` scrolls by: one line for each GPU and tick, in columns or as CSV.

Every row goes to ``gpus``, every tick to ``snapshots``. ``-`` is unknown. A time without a date (``-o T``), or a
date without a time (``-o D``), stays in ``printed_time`` as it is printed, and ``time`` is unknown. Metrics of
GPM, and others that we do not know, become columns of their own name with their unit behind it.
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
    "pwr": "power_draw_w",
    "temp": "temperature_gpu_c",  # old drivers; gtemp since there is mtemp too
    "gtemp": "temperature_gpu_c",
    "mtemp": "temperature_memory_c",
    "sm": "utilization_gpu_pct",
    "mem": "utilization_memory_pct",
    "enc": "utilization_encoder_pct",
    "dec": "utilization_decoder_pct",
    "jpg": "utilization_jpeg_pct",
    "ofa": "utilization_ofa_pct",
    "mclk": "clocks_current_memory_mhz",
    "pclk": "clocks_current_sm_mhz",
    "pviol": "power_violation_pct",
    "tviol": "thermal_violation",
    "fb": "memory_used_mib",  # printed as MB; NVML says that it is MiB
    "bar1": "bar1_memory_used_mib",
    "ccpm": "protected_memory_used_mib",
    "sbecc": "ecc_single_bit",
    "dbecc": "ecc_double_bit",
    "pci": "pcie_replay_errors",
    "rxpci": "pcie_rx_mb_s",
    "txpci": "pcie_tx_mb_s",
}
BLOCKS = (
    (("W", "C", "C"), ("pwr", "gtemp", "mtemp")),
    (("W", "C"), ("pwr", "temp")),
    (("%", "bool"), ("pviol", "tviol")),
    (("%",) * 6, ("sm", "mem", "enc", "dec", "jpg", "ofa")),
    (("%",) * 4, ("sm", "mem", "enc", "dec")),
    (("MHz", "MHz"), ("mclk", "pclk")),
    (("MB", "MB", "MB"), ("fb", "bar1", "ccpm")),
    (("MB", "MB"), ("fb", "bar1")),
    (("errs", "errs", "errs"), ("sbecc", "dbecc", "pci")),
    (("MB/s", "MB/s"), ("rxpci", "txpci")),
)
MIN_WIDTH = 5  # characters of the narrowest column with its blank; less, and blanks were lost
INDEX_WIDTH = 5
_OUR_WIDTHS = ({6}, {7}, {7, 11})  # up to about 545; from then on, also with metrics of GPM
_PROCESS_TYPE = re.compile(r"[CGM](?:\+[CGM])?")
_LONE_ROW = re.compile(r"(?: 20[0-9]{6})?[ 0-9:]{0,12} {4,7}[0-9]{1,2}(?: {1,10}(?:[0-9]{1,6}|-)){2,60} ?")


def _fit(words: Sequence[str]) -> bool:
    return bool(words) and words[0] in COLUMNS


def _read_row(row: Printed, heading: Heading, may_be_cut: bool) -> RowRead | None:
    cells = row.cells
    words = [place for place, cell in enumerate(cells) if cell.kind == "word"]
    if words:
        is_ours = 2 * len(words) < len(cells) and not _PROCESS_TYPE.fullmatch(row.word(words[0]))
        return RowRead(what=NO_NUMBER) if is_ours else None
    if not any(cell.kind == "number" for cell in cells[1:]) and any(_drifts(row, heading)):
        return None  # a card without a process, as pmon prints it
    whole = _whole_cells(row, heading, may_be_cut)
    if len(cells) > heading.count or (len(cells) < heading.count and whole < 2):
        return RowRead(what=COUNT.format(cells=len(cells), columns=heading.count))
    known = values(row, range(1, whole), heading.columns)
    if known is None:
        return RowRead(what=NO_NUMBER)
    return RowRead({"gpu_index": int(row.word(0)), **known}, what=CUT if whole < heading.count else "")


def _whole_cells(row: Printed, heading: Heading, may_be_cut: bool) -> int:
    """How many cells from the left are whole, and surely those of their columns.

    Columns end where the words of the header do. A value that is too wide pushes the others to the right; nothing
    but a cut leaves the last one short.
    """
    count = min(len(row.cells), heading.count)
    is_complete = count == heading.count
    drifts = _drifts(row, heading)
    if not drifts:
        return count - may_be_cut if is_complete or (row.is_csv and may_be_cut) else 0
    if is_complete:
        was_kept = all(0 <= left <= right for left, right in pairwise(drifts[:-1]))
        is_short = was_kept and drifts[-1] < drifts[-2]
        return count - (is_short or (may_be_cut and _may_go_on(row)))
    if row.cells[0].end != heading.ends[0]:
        return 0
    whole = next((place for place, drift in enumerate(drifts) if drift), count)
    return min(whole, count - _may_go_on(row))


def _may_go_on(row: Printed) -> bool:
    """Whether the last cell touches the end and fills its column, so that it may have been wider yet."""
    last = row.cells[-1]
    return last.end == len(row.text) and row.text[last.start - 2 : last.start] != "  "


def _drifts(row: Printed, heading: Heading) -> list[int]:
    """How far right of its column each cell stands; the first stands right by definition. Nothing for CSV."""
    if row.is_csv or not is_padded(heading.ends):
        return []
    shift = row.cells[0].end - heading.ends[0]
    return [cell.end - end - shift for cell, end in zip(row.cells, heading.ends, strict=False)]


def _widths(ends: Sequence[int]) -> list[int]:
    return [right - left for left, right in pairwise(ends)]


def is_padded(ends: Sequence[int]) -> bool:
    """Whether cells stand in columns, so that blanks were not lost."""
    return min(_widths(ends)) >= MIN_WIDTH


def _is_row(row: Printed) -> bool:
    """Whether the cells are all numeric and stand as in no other table of numbers."""
    if row.is_csv or not (row.date or row.time_of_day or row.cells[0].end == INDEX_WIDTH):
        return False
    is_numeric = all(cell.kind in ("gpu_index", "number", "none") for cell in row.cells)
    widths = set(_widths([cell.end for cell in row.cells]))
    return is_numeric and len(row.cells) > 2 and widths in _OUR_WIDTHS


def _recognises(text: str) -> bool:
    return has_header(text) or _LONE_ROW.fullmatch(text) is not None


LINES = LineReader("dmon.lark", may_match)
MONITOR = Monitor(
    lines=LINES,
    words=Words(frame="gpus", columns=COLUMNS, blocks=BLOCKS, fit=_fit),
    read_row=_read_row,
    is_row=_is_row,
    process_section="absent",
)


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="dmon",
        title="device monitor",
        command="nvidia-smi dmon",
        sample="""\
# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk
# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz
    0    438     55     61     97     42      0      0      0      0   2619   1980
""",
        recognises=_recognises,
        read=partial(MONITOR.read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
