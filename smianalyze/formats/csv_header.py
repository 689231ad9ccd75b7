"""What the columns of a CSV block are: from its header line, from the command above it, or from the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from smianalyze.columns import HOST, TIME, Column
from smianalyze.fields import FAMILIES, column_for, is_field, known_unit, own_column, unit_suffix
from smianalyze.formats.csv_cells import Target, separator_of, tabbed

MAY_BE_HEADER = re.compile(
    rf"(?:{'|'.join(FAMILIES)})\.[a-z]|gpu_|_version|_mode|memory_|pstate|compute_cap|uuid|process_name"
)
"""Is in each header that :func:`header_of` accepts."""

_NAME_AND_UNIT = re.compile(r"([^\[\]\t]{0,200})(?:\[([^\[\]\t]{1,20})\])?")
_COMMAND = re.compile(r"--query-([a-z-]{3,20})(?:=| {1,4})[\"']?([A-Za-z0-9_.,]{1,8000})")
_LOOPS = re.compile(r" -(?:l|lms|-loop|-loop-ms)(?:[ =0-9]|$)")
_SOME_GPUS = re.compile(r" (?:-i|--id)[ =]")

# names that other tables have too: alone they do not make a header of nvidia-smi
_USE_OF_A_PROCESS = {"gpu_utilization", "mem_utilization", "gpu_util", "mem_util"}
_COMMON_NAMES = _USE_OF_A_PROCESS | {
    "name",
    "count",
    "serial",
    "uuid",
    "hostname",
    "pid",
    "index",
    "gpu_index",
    "process_name",
}
_TELLING_PAIRS = ({"pid", "process_name"}, {"pid", "gpu_utilization"}, {"index", "uuid"}, {"name", "uuid"})
_PROCESS_FIELDS = {"pid", "process_name", "used_gpu_memory", "used_memory", "max_memory_usage"}
_ACCOUNTED_FIELDS = _USE_OF_A_PROCESS | {"max_memory_usage"}
_GPU_KEYS = {"gpu_index", "pci_bus_id", "uuid", "serial", "gpu_uuid", "gpu_serial"}
_OF_A_PAGE = {"retired_pages_address", "retired_pages_timestamp", "retired_pages_cause"}
_OWN_KEYS = {"gpu", "gpu_id", "device", "device_id", "host", "hostname", "node", "rank"}
_SPELLINGS = {
    "pci_bus_id": re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"),
    "uuid": re.compile(r"(?:GPU|MIG)-[-0-9A-Za-z/]{8,100}"),
    "gpu_uuid": re.compile(r"(?:GPU|MIG)-[-0-9A-Za-z/]{8,100}"),
    "driver_version": re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}"),
    "pstate": re.compile(r"P[0-9]{1,2}"),
    "clocks_event_reasons_active": re.compile(r"0x[0-9A-Fa-f]{1,16}"),
    "clocks_event_reasons_supported": re.compile(r"0x[0-9A-Fa-f]{1,16}"),
}


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a block.

    Attributes:
        targets: The column of each cell.
        frame: ``gpus`` or ``processes``.
        separator: What separates the cells; "" if the first row shows it.
        section: ``process_section`` of its snapshots.
        one_print: The command is known and ran once, for all GPUs: its rows are the GPUs in their order.
    """

    targets: tuple[Target, ...]
    frame: str
    separator: str = ""
    section: str = "absent"
    one_print: bool = False

    @property
    def is_checked(self) -> bool:
        """Whether some column would not take any text: else every line would be a row."""
        return any(target.is_checked for target in self.targets)

    @property
    def has_time(self) -> bool:
        """Whether the rows say when they were taken."""
        return any(target.name == TIME.name for target in self.targets)

    @property
    def has_many_rows_a_gpu(self) -> bool:
        """Whether a GPU has several rows in one print: one for each process or retired page.

        Rows that only name GPUs are a list of pages too, asked for without their addresses.
        """
        if self.frame == "processes" or any(target.name in _OF_A_PAGE for target in self.targets):
            return True
        return all(target.is_key or target.name in ("name", TIME.name) for target in self.targets)


def header_of(text: str, following: str) -> Header | None:
    """The columns that a header line names; None if it is no header of nvidia-smi.

    Args:
        text: The line.
        following: The next line that is not blank: own names are believed if nvidia-smi wrote the row.
    """
    separator = separator_of(text)
    cells = tabbed(text, separator).split("\t")
    names = _names(cells)
    if len(names) < len(cells):
        return None
    words = [name for name, _ in names]
    if _is_ours(words, separator):
        return _header(names, {word for word in words if is_field(word)}, separator=separator)
    if _is_renamed(words, separator, following):
        return _header(names, _meant(words), separator=separator)
    return None


def named(columns: Sequence[str], *, frame: str = "", one_print: bool = False) -> Header:
    """The header of rows without a header line.

    Args:
        columns: Fields in order, as in ``--query-gpu``; a unit may follow in brackets.
        frame: Where the rows go; "" if the fields tell.
        one_print: See :class:`Header`.
    """
    names = _names(columns)
    return replace(_header(names, _meant([name for name, _ in names]), frame=frame), one_print=one_print)


def command_of(text: str) -> Header | None:
    """What a command line asks nvidia-smi for; None if it is none."""
    if "--query-" not in text:
        return None
    found = _COMMAND.search(text)
    if found is None:
        return None
    frame = "processes" if found[1].endswith("-apps") else "gpus"
    once = frame == "gpus" and not _LOOPS.search(text) and not _SOME_GPUS.search(text)
    return named(found[2].strip(",").split(","), frame=frame, one_print=once)


def _names(cells: Sequence[str]) -> list[tuple[str, str]]:
    """Name and unit of each cell of a header; what is no name is left out."""
    found = [_NAME_AND_UNIT.fullmatch(cell.strip()) for cell in cells]
    return [(name[1].strip(), name[2] or "") for name in found if name]


def _meant(words: Sequence[str]) -> set[str]:
    """The names that are fields of nvidia-smi, or fields whose dots somebody wrote in another way."""
    return {word for word in words if is_field(word) or known_unit(word)}


def _is_ours(words: Sequence[str], separator: str) -> bool:
    """Whether nvidia-smi has these names: at least one that is its own, together, others only around them."""
    ours = [is_field(word) for word in words]
    told = {word for word, is_our in zip(words, ours, strict=True) if is_our}
    if not told - _COMMON_NAMES - {TIME.smi_name}:
        in_its_style = separator == ", " and all(ours)
        return in_its_style and any(pair <= told for pair in _TELLING_PAIRS)
    if separator == ", ":
        return True  # as nvidia-smi separates: a name that is not known is a field of a newer driver
    if any("." in word for word, is_our in zip(words, ours, strict=True) if not is_our):
        return False  # `cpu.percent,memory.used` is about a host
    without_time = [is_our for word, is_our in zip(words, ours, strict=True) if word != TIME.smi_name]
    first = without_time.index(True)
    return all(without_time[first : first + sum(without_time)])


def _is_renamed(words: Sequence[str], separator: str, following: str) -> bool:
    """Whether somebody wrote own names such as ``memory_used`` above rows that nvidia-smi printed.

    It separates with ``, ``; who writes CSV by other means does not.
    """
    known = [word for word in words if known_unit(word)]
    about_gpus = any("gpu" in word.lower() for word in words)
    return len(known) >= 2 and about_gpus and separator == "," and ", " in following


def _header(names: Sequence[tuple[str, str]], fields: set[str], *, separator: str = "", frame: str = "") -> Header:
    """The header of these names and units, of which ``fields`` are nvidia-smi's and the others somebody's own."""
    frame = frame or ("processes" if fields & _PROCESS_FIELDS else "gpus")
    is_accounted = frame == "processes" and bool(fields & _ACCOUNTED_FIELDS)
    targets: list[Target] = []
    for name, unit in names:
        if name in fields:
            targets.append(_target(name, unit or known_unit(name), column_for(name, unit, frame=frame)))
        elif name == "time" and is_accounted:
            targets.append(_target(name, "ms", column_for(name, "ms", frame=frame)))
        elif (name == TIME.name and TIME.smi_name not in fields) or name == HOST.name:
            targets.append(_target(name, "", TIME if name == TIME.name else HOST))
        else:
            targets.append(_target(name, unit, own_column(name, unit)))
    section = "listed" if frame == "processes" and not is_accounted else "absent"
    return Header(tuple(targets), frame, separator, section)


def _target(name: str, unit: str, column: Column) -> Target:
    is_key = column.name in _GPU_KEYS or name.lower() in _OWN_KEYS
    return Target(column.name, column.dtype, unit_suffix(unit), _SPELLINGS.get(column.name), is_key)
