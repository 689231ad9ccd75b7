"""The part of a report about training logs: what their records say, and how they lie on a recording."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from smianalyze import safe
from smianalyze.analyses.data_time import data_time
from smianalyze.analyses.log_alignment import log_alignments
from smianalyze.analyses.over_time import OverTime
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text
from smianalyze.markup import legend, table
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, share, whole

MOST_LOGS = 12
"""Logs in the table; the frame has all."""
THROUGHPUT = {
    "samples_per_s": text("samples/s"),
    "tokens_per_s": text("tokens/s"),
    "steps_per_s": text("steps/s"),
}
COUNTERS = ("global_step", "step", "epoch")
MEMORY = ("gpu_mem_mib", "gpu_mem_max_mib", "gpu_mem_reserved_mib", "gpu_mem_active_mib")

MOST_MIB = 1e9
"""No card has so much; a number beyond is damage."""


def training_logs(frames: Frames, masker: Masker) -> list[str]:
    """The blocks of the section; none where no log has a record of a step.

    Args:
        frames: Of a capture.
        masker: Names the logs.
    """
    logs = list(frames.steps.groupby("source", sort=False))
    if not logs:
        return []
    columns = [column for column in COLUMNS if any(COLUMNS[column](rows) != UNKNOWN for _, rows in logs)]
    rows = (
        [safe.cell(masker.source(str(source))), *(COLUMNS[column](rows) for column in columns)]
        for source, rows in logs[:MOST_LOGS]
    )
    shown = table([say("log"), *map(say, columns)], rows)
    left = len(logs) - MOST_LOGS
    more = [say("{left:,} more logs are in the frame `steps`.", left=left)] if left > 0 else []
    return [say("## Training logs"), shown, *filter(None, [legend(shown), *more, _placed(frames, masker)])]


def _placed(frames: Frames, masker: Masker) -> str:
    """How the logs lie on the recording; nothing of those that print its clock, as one expects."""
    over = frames.once(OverTime)
    if not over.is_series:
        return ""
    found = [one for one in log_alignments(over) if one.basis != "clock"]
    placed = ((safe.code(masker.source(one.source)), one.sentence()) for one in found[:MOST_LOGS])
    return sentences(*(say("{log}: {place}.", log=log, place=place) for log, place in placed))


def _format(rows: pd.DataFrame) -> str:
    return ", ".join(safe.cell(str(name)) for name in rows["format"].dropna().unique())


def _records(rows: pd.DataFrame) -> str:
    ranks = rows["rank"].nunique()
    count = len(rows)
    return say("{count:,} of {ranks:,} ranks", count=count, ranks=ranks) if ranks > 1 else f"{count:,}"


def _counter(rows: pd.DataFrame) -> str:
    for column in COUNTERS:
        known = rows[column].dropna()
        if len(known):
            first, last = known.iloc[[0, -1]]
            name = column.removeprefix("global_")
            return say("{name} {first:,.4g} to {last:,.4g}", name=name, first=first, last=last)
    return UNKNOWN


def _loss(rows: pd.DataFrame) -> str:
    known = rows["loss"].dropna()
    return f"{known.iloc[0]:,.4g} → {known.iloc[-1]:,.4g}" if len(known) else UNKNOWN


def _rate(rows: pd.DataFrame) -> str:
    known = rows["lr"].dropna()
    return f"{known.iloc[0]:,.3g} → {known.iloc[-1]:,.3g}" if len(known) else UNKNOWN


def _step_time(rows: pd.DataFrame) -> str:
    known = rows["step_time_s"].dropna()
    return f"{known.median():,.3g} s" if len(known) else UNKNOWN


def _waiting(rows: pd.DataFrame) -> str:
    found = data_time(rows)
    return share(found.share, 1) if found else UNKNOWN


def _throughput(rows: pd.DataFrame) -> str:
    medians = ((rows[column].dropna().median(), say(unit)) for column, unit in THROUGHPUT.items())
    return next((f"{value:,.4g} {unit}" for value, unit in medians if pd.notna(value)), UNKNOWN)


def _memory(rows: pd.DataFrame) -> str:
    peaks = (rows[column].dropna().max() for column in MEMORY)
    return next((f"{whole(float(peak))} MiB" for peak in peaks if pd.notna(peak) and peak < MOST_MIB), UNKNOWN)


def _times(rows: pd.DataFrame) -> str:
    known: pd.Series = rows["time"].dropna()
    if known.empty:
        return UNKNOWN
    return say("{first:%Y-%m-%d %H:%M:%S} to {last:%H:%M:%S}", first=known.min(), last=known.max())


COLUMNS: dict[str, Callable[[pd.DataFrame], str]] = {
    text("format"): _format,
    text("records"): _records,
    text("counter"): _counter,
    text("time"): _times,
    text("loss"): _loss,
    text("learning rate"): _rate,
    text("median time of a step"): _step_time,
    text("waits for data"): _waiting,
    text("median throughput"): _throughput,
    text("most GPU memory"): _memory,
}
"""What is said of each log; a column that none of them knows is left out."""
