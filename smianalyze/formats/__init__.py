"""The formats that smianalyze reads, from most to least specific."""

from __future__ import annotations

from smianalyze.formats import (
    dmon,
    list_gpus,
    log_bars,
    log_blocks,
    log_csv,
    log_device,
    log_dicts,
    log_failure,
    log_json,
    log_keras,
    log_launch,
    log_oom,
    log_pairs,
    log_settings,
    lscpu,
    nvlink,
    pmon,
    query_csv,
    smi_error,
    smi_query,
    smi_table,
    smi_xml,
    top,
    topo,
    vgpu,
)
from smianalyze.formats.format import Format, Problem, Reading

FORMATS: tuple[Format, ...] = (
    smi_xml.FORMAT,
    smi_query.FORMAT,
    vgpu.FORMAT,
    smi_table.FORMAT,
    dmon.FORMAT,
    pmon.FORMAT,
    nvlink.FORMAT,
    list_gpus.FORMAT,
    topo.FORMAT,
    smi_error.FORMAT,
    top.FORMAT,
    lscpu.FORMAT,
    query_csv.FORMAT,
    log_csv.FORMAT,
    log_oom.FORMAT,
    log_launch.FORMAT,
    log_device.FORMAT,
    log_failure.FORMAT,
    log_settings.FORMAT,
    log_dicts.FORMAT,
    log_json.FORMAT,
    log_blocks.FORMAT,
    log_keras.FORMAT,
    log_bars.FORMAT,
    log_pairs.FORMAT,
)

__all__ = ["FORMATS", "Format", "Problem", "Reading"]
