"""What each finding means, how it is decided and what to do: the text of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.explanation import QUOTE, Explanation
from smianalyze.analyses.held_idle import COSTLY_S, IDLE_THROUGH, SHORTEST_S
from smianalyze.analyses.lost_gpus import GONE_PRINTS
from smianalyze.analyses.memory_accounting import (
    DESKTOP_MIB,
    DISPLAY_MIB,
    MUCH_SHARE,
    PER_PROCESS_MIB,
    RECENT,
)
from smianalyze.analyses.message_explanations import MESSAGE_EXPLANATIONS
from smianalyze.analyses.moment import HELD_MIB, OWN_MIB
from smianalyze.analyses.oom_verdict import NEIGHBOUR_MIB
from smianalyze.analyses.oscillation import COARSE_S, IDLE_SHARE, MUCH_IDLE_SHARE, RESOLVED_SAMPLES
from smianalyze.analyses.period import CYCLES, STEPS_A_CYCLE, STRENGTH
from smianalyze.analyses.primary_card import ALIKE_SHARE, CONTEXT_MIB, CONTEXT_SHARE, NOISE_MIB, NOISE_SHARE
from smianalyze.analyses.primary_overhead import HIGH_SHARE
from smianalyze.analyses.recording import FLIP_SHARE, REGULAR_SHARE, SHORTEST_GAP_S, SMALL_SHARE
from smianalyze.analyses.sampling import GAP_STEPS
from smianalyze.analyses.series_explanations import SERIES_EXPLANATIONS
from smianalyze.language import text

EXPLANATIONS: dict[str, Explanation] = {
    "primary-card-overhead": Explanation(
        meaning=text(
            "One card of a job carries more memory than the others. As all cards must hold the same batch, the "
            "fullest one limits them all."
        ),
        decided=text(
            "Between two snapshots, the growth of each card is compared with the median growth of the job's other "
            "cards. The surplus must exceed {noise_mib} MiB, {noise_share:.0%} of that growth, and the difference "
            "among the other cards. The process table then tells the mechanism: extra-contexts (processes that "
            "work on another card hold up to {context_share:.0%} of their memory or {context_mib:,} MiB here), "
            "data-parallel (one process on all cards), gather (one process on each), or unknown; without PIDs the "
            "other cards must be alike within {alike_share:.0%}. One snapshot alone is judged by processes that "
            "stand on several cards. It is high from {high_share:.0%} of what the others carry."
        ),
        next_step=text(
            "Extra contexts: `torch.cuda.set_device(local_rank)` before the first CUDA call, `map_location` for "
            "checkpoints. Data-parallel: `DistributedDataParallel`. Gather: collect on the CPU. Unknown: take "
            "nvidia-smi with its process table."
        ),
        example=text(
            "GPU 0: 14,561 to 31,022 MiB (+16,461)\n"
            "GPU 1: 11,691 to 27,533 MiB (+15,842)\n"
            "PID 813: 15,836 MiB on GPU 1 and 612 MiB on GPU 0"
        ),
        noise_mib=NOISE_MIB,
        noise_share=NOISE_SHARE,
        context_share=CONTEXT_SHARE,
        context_mib=CONTEXT_MIB,
        alike_share=ALIKE_SHARE,
        high_share=HIGH_SHARE,
    ),
    "unattributed-memory": Explanation(
        meaning=text("A card holds more memory than the processes listed on it."),
        decided=text(
            "Memory in use, less the sum of the listed processes and (where it is counted as used) reserved "
            "memory, exceeds {own_mib} MiB, or {display_mib} MiB with a display, Windows, MIG or vGPU, and "
            "{per_process_mib} MiB a process on top. In a series it must hold in the last {recent} prints. It is "
            "medium from {much_share:.0%} of the card. Nothing is said where a process has no known size."
        ),
        next_step=text(
            "On the host, `sudo fuser -v /dev/nvidia*` names each process that has a GPU open; one that ended but "
            "keeps its memory goes away with its parent or a reboot."
        ),
        example=text("GPU 1: 24,310 MiB in use, PID 4711 with 8,120 MiB: 16,190 MiB unexplained"),
        own_mib=OWN_MIB,
        display_mib=DISPLAY_MIB,
        per_process_mib=PER_PROCESS_MIB,
        recent=RECENT,
        much_share=MUCH_SHARE,
    ),
    "process-table-hidden": Explanation(
        meaning=text(
            "Memory is in use, but the process table lists nobody, or no sizes. It does not mean that nothing "
            "runs: nvidia-smi cannot see it."
        ),
        decided=text(
            "More than {held_mib} MiB are in use ({desktop_mib:,} MiB with a display, Windows, MIG or vGPU), and "
            "the table says that no process was found, is empty or not supported, or lists processes without "
            "memory. In a series it must hold in the last {recent} prints."
        ),
        next_step=text(
            "Container: run nvidia-smi on the host, or start it with `--pid=host`. Windows: Task Manager shows "
            "Dedicated GPU memory for each process."
        ),
        example=text("GPU 0: 13,017 MiB in use\n{quote}"),
        quote="Processes: No running processes found",
        held_mib=HELD_MIB,
        desktop_mib=DESKTOP_MIB,
        recent=RECENT,
    ),
    "gpu-lost": Explanation(
        meaning=text("A GPU does not answer any more, or is not listed any more."),
        decided=text(
            "A message says so (GPU is lost, fallen off the bus, unable to determine the device handle, requires "
            "reset), or a table prints ERR! for it; or a series lists a GPU and then leaves it out of "
            "{gone_prints} prints or more; or the second of two whole snapshots leaves it out. The last two may "
            "also come from a print limited to some GPUs, so they are less sure."
        ),
        next_step=text(
            "Look for Xid lines (`dmesg | grep -i xid`), reboot, and check power, cooling and seating if it comes "
            "back."
        ),
        example=QUOTE,
        gone_prints=GONE_PRINTS,
        quote="Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error",
    ),
    "driver-mismatch": Explanation(
        meaning=text(
            "The loaded kernel module and the driver libraries are of different versions; nvidia-smi and new CUDA "
            "programs refuse to run."
        ),
        decided=text("A message says Driver/library version mismatch."),
        next_step=text(
            "Reboot, or stop all GPU programs and reload the nvidia kernel modules; restart containers."
        ),
        example=QUOTE,
        quote="Failed to initialize NVML: Driver/library version mismatch",
    ),
    "out-of-memory": Explanation(
        meaning=text(
            "A program asked for more memory than its GPU had free. The message is taken apart: what the "
            "framework held, what others held, what was missing, and which card it was."
        ),
        decided=text(
            "In use = total - free; outside the framework = in use - reserved; unused = reserved - allocated, the "
            "most that fragmentation settings can win; short = tried - free. The first reason that is enough on "
            "its own counts: more than the whole card; a limit of the framework; unused of at least what is "
            "short; the overhead of a primary card; other processes that hold as much (the message lists them, or "
            "the process table); {neighbour_mib:,} MiB or more outside, held by unknown; else too little memory. "
            "The log counts only the GPUs that the job may see. Its card is told by NCCL or TensorFlow in the "
            "log, by the visible devices there, by a process of the message that stands in a process table, by "
            "the only card that became as full, or by the only card of that size; where these disagree or are "
            "missing, it stays unknown. It is medium where training goes on after it."
        ),
        next_step=text(
            "Short of a little and much unused: `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`. Another "
            "process: another card. Else a smaller batch."
        ),
        example=text("{quote}\nGPU 2 of nvidia-smi: 1.14 GiB short, 0.04 GiB unused, 0.58 GiB outside PyTorch"),
        quote="CUDA_VISIBLE_DEVICES=2,3 python train.py\n"
        "CUDA out of memory. Tried to allocate 3.07 GiB (GPU 0; 10.91 GiB total capacity; 8.36 GiB already "
        "allocated; 1.93 GiB free; 8.40 GiB reserved in total by PyTorch)",
        neighbour_mib=NEIGHBOUR_MIB,
    ),
    "visible-gpu-unused": Explanation(
        meaning=text("The job may see several GPUs and uses only some of them."),
        decided=text(
            "A launch line names the visible GPUs. One of them holds less than {held_mib} MiB in every print, "
            "while another one holds more (medium), or ran out of memory in a script that starts no further "
            "processes (low, as the prints then show nothing of the job). A card whose memory is unknown in a "
            "print is left out."
        ),
        next_step=text("Start one process for each GPU with `torchrun`, or make fewer GPUs visible."),
        example=QUOTE,
        quote="CUDA_VISIBLE_DEVICES=2,3 python train.py\nGPU 2: 9,240 MiB\nGPU 3: 0 MiB",
        held_mib=HELD_MIB,
    ),
    "held-but-idle": Explanation(
        meaning=text(
            "A card holds memory while next to nothing runs on it. The job waits, or it ended and left its memory "
            "behind; nobody else can use that memory."
        ),
        decided=text(
            "In a recording of at least {series_prints} prints: while the job runs (memory above its level before "
            "and after), {idle_through:.0%} of the samples show at most {idle_pct} % utilization for {shortest_s} "
            "seconds or more, and at least {held_mib} MiB are held ({desktop_mib:,} MiB with a display, Windows, "
            "MIG or vGPU). It is high from {costly_minutes} minutes. Fewer prints show one moment only: then it "
            "is low, and says so."
        ),
        next_step=text("Find out what the process waits for (`py-spy dump --pid PID`), or end it."),
        example=text("23 prints in 24 seconds: GPU 1 holds 14,923 MiB at 0 %, with 48 % in one print"),
        series_prints=SERIES_PRINTS,
        idle_through=IDLE_THROUGH,
        idle_pct=IDLE_PCT,
        shortest_s=SHORTEST_S,
        held_mib=HELD_MIB,
        desktop_mib=DESKTOP_MIB,
        costly_minutes=COSTLY_S // 60,
    ),
    "utilization-oscillates": Explanation(
        meaning=text("A card goes on and off: it waits between two pieces of work, mostly for data."),
        decided=text(
            "While the job runs, at least {idle_share:.0%} of the samples are idle (at most {idle_pct} %), and "
            "the card goes on or off {switches} times or more. Either in a rhythm (autocorrelation of at least "
            "{strength}, a cycle of {steps_a_cycle} samples or more), or in phases of {resolved_samples} samples "
            "on average. It is medium with a rhythm from {much_idle_share:.0%} idle on. Nothing is said of faster "
            "swings, of single prints, and of cards that hold no memory."
        ),
        next_step=text("Compare the cycle with the step time and the data time in the log."),
        example=text("GPU 1 at -lms 200: 0 0 0 0 0 0 0 0 46 0 0 0 0 0 0 0 0 56 0 0 …"),
        idle_share=IDLE_SHARE,
        idle_pct=IDLE_PCT,
        switches=2 * CYCLES,
        strength=STRENGTH,
        steps_a_cycle=STEPS_A_CYCLE,
        resolved_samples=RESOLVED_SAMPLES,
        much_idle_share=MUCH_IDLE_SHARE,
    ),
    "sampling-too-coarse": Explanation(
        meaning=text("The prints are too far apart to tell how the cards behaved. It is no fault of the run."),
        decided=text(
            "The job came and went within fewer than {series_prints} prints. Or a card is idle in one print and "
            "busy in the next for {flip_share:.0%} of all pairs, at steps of {coarse_s} seconds or more: then its "
            "phases are shorter than a step."
        ),
        next_step=text("Record with `-lms 200`. The driver averages over 0.2 to 1 second, so more is of no use."),
        example=text("GPU 1 at -l 1: 98 91 3 25 0 99 99 0 60 54 0 96 0 92 0 86"),
        series_prints=SERIES_PRINTS,
        flip_share=FLIP_SHARE,
        coarse_s=COARSE_S,
    ),
    "gap-in-series": Explanation(
        meaning=text("A recording stops for a while, or its clock goes back. Nothing is known about that time."),
        decided=text(
            "Of a recording with at least {series_prints} prints, {regular_share:.0%} of them at even steps: a "
            "step longer than {gap_steps} usual ones and {shortest_gap_s} seconds, or a step back of as much. It "
            "is info where less than {small_share:.0%} of the time is missing."
        ),
        next_step=text("Look at what the host did then (`dmesg -T`), or record again."),
        example=QUOTE,
        series_prints=SERIES_PRINTS,
        regular_share=REGULAR_SHARE,
        gap_steps=GAP_STEPS,
        shortest_gap_s=SHORTEST_GAP_S,
        small_share=SMALL_SHARE,
        quote="12:00:01, 12:00:02, 12:05:14, 12:05:15",
    ),
    **SERIES_EXPLANATIONS,
    **MESSAGE_EXPLANATIONS,
}
