"""From the units of nvidia-smi tables to prints: one print is what one run of ``nvidia-smi`` wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from smianalyze.formats.format import Row
from smianalyze.formats.values import converted, printed_time

LOST_CELLS = 3  # so many ERR! cells on a card say that it does not answer; one or two are a broken sensor,
# and in the cell of MIG alone an nvidia-smi that is newer than its driver
OTHER_MODE = {"Enabled": "Disabled", "Disabled": "Enabled"}


class PrintedLine(NamedTuple):
    """One line with what the grammar said: its kind as a letter, why it is damaged, the text of its columns."""

    number: int
    text: str
    letter: str
    cut: str
    values: dict[str, str]
    failed: tuple[str, ...]


Unit = tuple[str, Sequence[PrintedLine]]


@dataclass(slots=True)
class Print:
    """One nvidia-smi print; ``time`` and the columns of ``head`` are None or missing where it lost its head."""

    line: int
    time: datetime | None = None
    head: Row = field(default_factory=dict)
    gpus: list[Row] = field(default_factory=list)
    processes: list[Row] = field(default_factory=list)
    mig_devices: list[Row] = field(default_factory=list)
    lost: list[Row] = field(default_factory=list)
    process_section: str = "absent"

    @property
    def says_something(self) -> bool:
        """Whether it is a print: a lone date or the tail of an empty process box is none."""
        return bool(self.head or self.gpus or self.processes or self.mig_devices or self.lost)

    @property
    def below_gpus(self) -> bool:
        """Whether it has come to the boxes below the GPUs, after which no GPU follows."""
        return bool(self.processes or self.mig_devices) or self.process_section != "absent"


def split_prints(units: Iterable[Unit]) -> list[Print]:
    """Group units into prints.

    A date or title begins a print. Without one (a fragment), a GPU begins a new print when its index is not
    higher than the last, or when the boxes below the GPUs were already there.
    """
    prints: list[Print] = []
    for kind, lines in units:
        if not prints or _begins_print(kind, lines, prints[-1]):
            prints.append(Print(lines[0].number))
        _ADD[kind](prints[-1], lines)
    return [one for one in prints if one.says_something]


def lost_gpu(row: Row, printed: str) -> Row:
    """The event of a GPU that does not answer, by the row and the words that say so."""
    gpu = {key: row.get(key) for key in ("gpu_index", "pci_bus_id", "line")}
    return {**gpu, "kind": "gpu_lost", "message": f"nvidia-smi prints {printed} for this GPU"}


def _begins_print(kind: str, lines: Sequence[PrintedLine], current: Print) -> bool:
    if kind == "HEAD":
        return True
    if kind in ("GPU", "GPU_REST"):
        return current.below_gpus or not _follows(lines[0].values.get("gpu_index"), current.gpus)
    if kind == "MIG_DEVICE":
        return current.process_section != "absent"
    return kind in ("PROCESS_HEADER", "UNTYPED_BOX") and current.process_section != "absent"


def _follows(index: str | None, gpus: list[Row]) -> bool:
    known = [row["gpu_index"] for row in gpus if isinstance(row.get("gpu_index"), int)]
    return index is None or not known or int(index) > max(known)  # type: ignore[type-var, operator]


def _add_head(current: Print, lines: Sequence[PrintedLine]) -> None:
    for line in lines:
        values = dict(line.values)
        if "time" in values:
            current.time = printed_time(values.pop("time"))
        current.head.update(converted(values))


def _add_gpu(current: Print, lines: Sequence[PrintedLine]) -> None:
    row = _row(lines)
    failed = [name for line in lines for name in line.failed]
    if len(row) == 1 and not failed:  # the third line of a card whose others are lost, and no MIG mode in it
        return
    pending = row.get("mig_mode_pending")
    if isinstance(pending, str):
        row["mig_mode"] = OTHER_MODE[pending]
    current.gpus.append(row)
    if "name" in failed or len(failed) >= LOST_CELLS or ("mig_mode" in failed and len(failed) > 1):
        current.lost.append(lost_gpu(row, "ERR!"))


def _add_mig_device(current: Print, lines: Sequence[PrintedLine]) -> None:
    current.mig_devices.append(_row(lines))


def _add_process(current: Print, lines: Sequence[PrintedLine]) -> None:
    current.processes.append(_row(lines))
    current.process_section = "listed"


def _add_process_header(current: Print, lines: Sequence[PrintedLine]) -> None:
    if lines[-1].letter != "P":  # the rule under the header is there, so the box was printed
        current.process_section = "empty"


def _add_untyped_box(current: Print, lines: Sequence[PrintedLine]) -> None:
    if any(line.letter in "UR" for line in lines):
        current.process_section = "empty"
    for line in lines:
        if line.letter in _ROWS_OF_UNTYPED_BOX:
            _ROWS_OF_UNTYPED_BOX[line.letter](current, [line])


def _add_not_supported(current: Print, _: Sequence[PrintedLine]) -> None:
    if not current.processes:
        current.process_section = "not_supported"


def _add_gpu_lost(current: Print, lines: Sequence[PrintedLine]) -> None:
    current.lost.append(lost_gpu(_row(lines), "ERROR: GPU is lost"))


def _add_no_processes(current: Print, _: Sequence[PrintedLine]) -> None:
    current.process_section = "none_found"


def _add_foreign_box(current: Print, _: Sequence[PrintedLine]) -> None:
    if current.gpus and current.process_section == "absent":
        current.process_section = "foreign"


_ROWS_OF_UNTYPED_BOX = {"o": _add_process, "s": _add_not_supported, "l": _add_gpu_lost}
_ADD = {
    "HEAD": _add_head,
    "GPU": _add_gpu,
    "GPU_REST": _add_gpu,
    "MIG_DEVICE": _add_mig_device,
    "PROCESS_HEADER": _add_process_header,
    "PROCESS": _add_process,
    "UNTYPED_BOX": _add_untyped_box,
    "NOT_SUPPORTED": _add_not_supported,
    "GPU_LOST": _add_gpu_lost,
    "NO_PROCESSES": _add_no_processes,
    "FOREIGN_BOX": _add_foreign_box,
}


def _row(lines: Sequence[PrintedLine]) -> Row:
    row: Row = {"line": lines[0].number}
    for line in lines:
        row.update(converted(line.values))
    return row
