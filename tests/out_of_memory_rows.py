"""Out-of-memory messages as events, for tests: what each wording fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smianalyze.frames import Frames

Row = Mapping[str, object]

PRIVATE = "/home/alice/secret.py"
"""Stands in messages of the tests, and must not stand in a finding."""


def old_wording(**sizes: object) -> Row:
    """A message of PyTorch 1.10 on a GTX 1080 Ti (real sizes), with its reserved memory in total."""
    usual = {
        "kind": "oom",
        "framework": "pytorch",
        "gpu_index": 0,
        "tried_mib": 3143.68,
        "total_mib": 11171.84,
        "allocated_mib": 8560.64,
        "free_mib": 1976.32,
        "reserved_mib": 8601.6,
        "message": f"CUDA out of memory. … reserved in total by PyTorch) {PRIVATE}",
        "source": "train.log",
        "line": 2,
    }
    return {**usual, **sizes}


def new_wording(**sizes: object) -> Row:
    """A message of PyTorch 2.9 on an H200 (real sizes), which lists another process and its own memory."""
    usual = {
        "kind": "oom",
        "framework": "pytorch",
        "gpu_index": 0,
        "tried_mib": 3143.68,
        "total_mib": 143155.2,
        "allocated_mib": 50268.16,
        "free_mib": 1802.24,
        "reserved_unallocated_mib": 0.0,
        "process_mib": 50790.4,
        "other_processes": [{"pid": 3784, "mib": 90552.32}],
        "message": f"CUDA out of memory. … is reserved by PyTorch but unallocated. {PRIVATE}",
        "source": "train.log",
        "line": 5,
    }
    return {**usual, **sizes}


def launch(devices: str, **more: object) -> Row:
    """A line that names the GPUs that the job may see."""
    message = f"CUDA_VISIBLE_DEVICES={devices} python {PRIVATE}"
    usual = {"kind": "launch", "visible_devices": devices, "message": message, "source": "train.log", "line": 1}
    return {**usual, **more}


def cards(*used: int | None, total: int | Sequence[int] = 11264, snapshot: int = 0, **more: object) -> list[Row]:
    """The cards of a print with these MiB in use."""
    totals = [total] * len(used) if isinstance(total, int) else total
    return [
        {
            "snapshot": snapshot,
            "gpu_index": index,
            "name": "NVIDIA H200",
            "memory_used_mib": mib,
            "memory_total_mib": totals[index],
            "source": "smi.txt",
            "line": 9 + 4 * index,
            **more,
        }
        for index, mib in enumerate(used)
    ]


def process(gpu: int, pid: int, mib: int | None, *, snapshot: int = 0) -> Row:
    """A process on a card."""
    return {
        "snapshot": snapshot,
        "gpu_index": gpu,
        "pid": pid,
        "type": "C",
        "process_name": PRIVATE,
        "used_gpu_memory_mib": mib,
        "source": "smi.txt",
        "line": 40,
    }


def capture(
    events: Sequence[Row], gpus: Sequence[Row] = (), processes: Sequence[Row] = (), **more: object
) -> Frames:
    """Frames of a log and prints whose process tables are whole."""
    numbers = sorted({int(str(row["snapshot"])) for row in gpus})
    heads = [{"snapshot": number, "process_section": "listed", **more} for number in numbers]
    return Frames.from_rows({"snapshots": heads, "gpus": gpus, "processes": processes, "events": events})
