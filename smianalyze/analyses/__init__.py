"""The questions that are asked of every capture; each one is a pure function from frames to findings."""

from __future__ import annotations

from collections.abc import Callable

from smianalyze.analyses.batch_headroom import batch_headroom
from smianalyze.analyses.comparison import Comparison, compare_run
from smianalyze.analyses.cuda_error import cuda_error
from smianalyze.analyses.ecc_errors import ecc_errors
from smianalyze.analyses.host_memory import host_memory_killed
from smianalyze.analyses.loader_workers import loader_workers_mismatch
from smianalyze.analyses.lost_gpus import driver_mismatch, gpu_lost
from smianalyze.analyses.memory_accounting import explained_memory
from smianalyze.analyses.nan_loss import nan_loss
from smianalyze.analyses.nccl_error import nccl_error
from smianalyze.analyses.nccl_timeout import nccl_timeout
from smianalyze.analyses.out_of_memory import out_of_memory
from smianalyze.analyses.primary_overhead import primary_card_overhead
from smianalyze.analyses.rules import considered
from smianalyze.analyses.runtime_age import runtime_older_than_gpu
from smianalyze.analyses.series import seen_over_time
from smianalyze.analyses.shared_memory import shared_memory_full
from smianalyze.analyses.visible_gpus import visible_gpu_unused
from smianalyze.analyses.worker_failed import worker_failed
from smianalyze.analyses.xid import xid
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.progress import each

Analysis = Callable[[Frames, Comparison | None], list[Finding]]

ANALYSES: tuple[Analysis, ...] = (
    primary_card_overhead,
    explained_memory,
    gpu_lost,
    driver_mismatch,
    out_of_memory,
    visible_gpu_unused,
    seen_over_time,
    xid,
    ecc_errors,
    nccl_timeout,
    worker_failed,
    host_memory_killed,
    shared_memory_full,
    loader_workers_mismatch,
    nan_loss,
    runtime_older_than_gpu,
    batch_headroom,
    nccl_error,
    cuda_error,
)


def find(frames: Frames, comparison: Comparison | None = None) -> list[Finding]:
    """What all analyses say, with causes and without symptoms, the most severe first; empty for healthy data.

    Args:
        frames: A capture.
        comparison: Before and after; without one, what the capture itself shows (see :func:`compare_run`).
    """
    comparison = comparison or compare_run(frames)
    asked = each("findings", ANALYSES, unit="questions")
    return considered([finding for analysis in asked for finding in analysis(frames, comparison)])
