"""Lines of a log that tie ranks, processes and logical GPU numbers to cards, and that say versions.

``device_map`` names the card of a logical GPU, by its PCI address or by its number in nvidia-smi; ``rank`` and
``rank_pid`` say which rank or process speaks; ``rank_memory`` is what a rank holds after its first steps;
``runtime_versions`` is what the framework was built for and what the card is. The same line again counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_label import is_quoted, labelled, nccl_label
from smianalyze.formats.log_marks import Log, Message
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line

MARKS = (
    *("comm 0x", "Created device ", "Created TensorFlow device ", "Creating TensorFlow device "),
    *("initializing d", "distributed init (rank", "Process ", "Discovered MPI settings", "[PID:", "[Rank "),
    *("device: ", "with CUDA capability sm_", "Device "),
)
_KINDS = {
    "nccl_comm": "device_map",
    "tensorflow_device": "device_map",
    "lightning_rank": "rank",
    "distributed_init": "rank",
    "timm_process": "rank",
    "trainer_process": "rank",
    "mpi_rank": "rank",
    "pid_and_rank": "rank_pid",
    "rank_memory": "rank_memory",
    "paddle_device": "runtime_versions",
    "paddle_cudnn": "runtime_versions",
    "not_compatible": "runtime_versions",
    "llama_device": "runtime_versions",
}


LINES = LineReader("log_device.lark", bool)


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, MARKS))


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    reading = Reading()
    log = Log(lines, open_end)
    said: set[tuple[object, ...]] = set()
    for message in log.messages(MARKS, LINES):
        kind = _KINDS.get(message.shape.kind)
        if kind is None or is_quoted(message.prefix):
            continue
        reading.used.add(message.number)
        cells = tuple(message.cells())
        if (kind, cells) not in said or kind == "rank_memory":
            said.add((kind, cells))
            event = {"line": message.number, "kind": kind, **labelled(message.prefix), **_values(message)}
            reading.add("events", {**event, "message": message.printed()})
    return reading


def _values(message: Message) -> Row:
    cells = dict(message.cells())
    row = converted(cells)
    if message.shape.kind == "nccl_comm":
        row |= {name: value for name, value in nccl_label(message.prefix).items() if name == "pid"}
        row["pci_bus_id"] = bus_id(cells["bus"]) if "bus" in cells else None
    if "sm" in cells:
        digits = cells["sm"].rstrip("abcdefghijklmnopqrstuvwxyz")
        row["compute_capability"] = f"{digits[:-1]}.{digits[-1]}"
    return row


def bus_id(number: str) -> str:
    """NCCL's PCI address, ``39000`` in hexadecimal digits, as ``0000:39:00.0``."""
    address = int(number, 16)
    return f"{address >> 20:04x}:{address >> 12 & 0xFF:02x}:{address >> 4 & 0xFF:02x}.{address & 0xF:x}"


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="log_device",
        reach=0,
        title="ranks, their cards and versions in a log",
        command="NCCL_DEBUG=INFO torchrun",
        sample="n:18:13 [0] NCCL INFO comm 0x32ca rank 0 nranks 4 cudaDev 0 nvmlDev 4 busId 39000 - Init START\n",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
