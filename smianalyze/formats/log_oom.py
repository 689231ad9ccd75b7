"""Messages of a GPU that is out of memory, by PyTorch, TensorFlow, JAX, Paddle, llama.cpp, NCCL and libraries.

Each failure is one event of kind ``oom`` with its sizes in MiB, also where it is wrapped, printed twice or said
by two layers. ``oom_warning`` is a pool that can do without, ``oom_suspected`` a library that could not start.
The GPU number is the logical one, after CUDA_VISIBLE_DEVICES.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_label import is_label, is_quoted, labelled, nccl_label
from smianalyze.formats.log_marks import Log, Message
from smianalyze.formats.log_sizes import mib, tensor_mib
from smianalyze.reader import LineReader
from smianalyze.repair import Line

MARKS = (
    "out of memory. Tried to allocate",
    "Allocation on device",
    "Out of memory error on GPU",
    "OOM when allocating tensor",
    "Out of memory while trying to allocate",
    "OutOfMemoryError: Out of memory allocating",
    "Out of memory allocating",
    "Failed to allocate request for",
    "failed to allocate",
    "ran out of memory trying to allocate",
    "allocating ",
    "Failed to CUDA",
    "Cuda failure",
    *("CUDA error", "CUDA Error", "CUDA driver error", "CUDA runtime error", "HIP error"),
    *("CUDA out of memory", "HIP out of memory", "cuda runtime error", "THCudaCheck FAIL", "Check failed: "),
    *(
        "cuBLAS error",
        "cuDNN error",
        "CUBLAS_STATUS_",
        "CUDNN_STATUS_",
    ),
    *("failed to create cublas", "Could not create cudnn", "Unable to find a valid cuDNN", "GET was unable"),
    "Failed to get convolution algorithm",
    *(
        "cudaErrorMemoryAllocation",
        "CUDA_ERROR_OUT_OF_MEMORY",
        "cudaMalloc failed",
        "Cuda Runtime (out of",
        "Call to cu",
    ),
    *("std::bad_alloc: out_of_memory", "Limit: ", "InUse: "),
)
_WORDS = ("memory", "MEMORY", "OOM", "CUDA", "cuDNN", "_STATUS_")  # one of them stands in each message
_METRIC = re.compile(r"memory(?:\([A-Za-z]{1,4}\))?[\"']? ?[:=] ?[\"']?[0-9]")  # of a step; no message says it so
FRAMEWORKS = {
    "torch": "pytorch",
    "torch_async": "pytorch",
    "paddle": "paddle",
    "tensorflow": "tensorflow",
    "xla": "jax",
    "llama_cpp": "llama.cpp",
    "cupy": "cupy",
    "nccl_calloc": "nccl",
    "nccl": "nccl",
    "pool_warning": "tensorflow",
    "driver_warning": "tensorflow",
}
_KINDS = {"pool_warning": "oom_warning", "driver_warning": "oom_warning", "suspected": "oom_suspected"}
_LONG = (
    "CUDA out of memory",
    "HIP out of memory",
    "out of memory. Tried to allocate",
    "Allocation on device",
    "Out of memory error on GPU",
)
_WITHOUT_SIZES = {"runtime", "suspected"}
MAX_REPEAT_LINES = 500  # a traceback through several layers prints the same message again; none is longer
MAX_BLOCK_LINES = 50  # between two messages of one failure that say different things


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, _WORDS)) and any(map(_METRIC.sub("", text).__contains__, _WORDS))


LINES = LineReader("log_oom.lark", bool)


class _Reader:
    """Reads the messages of one stream in order; keeps what belongs to the next or was said before."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._reading = Reading()
        self._pool: Row = {}
        self._said: dict[object, int] = {}
        self._last: dict[str, tuple[int, Row]] = {}

    def read(self) -> Reading:
        for message in self._log.messages(MARKS, LINES):
            goes_on = message.text.startswith(_LONG) and not _is_whole(message)
            whole, count = self._log.rejoined(message, LINES, MARKS) if goes_on else (message, 1)
            if self._take(whole):
                lines = self._log.lines[whole.place : whole.place + count]
                self._reading.used.update(line.number for line in lines)
        return self._reading

    def _take(self, message: Message) -> bool:
        """Add what the message says; whether it was one."""
        kind = message.shape.kind or _kind_of_part(message)
        if kind in ("pool_limit", "pool_in_use"):
            name = "allowed_mib" if kind == "pool_limit" else "allocated_mib"
            self._pool[name] = mib(dict(message.cells())["bytes"])
            return True
        if kind == "llama_buffer":
            return self._recent("llama_cpp", message) is not None
        if not kind or is_quoted(message.prefix) or (kind in _WITHOUT_SIZES and not is_label(message.prefix)):
            return False
        if kind in ("nccl", "nccl_calloc") and self._belongs_to_nccl(message):
            return True
        self._add(kind, message)
        return True

    def _belongs_to_nccl(self, message: Message) -> bool:
        """Whether an event of NCCL is there already; the size that its second line says is added to it."""
        event = self._recent("nccl", message)
        if event is None:
            return False
        for name, text in message.cells():
            event.setdefault(name, mib(text))
        return True

    def _recent(self, kind: str, message: Message) -> Row | None:
        number, row = self._last.get(kind, (-MAX_BLOCK_LINES, None))
        return row if message.number - number < MAX_BLOCK_LINES else None

    def _add(self, kind: str, message: Message) -> None:
        row: Row = {
            "line": message.number,
            "kind": _KINDS.get(kind, "oom"),
            "framework": _framework(kind, message.text),
        }
        row |= labelled(message.prefix) | _sizes(message)
        row["message"] = message.printed()
        if kind == "tensorflow":
            row = {**self._pool, **row, "kind": "oom" if _is_on_gpu(message) else "host_oom"}
            self._pool = {}
        if kind in ("nccl", "nccl_calloc"):
            row |= nccl_label(message.prefix)
            kind = "nccl"
        said = (kind, row.get("rank"), message.text.rstrip())
        if kind == "tensorflow":
            said = (kind, row.get("rank"), str([cell for cell in message.cells() if cell[0] != "other"]))
        again = kind not in _WITHOUT_SIZES and message.number - self._said.get(said, -1_000_000) < MAX_REPEAT_LINES
        self._said[said] = message.number
        if not again:
            self._last[kind] = (message.number, row)
            self._reading.add("events", row)


def _framework(kind: str, text: str) -> str:
    """Who ran out; ``CUDA out of memory`` is PyTorch's own wording, also without sizes."""
    if text.startswith(("CUDA out of memory", "HIP out of memory")):
        return "pytorch"
    libraries = ("cublas", "cudnn", "hip")
    return FRAMEWORKS.get(kind) or next((name for name in libraries if name in text.lower()), "cuda")


def _is_whole(message: Message) -> bool:
    """Whether a long message has said the last of its sizes."""
    names = {name for name, _, _ in message.shape.columns}
    return bool(names & {"reserved_unallocated_mib", "reserved_mib", "cached_mib"})


def _kind_of_part(message: Message) -> str:
    """The kind of a message whose end is cut or unknown; what was complete before is known."""
    names = {name for name, _, _ in message.shape.columns}
    if "tried_mib" not in names:
        return "torch_async" if "gpu_index" in names and message.text.startswith("Allocation") else ""
    words = {"Tried to allocate": "torch", "Out of memory error on": "paddle", "Failed to CUDA": "nccl_calloc"}
    return next((kind for word, kind in words.items() if word in message.text), "")


def _sizes(message: Message) -> Row:
    """Sizes in MiB, the GPU, and the other processes of a message; of what it says twice the first counts."""
    row: Row = {}
    others: list[dict[str, object]] = []
    cells = dict(reversed(message.cells()))
    for name, text in message.cells():
        if name == "other_pid":
            others.append({"pid": int(text), "mib": None})
        elif name == "other_mib":
            others[-1]["mib"] = mib(text)
        elif name == "gpu_index":
            row.setdefault(name, int(text))
        elif name.endswith("_mib"):
            row.setdefault(name, mib(text))
    if "shape" in cells:
        row["tried_mib"] = tensor_mib(cells["shape"], cells.get("dtype"))
        row |= {} if _is_on_gpu(message) else {"gpu_index": None}
    if others:
        row["other_processes"] = others
    return row


def _is_on_gpu(message: Message) -> bool:
    return dict(message.cells()).get("device", "GPU:").upper() == "GPU:"


def _read(lines: Sequence[Line]) -> Reading:
    return _Reader(Log(lines, open_end=True)).read()  # nothing at the very end of a line is a size


FORMAT = Format(
    name="log_oom",
    reach=15,  # a message that was wrapped
    title="out of memory in a training log",
    command="python train.py",
    sample="""\
RuntimeError: CUDA out of memory. Tried to allocate 2.81 GiB (GPU 0; 10.91 GiB total capacity; \
8.47 GiB already allocated; 1.74 GiB free; 8.59 GiB reserved in total by PyTorch)
""",
    recognises=_recognises,
    read=_read,
)
