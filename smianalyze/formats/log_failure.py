"""Messages of what broke a job beside GPU memory: driver, NCCL, workers, host memory, numbers, CUDA itself.

Each becomes one event. What several lines or several ranks say of one failure is one event with the first line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_label import is_label, is_quoted, labelled, nccl_label
from smianalyze.formats.log_marks import Log, Message
from smianalyze.formats.log_sizes import mib
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_KINDS_BY_MARKS = {
    "xid": ("xid", "NVRM: Xid ("),
    "fallen": ("gpu_lost", "NVRM: GPU "),
    "nvlink": ("nvlink_error", "NVRM: "),
    "nccl_timeout": ("nccl_timeout", "Watchdog caught collective operation timeout"),
    "nccl_error": ("nccl_error", "nccl"),
    "remote_error": ("nccl_error", "NCCL error in: "),
    "nccl_number": ("nccl_error", "NCCL Error ", "NCCL communicator was aborted"),
    "worker_killed": ("dataloader_worker_killed", "DataLoader worker (pid"),
    "workers_exited": ("dataloader_worker_exited", "DataLoader worker (pid(s)"),
    "workers_warning": ("dataloader_workers_warning", "This DataLoader will create"),
    "bus_error": ("shm_full", "Unexpected bus error encountered in worker"),
    "shm_extend": ("shm_full", "Error: failed to extend /dev/shm/"),
    "shm_full": (
        "shm_full",
        "No space left on device",
        "unable to write to",
        "unable to open shared",
        "unable to mmap",
    ),
    "oom_kill": ("host_oom", "Out of memory: Kill", "Memory cgroup out of memory: Kill"),
    "slurm_oom": ("host_oom", "slurmstepd: error: Detected", "Detected "),
    "cgroup_oom": ("host_oom", "oom-kill:constraint=", "Exceeded job memory limit", "Some of your processes may"),
    "cpu_allocator": ("host_oom", "DefaultCPUAllocator: "),
    "numpy_memory": ("host_oom", "Unable to allocate"),
    "memory_error": ("host_oom", "MemoryError"),
    "free_system_memory": ("host_alloc_warning", "Allocation of"),
    "rank_failed": ("worker_failed", "failed (exitcode:"),
    "rank_exited": ("worker_failed", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"),
    "deepspeed_exit": ("worker_failed", "Process "),
    "nan_loss": (
        "nan_loss",
        "Loss is ",
        "loss is ",
        "Loss became",
        "loss became",
        "non-finite loss",
        "found NaN in",
        "detected ",
    ),
    "nan_metric": (
        "nan_loss",
        *("oss: nan", "oss=nan", "oss nan", "oss': nan", 'oss": nan', "oss': 'nan'", 'oss": "nan"', "oss:nan"),
        *("oss: NaN", "oss=NaN", "oss NaN", 'oss": NaN', "oss': 'NaN'", "oss: NAN"),
        *("oss/train/total: nan", "oss/train/total=nan", "oss/train: nan", "oss/train=nan", "oss/total: nan"),
    ),
    "overflow": ("loss_scale_overflow", "gradient overflow detected", "Gradient overflow", "[deepspeed] OVERFLOW"),
    "skipped": ("skipped_iterations", "number of skipped iterations:"),
    "cuda_error": ("cuda_error", "CUDA error: ", "cuDNN error: "),
    "no_cuda": (
        "cuda_init_failed",
        "CUDA initialization",
        "No CUDA GPUs",
        "Found no NVIDIA driver",
        "Torch not compiled",
    ),
    "train_summary": ("train_summary", "{'train_runtime'", '{"train_runtime"'),
}
_MORE_MARKS = (
    *("nan loss", "NaN loss", "nan in ", "NaN in ", "Minimum loss scale reached", "OVERFLOW! "),
    *("The NVIDIA driver on your", "failed call to cuInit", "CUDA driver initialization"),
)
MARKS = tuple(mark for _, *marks in _KINDS_BY_MARKS.values() for mark in marks) + _MORE_MARKS
# messages whose words also occur in prose: only a label may stand before them
_SHORT = {
    "nccl_error",
    "nccl_number",
    "memory_error",
    "nan_loss",
    "cuda_error",
    "no_cuda",
    "shm_full",
    "bus_error",
    "rank_exited",
}
# a record of steps shows these, and its line is theirs to use
_OF_STEPS = {"skipped", "nan_metric"}
_EVALUATION = ("val", "test")  # what the name of a loss holds that is none of training
# failures that each rank or several layers report: within so many lines they are one, unless they say otherwise
_ALWAYS_NEW = {"remote_error", "cpu_allocator", "numpy_memory"}
_TOLD_BY_MANY = {
    "nccl_timeout": 200,
    "nccl_error": 20,
    "host_oom": 10,
    "worker_failed": 40,
    "shm_full": 1,
    "nan_loss": 10**8,  # once a loss is NaN it stays NaN: each further step says it again
}
_NEVER = -(10**9)  # the place of a message before all lines

_FOREIGN = "?&=%"  # in an address of the web
MAX_NAME = 40
"""Letters of a metric's name that are looked at."""

LINES = LineReader("log_failure.lark", bool)


class _Reader:
    """Reads the messages of one stream in order and joins those of one failure."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._reading = Reading()
        self._last: dict[str, tuple[int, Row]] = {}

    def read(self) -> Reading:
        for message in self._log.messages(MARKS, LINES):
            rule = message.shape.kind
            if not rule or is_quoted(message.prefix) or (rule in _SHORT and not is_label(message.prefix)):
                continue
            values = _values(message)
            if rule == "skipped" and values.get("iterations") == 0:
                continue
            if rule == "nan_metric" and not _begins_loss(message.prefix):
                continue
            if rule not in _OF_STEPS:
                self._reading.used.add(message.number)
            self._add(_KINDS_BY_MARKS[rule][0], message, values)
        return self._reading

    def _add(self, kind: str, message: Message, values: Row) -> None:
        number, row = self._last.get(kind, (_NEVER, {}))
        is_new = message.shape.kind in _ALWAYS_NEW or any(
            row.get(name) not in (None, value) for name, value in values.items() if value is not None
        )
        if not is_new and message.number - number <= _TOLD_BY_MANY.get(kind, -1):
            for name, value in values.items():
                if row.get(name) is None:
                    row[name] = value
            self._last[kind] = (message.number, row)
            return
        row = {
            "line": message.number,
            "kind": kind,
            **labelled(message.prefix),
            **values,
            "message": message.printed(),
        }
        self._last[kind] = (message.number, row)
        self._reading.add("events", row)


def _begins_loss(prefix: str) -> bool:
    """Whether a text ends in the begin of a loss of training; ``val_l``, ``valid l`` and addresses are none."""
    *before, name = prefix[-MAX_NAME:].lower().split() or [""]
    words = [*before[-1:], name] if len(name) == 1 else [name]
    return not any(letter in name for letter in _FOREIGN) and not any(
        word in text for word in _EVALUATION for text in words
    )


def _values(message: Message) -> Row:
    cells = message.cells()
    row = converted({name: text for name, text in reversed(cells) if name != "tried_mib"})
    for name, text in cells:
        if name == "tried_mib":
            row[name] = mib(text)
        elif name == "code_name":
            row["code"] = text
        elif name == "iterations":
            row[name] = int(text)
    workers = [int(text) for name, text in cells if name == "worker_pid"]
    if workers:
        row["pid"] = workers[0]
        row["other_processes"] = [{"pid": pid, "mib": None} for pid in workers[1:]] or None
    if message.shape.kind == "shm_extend":
        row |= nccl_label(message.prefix)
    return row


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, MARKS))


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    return _Reader(Log(lines, open_end)).read()


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="log_failure",
        reach=15,
        title="failures in a training log or a kernel log",
        command="dmesg",
        sample="[ 918.2] NVRM: Xid (PCI:0000:3b:00): 79, pid=1046, name=python, GPU has fallen off the bus.\n",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
