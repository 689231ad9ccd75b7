"""What each finding means, how it is decided and what to do: the text of ``smianalyze explain``."""

from __future__ import annotations

from typing import NamedTuple

from smianalyze.analyses.lost_gpus import GONE_PRINTS
from smianalyze.analyses.memory_accounting import (
    DESKTOP_MIB,
    DISPLAY_MIB,
    MUCH_SHARE,
    PER_PROCESS_MIB,
    RECENT,
)
from smianalyze.analyses.moment import HELD_MIB, OWN_MIB
from smianalyze.analyses.primary_card import CONTEXT_MIB, CONTEXT_SHARE, NOISE_MIB, NOISE_SHARE
from smianalyze.analyses.primary_overhead import HIGH_SHARE


class Explanation(NamedTuple):
    """One finding id: its meaning, its rule with thresholds, the next step, and an example of an input."""

    meaning: str
    decided: str
    next_step: str
    example: str


EXPLANATIONS: dict[str, Explanation] = {
    "primary-card-overhead": Explanation(
        meaning="One card of a job carries more memory than the others. As all cards must hold the same "
        "batch, the fullest one limits them all.",
        decided="Between two snapshots, the growth of each card is compared with the median growth of the "
        f"job's other cards. The surplus must exceed {NOISE_MIB} MiB, {NOISE_SHARE:.0%} of that "
        "growth, and the difference among the other cards. The process table then tells the "
        "mechanism: extra-contexts (processes that work on another card hold up to "
        f"{CONTEXT_SHARE:.0%} of their memory or {CONTEXT_MIB:,} MiB here), data-parallel (one "
        "process on all cards), gather (one process on each), or unknown. One snapshot alone is "
        f"judged by processes that stand on several cards. It is high from {HIGH_SHARE:.0%} of "
        "what the others carry.",
        next_step="Extra contexts: `torch.cuda.set_device(local_rank)` before the first CUDA call, "
        "`map_location` for checkpoints. Data-parallel: `DistributedDataParallel`. Gather: "
        "collect on the CPU. Unknown: take nvidia-smi with its process table.",
        example="GPU 0: 14,561 to 31,022 MiB (+16,461)\n"
        "GPU 1: 11,691 to 27,533 MiB (+15,842)\n"
        "PID 813: 15,836 MiB on GPU 1 and 612 MiB on GPU 0",
    ),
    "unattributed-memory": Explanation(
        meaning="A card holds more memory than the processes listed on it.",
        decided="Memory in use, less the sum of the listed processes and (where it is counted as used) "
        f"reserved memory, exceeds {OWN_MIB} MiB, or {DISPLAY_MIB} MiB with a display, Windows, "
        f"MIG or vGPU, and {PER_PROCESS_MIB} MiB a process on top. In a series it must hold in the "
        f"last {RECENT} prints. It is medium from {MUCH_SHARE:.0%} of the card. Nothing is said "
        "where a process has no known size.",
        next_step="On the host, `sudo fuser -v /dev/nvidia*` names each process that has a GPU open; one "
        "that ended but keeps its memory goes away with its parent or a reboot.",
        example="GPU 1: 24,310 MiB in use, PID 4711 with 8,120 MiB: 16,190 MiB unexplained",
    ),
    "process-table-hidden": Explanation(
        meaning="Memory is in use, but the process table lists nobody, or no sizes. It does not mean that "
        "nothing runs: nvidia-smi cannot see it.",
        decided=f"More than {HELD_MIB} MiB are in use ({DESKTOP_MIB:,} MiB with a display, Windows, MIG or "
        "vGPU), and the table says that no process was found, is empty or not supported, or lists "
        f"processes without memory. In a series it must hold in the last {RECENT} prints.",
        next_step="Container: run nvidia-smi on the host, or start it with `--pid=host`. Windows: Task "
        "Manager shows Dedicated GPU memory for each process.",
        example="GPU 0: 13,017 MiB in use\nProcesses: No running processes found",
    ),
    "gpu-lost": Explanation(
        meaning="A GPU does not answer any more, or is not listed any more.",
        decided="A message says so (GPU is lost, fallen off the bus, unable to determine the device "
        "handle, requires reset), or a table prints ERR! for it; or a series lists a GPU and then "
        f"leaves it out of {GONE_PRINTS} prints or more; or the second of two whole snapshots "
        "leaves it out. The last two may also come from a print limited to some GPUs, so they are "
        "less sure.",
        next_step="Look for Xid lines (`dmesg | grep -i xid`), reboot, and check power, cooling and seating "
        "if it comes back.",
        example="Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error",
    ),
    "driver-mismatch": Explanation(
        meaning="The loaded kernel module and the driver libraries are of different versions; nvidia-smi "
        "and new CUDA programs refuse to run.",
        decided="A message says Driver/library version mismatch.",
        next_step="Reboot, or stop all GPU programs and reload the nvidia kernel modules; restart containers.",
        example="Failed to initialize NVML: Driver/library version mismatch",
    ),
}
