"""What each finding means that is read from a course in time: its part of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.collective_hang import (
    CERTAIN_S,
    EARLIER_SHARE,
    SHORTEST_S,
    STUCK_PCT,
    STUCK_SHARE,
)
from smianalyze.analyses.explanation import QUOTE, Explanation
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
from smianalyze.language import text

SERIES_EXPLANATIONS: dict[str, Explanation] = {
    "input-bound": Explanation(
        meaning=text("The cards wait for data: the loader on the CPUs is slower than the model on the GPU."),
        decided=text(
            "Two witnesses. The log: waiting for data takes at least {waiting_share:.0%} of a step, the first "
            "step of each epoch and the longest pauses apart; running averages are preferred to single steps. "
            "Utilization: the card rests for at least {agreeing:.0%} of that share. Both together are high from "
            "{much_share:.0%} on, else medium. The log alone is one level lower and less sure; where a recording "
            "shows busy cards, nothing is said. Utilization alone, if no log tells the data time, must rest in a "
            "steady rhythm for {much_idle_share:.0%} of the samples, and is low (medium if the cycle is that of a "
            "step). `top` and `lscpu` tell what to do: from {iowait_pct} % waiting for a disk (iowait), up to "
            "{full_idle_pct} % idle CPUs, or one process on one CPU."
        ),
        next_step=text("More workers in the data loader (`num_workers`), a faster disk, or cheaper samples."),
        example=text("{quote}\nGPU 1: 14,923 MiB, utilization 0 0 0 0 0 0 0 0 46 0 0 0 …"),
        quote="Epoch: [0][  10/2000]  Time  1.968 ( 2.156)  Data  1.901 ( 2.034)",
        waiting_share=WAITING_SHARE,
        agreeing=AGREEING,
        much_share=MUCH_SHARE,
        much_idle_share=MUCH_IDLE_SHARE,
        iowait_pct=IOWAIT_PCT,
        full_idle_pct=FULL_IDLE_PCT,
    ),
    "memory-grows": Explanation(
        meaning=text("The memory of a card grows on and on while the job works, until it is full."),
        decided=text(
            "The first {warm_up_share:.0%} of the time in which the job ran is warm-up. The rest is cut into "
            "{parts} parts; the least memory of each must lie above that of the part before by {even_share:.0%} "
            "of the mean rise or more, so that a step, what settles and what is given back do not count; "
            "{grown_mib} MiB in all, on a card that is not idle. It is high if the card is full "
            "({full_share:.0%}) within an hour at that pace, medium within a day, low within a week. It is sure "
            "if the memory in the log grows as well, or from {watched_minutes} minutes on. Where the prints are "
            "too few, the log tells it together with the rise of the job's only card; without a recording the log "
            "alone is low, as it prints a maximum mostly."
        ),
        next_step=text("Look for tensors that outlive their step; keep `loss.item()`, not `loss`."),
        example=text("12:00 30,112 MiB\n12:10 31,340 MiB\n12:20 32,551 MiB\n12:30 33,779 MiB, of 81,920"),
        warm_up_share=WARM_UP_SHARE,
        parts=PARTS,
        even_share=EVEN_SHARE,
        grown_mib=GROWN_MIB,
        full_share=FULL_SHARE,
        watched_minutes=WATCHED_S // 60,
    ),
    "rank-imbalance": Explanation(
        meaning=text(
            "One rank waits for another in each step. Utilization cannot show it, as waiting for the others "
            "counts as work; power does."
        ),
        decided=text(
            "At least two cards of one job: the log speaks of as many ranks, or their memory came and went within "
            "{together_s} seconds and alike. They must be of one model and power limit (within "
            "{limit_share:.0%}), and all be at least {busy_pct} % busy in half of the prints. Of those prints "
            "the median power of the coolest card is at most {cool_share:.0%} of the hottest one's; it is high "
            "from {much_cooler_share:.0%} down. A card whose clock is below {clock_share:.0%} of the hot one's is "
            "held back and does not wait."
        ),
        next_step=text("Split the data evenly over the ranks, by length as well as by number."),
        example=QUOTE,
        quote="GPU 0: 99 %, 690 W\nGPU 1: 100 %, 350 W",
        together_s=TOGETHER_S,
        limit_share=1 - LIMIT_SHARE,
        busy_pct=BUSY_PCT,
        cool_share=COOL_SHARE,
        much_cooler_share=MUCH_COOLER_SHARE,
        clock_share=CLOCK_SHARE,
    ),
    "collective-hang": Explanation(
        meaning=text("The ranks of a job wait for one another without end. The cards look busy and do nothing."),
        decided=text(
            "In the last {shortest_s} seconds of the job or longer, each of its cards is idle or shows "
            "{stuck_pct} % utilization or more at no more than {stuck_share:.0%} of its power limit, and none "
            "changes. They must belong to one job (see rank-imbalance). Witnesses are a card that is idle "
            "meanwhile, a log that is silent from then on, a timeout of NCCL, and power below {earlier_share:.0%} "
            "of what it was; the last one alone is not sure. It is high from {certain_s} seconds on, or with a "
            "timeout: a checkpoint that one rank saves makes the others wait as well. A log that goes on shows "
            "that it is light work."
        ),
        next_step=text("Run `py-spy dump --pid PID` for each rank: the one whose stack differs is waited for."),
        example=text("GPU 0: 100 %, 98 W of 400 W\nGPU 1: 0 %, 61 W, for 10 minutes"),
        shortest_s=SHORTEST_S,
        stuck_pct=STUCK_PCT,
        stuck_share=STUCK_SHARE,
        earlier_share=EARLIER_SHARE,
        certain_s=CERTAIN_S,
    ),
    "memory-ramp-slow": Explanation(
        meaning=text("A card fills slowly at the start, for minutes, before it does anything."),
        decided=text(
            "From the last empty sample to the first work: at least {ramp_mib} MiB that rise evenly for {slow_s} "
            "seconds or more, by at most {slow_mib_per_s} MiB a second. It is medium from {very_slow_s} seconds "
            "on, if work follows."
        ),
        next_step=text("Install a build of the framework that holds code for this card."),
        example=QUOTE,
        quote="12:00:00 3 MiB, 0 %\n12:02:00 301 MiB, 0 %\n12:04:00 602 MiB, 0 %\n12:04:10 9,120 MiB, 97 %",
        ramp_mib=RAMP_MIB,
        slow_s=SLOW_S,
        slow_mib_per_s=SLOW_MIB_PER_S,
        very_slow_s=VERY_SLOW_S,
    ),
    "power-capped": Explanation(
        meaning=text(
            "A card runs at a lower clock as its power is at the limit, or the power supply holds it back."
        ),
        decided=text(
            "While it works, the driver names power (`sw_power_cap`, `pviol` of dmon) in {capped_share:.0%} of "
            "the samples, the card draws {at_limit_share:.0%} of its limit in the median, and its clock is at "
            "most {slowed_share:.0%} of the highest. It is low, as heavy work does that; medium where the limit "
            "stands below the card's default. The brake of a power supply is medium from {brake_share:.0%} of the "
            "samples on."
        ),
        next_step=text("Ask whether the limit may be raised; a brake needs a look at power supplies and cables."),
        example=text("GPU 0: 99 %, 250 W of 250 W (default 400 W), 1,095 of 1,980 MHz, sw_power_cap"),
        capped_share=CAPPED_SHARE,
        at_limit_share=AT_LIMIT_SHARE,
        slowed_share=SLOWED_SHARE,
        brake_share=BRAKE_SHARE,
    ),
    "thermal-slowdown": Explanation(
        meaning=text("A card is too hot and lowers its clock."),
        decided=text(
            "While it works, the driver names heat (`sw_thermal_slowdown`, `hw_thermal_slowdown`, `tviol` of "
            "dmon) in {hot_share:.0%} of the samples. It is medium; high from {mostly_share:.0%} of the samples "
            "on if the clock is at most {much_slowed_share:.0%} of the highest. Few prints show a moment only: "
            "low."
        ),
        next_step=text("Look at the cooling: dust, fans, air between the cards."),
        example=text("GPU 2: 99 %, 88 °C, 1,005 of 1,980 MHz, hw_thermal_slowdown"),
        hot_share=HOT_SHARE,
        mostly_share=MOSTLY_SHARE,
        much_slowed_share=MUCH_SLOWED_SHARE,
    ),
}
