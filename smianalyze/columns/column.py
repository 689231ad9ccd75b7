"""What a column is, and the columns that several frames share."""

from __future__ import annotations

from typing import Literal, NamedTuple

Dtype = Literal["Int64", "Float64", "string", "boolean", "datetime64[us]", "object"]


class Column(NamedTuple):
    """One column: its name, pandas dtype, meaning in a few words, and nvidia-smi's name for it ('' if ours)."""

    name: str
    dtype: Dtype
    meaning: str
    smi_name: str = ""


def integer(name: str, meaning: str, smi_name: str = "") -> Column:
    """A column of whole numbers."""
    return Column(name, "Int64", meaning, smi_name)


def decimal(name: str, meaning: str, smi_name: str = "") -> Column:
    """A column of numbers."""
    return Column(name, "Float64", meaning, smi_name)


def text(name: str, meaning: str, smi_name: str = "") -> Column:
    """A column of text."""
    return Column(name, "string", meaning, smi_name)


SOURCE = text("source", "name of the input")
LINE = integer("line", "1-based line of the input where the row starts")
SNAPSHOT = integer("snapshot", "number of the print, 0-based over all inputs")
TIME = Column("time", "datetime64[us]", "local time as printed", "timestamp")
PRINTED_TIME = text("printed_time", "date or time of day as printed, where the other is not (dmon, pmon, logs)")
HOST = text("host", "host that the print came from")
GPU_INDEX = integer("gpu_index", "GPU number", "index")
BUS_ID = text("pci_bus_id", "PCI bus id as printed", "pci.bus_id")
GPU_INSTANCE = integer("gpu_instance_id", "MIG GPU instance (GI)")
COMPUTE_INSTANCE = integer("compute_instance_id", "MIG compute instance (CI)")
MEMORY_USED = integer("memory_used_mib", "memory in use", "memory.used")
MEMORY_TOTAL = integer("memory_total_mib", "memory installed", "memory.total")
ECC_ERRORS = integer("ecc_errors", "volatile uncorrected ECC errors", "ecc.errors.uncorrected.volatile.total")
