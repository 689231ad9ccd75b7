"""Ranks and loader processes that ended with an error, and what their exit code says."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.messages import evidence, numbers, of_kind, processes, says
from smianalyze.analyses.wording import named
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

SHELL = 128
"""A shell reports a process that signal N ended as 128 + N."""

SIGNALS = {
    4: text("it met an instruction that this processor does not have: a package was built for another one"),
    6: text("it ended itself after an internal check failed, mostly in CUDA or NCCL"),
    7: text("a page of shared memory could not be had (`/dev/shm` is full)"),
    8: text("it divided by zero"),
    9: text("it was killed from outside (by the kernel as memory ran out, by a scheduler, or by hand)"),
    11: text("it used memory that is not its own (a segmentation fault in compiled code)"),
    15: text("it was asked to end, mostly by its launcher as another rank had failed"),
}
ELSEWHERE = "Killed|Bus error"
"""Loader processes that end so ran out of host memory or of shared memory, which is said by findings of their
own."""

FIRST_ERROR = text(
    "Go up in the log from this line to the first traceback of that process: it names the file and the line."
)
BY_SIGNAL = {
    9: text(
        "Look into the kernel log (`dmesg -T | grep -i 'killed process'`): if it names this process, the host ran "
        "out of memory; otherwise somebody or a scheduler ended it."
    ),
    11: text("Run it again with `python -X faulthandler`, which prints the Python lines that led to the crash."),
    15: text("Look for another rank that ended before it: that one is the cause."),
}


def worker_failed(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log and exit code of its ranks, and one for its loader processes."""
    ranks = of_kind(frames.events, "worker_failed")
    loaders = of_kind(frames.events, "dataloader_worker_killed", "dataloader_worker_exited")
    loaders = loaders[~says(loaders, ELSEWHERE)]
    return [
        *(_rank(found) for _, found in ranks.groupby(["source", "exit_code"], dropna=False)),
        *(_loader(found) for _, found in loaders.groupby("source")),
    ]


def _rank(rows: pd.DataFrame) -> Finding:
    codes = numbers(rows, "exit_code")
    number = _signal(codes[0]) if codes else None
    return Finding(
        id="worker-failed",
        severity="high",
        title=say(
            "{who} ended with exit code {code}{meant}.",
            who=_who(rows),
            code=codes[0],
            meant=say(": {meaning}", meaning=say(SIGNALS[number])) if number in SIGNALS else "",
        )
        if codes
        else say("{who} failed.", who=_who(rows)),
        why=sentences(
            say(
                "Ranks are the processes of a job, one for each card. When one ends, its launcher ends the others "
                "too."
            ),
            say("It was ended by signal {signal}.", signal=number)
            if number
            else say("An exit code above 0 is an error of the program itself, and its text stands in the log."),
        ),
        next_step=say(BY_SIGNAL.get(number or 0, FIRST_ERROR)),
        evidence=evidence(rows),
        confidence="high" if codes else "medium",
    )


def _loader(rows: pd.DataFrame) -> Finding:
    crashed = says(rows, "Segmentation fault").any()
    one = text("A data loader process{pids} ended unexpectedly{crash}.")
    some = text("{number:,} data loader processes{pids} ended unexpectedly{crash}.")
    return Finding(
        id="worker-failed",
        severity="high",
        title=say(
            one if len(rows) == 1 else some,
            number=len(rows),
            pids=processes(rows),
            crash=say(" in a crash") if crashed else "",
        ),
        why=say(
            "The training process waits for the batches of its loader processes, so it ends with them. The "
            "message does not say why they ended: an error in the data set's code, a crash of a library, or no "
            "memory."
        ),
        next_step=say(
            "Run a few steps with `num_workers=0`: the error then comes up in the training process itself, "
            "with its traceback."
        ),
        evidence=evidence(rows),
    )


def _who(rows: pd.DataFrame) -> str:
    """The ranks by number, those of one host where that is all the message says."""
    for column, name in (("rank", text("Rank")), ("local_rank", text("Local rank"))):
        ranks = numbers(rows, column)
        if ranks and known_true(rows[column].notna()).all():
            return f"{named(say(name), ranks)}{processes(rows)}"
    return say("A rank") if len(rows) == 1 else say("{number:,} ranks", number=len(rows))


def _signal(code: int) -> int | None:
    """The signal behind an exit code; None where the process ended by itself."""
    if code < 0:
        return -code
    return code - SHELL if code - SHELL in SIGNALS else None
