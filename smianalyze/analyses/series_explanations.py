"""What each finding means that is read from a course in time: its part of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.explanation import Explanation
from smianalyze.analyses.host_load import FULL_IDLE_PCT, IOWAIT_PCT
from smianalyze.analyses.input_bound import AGREEING, MUCH_SHARE, WAITING_SHARE
from smianalyze.analyses.oscillation import MUCH_IDLE_SHARE

SERIES_EXPLANATIONS: dict[str, Explanation] = {
    "input-bound": Explanation(
        meaning="The cards wait for data: the loader on the CPUs is slower than the model on the GPU.",
        decided=f"Two witnesses. The log: waiting for data takes at least {WAITING_SHARE:.0%} of a step, the "
        "first step of each epoch and the longest pauses apart; running averages are preferred to single steps. "
        f"Utilization: the card rests for at least {AGREEING:.0%} of that share. Both together are high from "
        f"{MUCH_SHARE:.0%} on, else medium. The log alone is one level lower and less sure; where a recording "
        "shows busy cards, nothing is said. Utilization alone, if no log tells the data time, must rest in a "
        f"steady rhythm for {MUCH_IDLE_SHARE:.0%} of the samples, and is low (medium if the cycle is that of a "
        f"step). `top` and `lscpu` tell what to do: from {IOWAIT_PCT} % waiting for a disk (iowait), up to "
        f"{FULL_IDLE_PCT} % idle CPUs, or one process on one CPU.",
        next_step="More workers in the data loader (`num_workers`), a faster disk, or cheaper samples.",
        example="Epoch: [0][  10/2000]  Time  1.968 ( 2.156)  Data  1.901 ( 2.034)\n"
        "GPU 1: 14,923 MiB, utilization 0 0 0 0 0 0 0 0 46 0 0 0 …",
    ),
}
