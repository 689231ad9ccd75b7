"""A collective operation that was given up: a rank waited for the others until the watchdog of NCCL ended it."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import evidence, numbers, of_kind, times
from smianalyze.analyses.wording import named
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences

MS_PER_S = 1000


def nccl_timeout(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log in which a collective timed out."""
    rows = of_kind(frames.events, "nccl_timeout")
    return [_finding(found) for _, found in rows.groupby("source")]


def _finding(rows: pd.DataFrame) -> Finding:
    waited, ranks = numbers(rows, "timeout_ms"), numbers(rows, "rank")
    return Finding(
        id="nccl-timeout",
        severity="high",
        title=say(
            "A collective operation was given up{lasted}{times}: at least one rank never took part.",
            lasted=say(" after {seconds:,.0f} seconds", seconds=max(waited) / MS_PER_S) if waited else "",
            times=times(rows),
        ),
        why=sentences(
            say(
                "Ranks are the processes of a job, one for each card. In a collective operation all of them "
                "exchange their data, so each waits for the last one."
            ),
            say("{rank}, which says so, was waiting.", rank=named(say("Rank"), ranks)) if len(ranks) == 1 else "",
            say("The rank at fault is one that is silent here: it failed earlier, hung, or ran other code."),
        ),
        next_step=say(
            "Look for the first error of any rank before this line: that rank is the cause. If there is none, "
            "start again with `TORCH_DISTRIBUTED_DEBUG=DETAIL`, which names the rank and the operation."
        ),
        evidence=evidence(rows),
    )
