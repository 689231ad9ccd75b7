"""What stands before a message in a log: its time, its rank, and whether the message is only quoted there."""

from __future__ import annotations

import re
from collections import deque
from datetime import datetime

from smianalyze.formats.format import Row
from smianalyze.formats.log_said import TIME, Figure, Moment, Printed, moment, values

MAX_LABEL = 200  # characters in front of a message that are looked at for its time and rank

_KERNEL_TIME = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2})(?: [A-Z]{3,4})? ([0-9]{4})"
)
# mmengine, detectron2, vLLM `05/06 23:57:02`; glog `I0303 07:00:10.25`, c10d `E817 05:12:33.1`; syslog; a clock;
# `03/08/2025 11:11:09`, of which nobody says whether the month is first
_SHORT_TIME = re.compile(
    r"(?<![0-9/:-])([0-9]{2}[/.][0-9]{2}[/.][0-9]{4},? [0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"|[0-9]{2}[/-][0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r"|(?<=[IWEF])[0-9]{3,4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)(?![0-9:])"
)
_RANK = re.compile(r"(?:rank|RANK|Rank|default)[ :=]{0,2}([0-9]{1,6})(?![0-9])")
_SRUN_RANK = re.compile(r"(?<![A-Za-z0-9_.:-])([0-9]{1,5}): ")
_MPI_RANK = re.compile(r"\[[0-9]{1,9},([0-9]{1,6})\]<std(?:out|err)>")
_NCCL_LABEL = re.compile(r"[^ :]{1,100}:([0-9]{1,9}):[0-9]{1,9} \[([0-9]{1,3})\]")
_COMMENTS = ("#", "//", "/*", "*", "--", ";", "<!--", "- ", "• ", "1. ")
_QUOTES = ("'", '"', "`", "(", "“")
_ENDS_OF_A_LABEL = ("Error", "Exception", "what()", "ERROR", "FATAL", "CRITICAL", "WARN", "]", "|", ")", ">", "E")


def labelled(prefix: str) -> Row:
    """``time`` and ``rank`` as the text before a message gives them; what it does not give is left out.

    Where a collector put its own time before the program's, the program's counts: it stands last. A time without a
    date, or without a year, is ``printed_time``.
    """
    return values(said_by_label(prefix))


def said_by_label(prefix: str) -> Row:
    """The same, as it is said: with the place of each."""
    label = prefix[:MAX_LABEL]
    row: Row = {}
    time = _full_time(label)
    if time is not None:
        row["time"] = time
    elif found := _last(_SHORT_TIME, label):
        row["printed_time"] = Printed(found.group(1), found.start(1))
    if rank := _last(_RANK, label) or _last(_MPI_RANK, label) or _last(_SRUN_RANK, label[:8]):
        row["rank"] = Figure(rank.group(1), rank.start(1))
    return row


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


def full_time(label: str) -> datetime | None:
    """The last time with a date and a year in a label; None where there is none."""
    time = _full_time(label)
    return time.value() if isinstance(time, Moment) else time


def _full_time(label: str) -> Moment | datetime | None:
    found = _last(TIME, label)
    if found:
        return Moment(found.group(), found.start()) if moment(found.group()) else None
    kernel = _KERNEL_TIME.search(label)
    try:
        return datetime.strptime(" ".join(kernel.groups()), "%b %d %H:%M:%S %Y") if kernel else None
    except ValueError:
        return None


def is_quoted(prefix: str) -> bool:
    """Whether a message behind this text is a comment, a list entry or a string in source code."""
    start, end = prefix.lstrip(), prefix.rstrip()
    return start.startswith(_COMMENTS) or (end.endswith(_QUOTES) and not start.startswith("{"))


def is_label(prefix: str) -> bool:
    """Whether only an exception's name, a rank or a logger's label stands before a message, and no prose."""
    words = prefix.rstrip(" :-").rsplit(" ", 1)
    is_rank = words[-1].isdigit() and prefix.rstrip().endswith(":")
    return not prefix.strip() or (not is_quoted(prefix) and (is_rank or words[-1].endswith(_ENDS_OF_A_LABEL)))


def nccl_label(prefix: str) -> Row:
    """``pid`` and ``gpu_index`` of ``node01:91523:91877 [3] include/alloc.h:317 NCCL WARN``."""
    match = _NCCL_LABEL.search(prefix[:MAX_LABEL])
    return {"pid": int(match[1]), "gpu_index": int(match[2])} if match else {}
