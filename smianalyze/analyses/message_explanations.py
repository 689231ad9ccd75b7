"""What each finding means that is read from messages of logs: its part of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.batch_headroom import FASTER_SHARE, FIT_SHARE, FREE_SHARE, SPARE_SHARE
from smianalyze.analyses.explanation import QUOTE, Explanation
from smianalyze.analyses.host_memory import SHORT_SHARE
from smianalyze.analyses.loader_workers import MUCH_TIMES
from smianalyze.analyses.runtime_age import FIRST_RUNTIME
from smianalyze.language import text

MESSAGE_EXPLANATIONS: dict[str, Explanation] = {
    "xid": Explanation(
        meaning=text(
            "The driver wrote an error with a number, an Xid, into the kernel log. The number says whether the "
            "job, the driver or the card is at fault."
        ),
        decided=text(
            "Each line NVRM: Xid of a kernel log (`dmesg`) or in a job's log, by its number as in NVIDIA's Xid "
            "catalogue. 13, 31 and 43 are mistakes of a job; 119 and 120 are the driver; 48, 64, 79, 94, 95 and "
            "140 are the card; 74 is a link between cards. 45 and 154 follow another Xid, and are told only where "
            "they are alone. The card is found by its PCI address in a print of nvidia-smi."
        ),
        next_step=text(
            "Job: `CUDA_LAUNCH_BLOCKING=1` shows the line that fails. Driver: reset the card. Card: stop using it "
            "and tell your administrator."
        ),
        example=QUOTE,
        quote="NVRM: Xid (PCI:0000:cb:00): 79, pid=1798240, GPU has fallen off the bus.",
    ),
    "ecc-errors": Explanation(
        meaning=text(
            "The memory of a card lost data: errors were found that could not be repaired, or the repair of a bad "
            "place waits or failed."
        ),
        decided=text(
            "The counter of uncorrected errors since the driver was loaded (Volatile Uncorr. ECC of the table, of "
            "-q or a CSV, dbecc of dmon) is above 0; what came during a recording is told apart. A remap or "
            "retirement that is pending is medium; one that failed, or too many errors in SRAM, is high. "
            "Corrected errors cost nothing, and those of the card's whole life were dealt with: nothing is said "
            "of them."
        ),
        next_step=text(
            "End the jobs on the card and reset it, so that spare memory takes the place of the bad one. If it "
            "happens again, ask for a replacement."
        ),
        example=text("Volatile Uncorr. ECC: 2 on GPU 1"),
    ),
    "nccl-timeout": Explanation(
        meaning=text(
            "A rank waited in a collective operation until NCCL's watchdog gave up, as another rank never came."
        ),
        decided=text(
            "A log says that the watchdog caught a timeout of a collective operation. The time is the one that it "
            "prints; messages of several ranks within 200 lines are one failure."
        ),
        next_step=text(
            "Find the first error of any rank before it. Without one, `TORCH_DISTRIBUTED_DEBUG=DETAIL` names the "
            "rank and the operation."
        ),
        example=QUOTE,
        quote="Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2165, OpType=ALLREDUCE, "
        "Timeout(ms)=600000) ran for 600036 milliseconds before timing out.",
    ),
    "worker-failed": Explanation(
        meaning=text("A rank, or a process that loads data, ended with an error, and the job with it."),
        decided=text(
            "The launcher reports a failed rank with its exit code. Negative codes, and 128 and more, name a "
            "signal: 9 is a kill from outside, 11 a crash, 15 a request to end, 7 no shared memory, 6 a failed "
            "check. PyTorch reports loader processes that ended. Those that were killed or had a bus error are "
            "told by host-memory-killed and shared-memory-full."
        ),
        next_step=text("Find the first traceback before it; loader processes show theirs with `num_workers=0`."),
        example=QUOTE,
        quote="Failed (exitcode: -9) local_rank: 3 (pid: 139901) of binary: python",
    ),
    "host-memory-killed": Explanation(
        meaning=text(
            "The memory of the host ran out, or the part of it that a job may use; a process was ended for it. It "
            "has nothing to do with the memory of a card."
        ),
        decided=text(
            "A line of the kernel (Out of memory, Memory cgroup out of memory, oom-kill), of Slurm (oom-kill "
            "event, Exceeded job memory limit), of PyTorch's CPU allocator, NumPy or Python (MemoryError). A "
            "loader process that was killed is a likely case: medium confidence, unless `top` shows a host with "
            "at most {short_share:.0%} of its memory available."
        ),
        next_step=text(
            "Fewer loader processes, or more memory for the job (`--mem` of Slurm, `--memory` of a container)."
        ),
        example=QUOTE,
        short_share=SHORT_SHARE,
        quote="Out of memory: Killed process 164301 (python) anon-rss:60812344kB",
    ),
    "shared-memory-full": Explanation(
        meaning=text(
            "The folder `/dev/shm`, through which the processes of a job hand data to each other, was full."
        ),
        decided=text(
            "A log says Unexpected bus error encountered in worker, that a loader process was killed by signal "
            "Bus error, that NCCL failed to extend a file in `/dev/shm`, or that a file there could not be "
            "written. All of it in one log is one finding."
        ),
        next_step=text("In a container `--shm-size=16g` or `--ipc=host`; fewer loader processes need less of it."),
        example=QUOTE,
        quote="DataLoader worker (pid 46811) is killed by signal: Bus error.",
    ),
    "loader-workers-mismatch": Explanation(
        meaning=text("A job starts more processes to load data than it has CPUs for them."),
        decided=text(
            "PyTorch warns that it will create more worker processes than suggested, which is the number of CPUs "
            "that the job may use; with several ranks on a host all of theirs count. Without a warning: a sample "
            "of `top` shows more loader processes than `lscpu` counts CPUs. It is medium from {much_times} times "
            "as many."
        ),
        next_step=text("Set `num_workers` to the CPUs of the job divided by its ranks, or ask for more CPUs."),
        example=QUOTE,
        much_times=MUCH_TIMES,
        quote="This DataLoader will create 32 worker processes in total. Our suggested max number of worker in "
        "current system is 8",
    ),
    "nan-loss": Explanation(
        meaning=text("The loss of a run became NaN or infinite; what comes after it is wasted."),
        decided=text(
            "A framework says so (Loss is nan, found NaN, Minimum loss scale reached), or a line of training "
            "metrics has nan in place of the loss. The first one counts. It is medium where later lines have a "
            "number again. Overflows of a loss scale alone are usual with fp16, and nothing is said of them."
        ),
        next_step=text(
            "Start from the last checkpoint before it, with gradient clipping and a lower learning rate; bf16 in "
            "place of fp16."
        ),
        example=QUOTE,
        quote="Iter 30: loss nan, time 659.87ms",
    ),
    "runtime-older-than-gpu": Explanation(
        meaning=text(
            "The framework was built with a CUDA version that has no code for this card. Its kernels are compiled "
            "at the first load, which is slow, or fail."
        ),
        decided=text(
            "A log names the compute capability of a card and the CUDA runtime of the framework, and the runtime "
            "is older than the first one for that major capability (8: CUDA {first_runtime_8}, 9: CUDA "
            "{first_runtime_9}, 12: CUDA {first_runtime_12}); the minor one does not matter. Or PyTorch says that "
            "the card is not compatible with it: then it is high."
        ),
        next_step=text("Install a build of the framework for a newer CUDA version."),
        example=QUOTE,
        first_runtime_8=FIRST_RUNTIME[8],
        first_runtime_9=FIRST_RUNTIME[9],
        first_runtime_12=FIRST_RUNTIME[12],
        quote="Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, Runtime API "
        "Version: 10.2",
    ),
    "batch-headroom": Explanation(
        meaning=text(
            "A larger batch would fit into the memory of the card, or it is told which one would have fit. It is "
            "no fault of the run."
        ),
        decided=text(
            "Logs of two or more batch sizes whose peaks lie on a line (within {fit_share:.0%}) give the memory "
            "of a sample; what fits leaves {spare_share:.0%} of the card free, rounded down. A larger batch is "
            "advised only where the last step up made samples go through {faster_share:.0%} faster. It is low "
            "where a run ran out of memory. One recorded run says only what was free at its fullest moment, from "
            "{free_share:.0%} of the card."
        ),
        next_step=text("Try the next size and look whether samples a second rise; adapt the learning rate."),
        example=text(
            "64: 1,898 MiB, 128: 3,476 MiB, 256: 6,616 MiB, 512: 12,935 MiB, so 24.6 MiB a sample on 319 MiB"
        ),
        fit_share=FIT_SHARE,
        spare_share=SPARE_SHARE,
        faster_share=FASTER_SHARE,
        free_share=FREE_SHARE,
    ),
    "cuda-error": Explanation(
        meaning=text("A call of CUDA failed and ended the program, or the program found no GPU at all."),
        decided=text(
            "A log says CUDA error, cuDNN error, or that CUDA could not be started. The wording tells an index "
            "out of range, memory that is not its own, a build without code for the card, memory of the card that "
            "lost data, a driver that is too old, and no visible GPU apart. What ran out of memory is told by "
            "out-of-memory."
        ),
        next_step=text(
            "With `CUDA_LAUNCH_BLOCKING=1` the traceback shows the line that fails; without a GPU, run "
            "`nvidia-smi` in the same place as the program."
        ),
        example=QUOTE,
        quote="RuntimeError: CUDA error: device-side assert triggered",
    ),
    "nccl-error": Explanation(
        meaning=text("The exchange of data between the ranks of a job failed."),
        decided=text(
            "A log names an error of NCCL. Its code says whether another rank ended (ncclRemoteError), a CUDA "
            "call failed (ncclUnhandledCudaError), the system or the network did (ncclSystemError), or it was "
            "used wrongly (ncclInvalidUsage). A timeout is told by nccl-timeout."
        ),
        next_step=text(
            "Find the first error of any rank before it; `NCCL_DEBUG=INFO` prints the call that failed."
        ),
        example=QUOTE,
        quote="DistBackendError: NCCL error in: NCCLUtils.hpp:219, remote process exited or there was a network "
        "error, NCCL version 2.21.5",
    ),
}
