"""The formats that smianalyze reads, from most to least specific."""

from __future__ import annotations

from smianalyze.formats import dmon, log_oom, pmon, query_csv, smi_error, smi_table, vgpu
from smianalyze.formats.format import Format, Problem, Reading

FORMATS: tuple[Format, ...] = (
    vgpu.FORMAT,
    smi_table.FORMAT,
    dmon.FORMAT,
    pmon.FORMAT,
    smi_error.FORMAT,
    query_csv.FORMAT,
    log_oom.FORMAT,
)

__all__ = ["FORMATS", "Format", "Problem", "Reading"]
