"""What a capture cannot tell, why, and what would tell it."""

from __future__ import annotations

from collections.abc import Iterator

from smianalyze.analyses.job_cards import job_cards
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.utilization import BUSY_PCT
from smianalyze.frames import Frames
from smianalyze.language import say

FEW_SNAPSHOTS = 3
"""With fewer prints nothing can be said about a course in time."""


def cannot_tell(frames: Frames) -> list[str]:
    """One sentence or two for each question that a report answers, and that this capture leaves open.

    Args:
        frames: A capture; without cards and without records of a log nothing is asked.
    """
    return [*_of_prints(frames), *_of_holders(frames), *_of_the_log(frames)]


def _of_prints(frames: Frames) -> Iterator[str]:
    """What the prints are too few, or too narrow, for."""
    if 0 < len(frames.snapshots) < FEW_SNAPSHOTS:
        yield say(
            "A print shows one moment: it cannot say whether utilization swings. To know, record `nvidia-smi "
            "--query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw --format=csv -lms 500` during a "
            "run and give its output to `smianalyze report`."
        )
        return
    over = frames.once(OverTime)
    if not over.is_series:
        return
    gpus = frames.gpus
    if gpus["time"].isna().all():
        yield say(
            "How long anything took cannot be told, because the prints have no time: add `timestamp` to "
            "`--query-gpu`, or `-o DT` to `dmon`."
        )
    if gpus["utilization_gpu_pct"].isna().all():
        yield say(
            "Whether the cards were busy cannot be told, because no print has their utilization; with MIG the "
            "driver does not measure it."
        )
    if len(job_cards(over)) > 1 and gpus["power_draw_w"].isna().all():
        yield say(
            "Whether one rank waits for another cannot be told, because the prints have no power, and waiting "
            "counts as utilization: add `power.draw,power.limit` to `--query-gpu`."
        )


def _of_holders(frames: Frames) -> Iterator[str]:
    """Whose memory it is, where no input lists processes."""
    listed = len(frames.processes) > 0 or known_true(frames.snapshots["process_section"].ne("absent")).any()
    if not listed and known_true(frames.gpus["memory_used_mib"] >= HELD_MIB).any():
        yield say(
            "Who holds the memory cannot be told, because no process list was recorded: add the output of "
            "`nvidia-smi`, or of `nvidia-smi --query-compute-apps=gpu_uuid,pid,name,used_memory --format=csv`."
        )


def _of_the_log(frames: Frames) -> Iterator[str]:
    """Whether data is waited for, where a log tells no data time and no recording shows busy cards."""
    if frames.steps.empty or frames.steps["data_time_s"].notna().any():
        return
    over = frames.once(OverTime)
    if over.is_series and known_true(over.utilization["active_mean_pct"] >= BUSY_PCT).any():
        return
    yield say(
        "Whether the job waits for data cannot be told for sure, because its log prints no data time: print how "
        "long the program waits for each batch, beside the time of the step."
    )
