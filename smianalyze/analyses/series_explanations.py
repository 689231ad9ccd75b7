"""What each finding means that is read from a course in time: its part of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.collective_hang import (
    CERTAIN_S,
    EARLIER_SHARE,
    SHORTEST_S,
    STUCK_PCT,
    STUCK_SHARE,
)
from smianalyze.analyses.explanation import Explanation
from smianalyze.analyses.host_load import FULL_IDLE_PCT, IOWAIT_PCT
from smianalyze.analyses.input_bound import AGREEING, MUCH_SHARE, WAITING_SHARE
from smianalyze.analyses.memory_grows import FULL_SHARE, GROWN_MIB, WATCHED_S
from smianalyze.analyses.memory_ramp import RAMP_MIB, SLOW_MIB_PER_S, SLOW_S, VERY_SLOW_S
from smianalyze.analyses.memory_series import WARM_UP_SHARE
from smianalyze.analyses.one_job import TOGETHER_S
from smianalyze.analyses.oscillation import MUCH_IDLE_SHARE
from smianalyze.analyses.power_capped import AT_LIMIT_SHARE, BRAKE_SHARE, CAPPED_SHARE, SLOWED_SHARE
from smianalyze.analyses.rank_imbalance import (
    CLOCK_SHARE,
    COOL_SHARE,
    LIMIT_SHARE,
    MUCH_COOLER_SHARE,
)
from smianalyze.analyses.steady_growth import EVEN_SHARE, PARTS
from smianalyze.analyses.thermal_slowdown import HOT_SHARE, MOSTLY_SHARE, MUCH_SLOWED_SHARE
from smianalyze.analyses.utilization import BUSY_PCT

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
    "memory-grows": Explanation(
        meaning="The memory of a card grows on and on while the job works, until it is full.",
        decided=f"The first {WARM_UP_SHARE:.0%} of the time in which the job ran is warm-up. The rest is cut into "
        f"{PARTS} parts; the least memory of each must lie above that of the part before by {EVEN_SHARE:.0%} of "
        "the mean rise or more, so that a step, what settles and what is given back do not count; "
        f"{GROWN_MIB} MiB in all, on a card that is not idle. It is high if the card is full ({FULL_SHARE:.0%}) "
        "within an hour at that pace, medium within a day, low within a week. It is sure if the memory in the log "
        f"grows as well, or from {WATCHED_S // 60} minutes on. Where the prints are too few, the log tells it "
        "together with the rise of the job's only card; without a recording the log alone is low, as it prints a "
        "maximum mostly.",
        next_step="Look for tensors that outlive their step; keep `loss.item()`, not `loss`.",
        example="12:00 30,112 MiB\n12:10 31,340 MiB\n12:20 32,551 MiB\n12:30 33,779 MiB, of 81,920",
    ),
    "rank-imbalance": Explanation(
        meaning="One rank waits for another in each step. Utilization cannot show it, as waiting for the others "
        "counts as work; power does.",
        decided="At least two cards of one job: the log speaks of as many ranks, or their memory came and went "
        f"within {TOGETHER_S} seconds and alike. They must be of one model and power limit (within "
        f"{1 - LIMIT_SHARE:.0%}), and all be at least {BUSY_PCT} % busy in half of the prints. Of those prints "
        f"the median power of the coolest card is at most {COOL_SHARE:.0%} of the hottest one's; it is high from "
        f"{MUCH_COOLER_SHARE:.0%} down. A card whose clock is below {CLOCK_SHARE:.0%} of the hot one's is held "
        "back and does not wait.",
        next_step="Split the data evenly over the ranks, by length as well as by number.",
        example="GPU 0: 99 %, 690 W\nGPU 1: 100 %, 350 W",
    ),
    "collective-hang": Explanation(
        meaning="The ranks of a job wait for one another without end. The cards look busy and do nothing.",
        decided=f"In the last {SHORTEST_S} seconds of the job or longer, each of its cards is idle or shows "
        f"{STUCK_PCT} % utilization or more at no more than {STUCK_SHARE:.0%} of its power limit, and none "
        "changes. They must belong to one job (see rank-imbalance). Witnesses are a card that is idle meanwhile, "
        "a log that is silent from then on, a timeout of NCCL, and power below "
        f"{EARLIER_SHARE:.0%} of what it was; the last one alone is not sure. It is high from {CERTAIN_S} seconds "
        "on, or with a timeout: a checkpoint that one rank saves makes the others wait as well. "
        "A log that goes on shows that it is light work.",
        next_step="Run `py-spy dump --pid PID` for each rank: the one whose stack differs is waited for.",
        example="GPU 0: 100 %, 98 W of 400 W\nGPU 1: 0 %, 61 W, for 10 minutes",
    ),
    "memory-ramp-slow": Explanation(
        meaning="A card fills slowly at the start, for minutes, before it does anything.",
        decided=f"From the last empty sample to the first work: at least {RAMP_MIB} MiB that rise evenly for "
        f"{SLOW_S} seconds or more, by at most {SLOW_MIB_PER_S} MiB a second. It is medium from {VERY_SLOW_S} "
        "seconds on, if work follows.",
        next_step="Install a build of the framework that holds code for this card.",
        example="12:00:00 3 MiB, 0 %\n12:02:00 301 MiB, 0 %\n12:04:00 602 MiB, 0 %\n12:04:10 9,120 MiB, 97 %",
    ),
    "power-capped": Explanation(
        meaning="A card runs at a lower clock as its power is at the limit, or the power supply holds it back.",
        decided="While it works, the driver names power (`sw_power_cap`, `pviol` of dmon) in "
        f"{CAPPED_SHARE:.0%} of the samples, the card draws {AT_LIMIT_SHARE:.0%} of its limit in the median, and "
        f"its clock is at most {SLOWED_SHARE:.0%} of the highest. It is low, as heavy work does that; medium "
        "where the limit stands below the card's default. The brake of a power supply is medium from "
        f"{BRAKE_SHARE:.0%} of the samples on.",
        next_step="Ask whether the limit may be raised; a brake needs a look at power supplies and cables.",
        example="GPU 0: 99 %, 250 W of 250 W (default 400 W), 1,095 of 1,980 MHz, sw_power_cap",
    ),
    "thermal-slowdown": Explanation(
        meaning="A card is too hot and lowers its clock.",
        decided="While it works, the driver names heat (`sw_thermal_slowdown`, `hw_thermal_slowdown`, `tviol` of "
        f"dmon) in {HOT_SHARE:.0%} of the samples. It is medium; high from {MOSTLY_SHARE:.0%} of the samples on "
        f"if the clock is at most {MUCH_SLOWED_SHARE:.0%} of the highest. Few prints show a moment only: low.",
        next_step="Look at the cooling: dust, fans, air between the cards.",
        example="GPU 2: 99 %, 88 °C, 1,005 of 1,980 MHz, hw_thermal_slowdown",
    ),
}
