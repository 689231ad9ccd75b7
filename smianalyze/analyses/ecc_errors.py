"""Memory of a card that lost data: errors that ECC found and could not repair, and repairs that wait or failed."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.matching import known_true, with_index
from smianalyze.analyses.messages import numbers
from smianalyze.analyses.wording import named, places
from smianalyze.findings import Finding, Severity
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.quantities import counted

UNCORRECTED = (
    *("ecc_errors", "ecc_errors_uncorrected_volatile_total", "ecc_double_bit"),
    *("ecc_errors_uncorrected_volatile_dram", "ecc_errors_uncorrected_volatile_device_memory"),
    *("ecc_errors_uncorrected_volatile_sram", "ecc_errors_uncorrected_volatile_sram_parity"),
    "ecc_errors_uncorrected_volatile_sram_secded",
)
"""Counters since the driver was loaded, of which each input prints some; the largest counts. Corrected errors cost
nothing, and those of the card's whole life (aggregate) have been repaired long ago."""

CARD = ["host", "gpu_index"]


class Flag(NamedTuple):
    """A field that reads Yes where the card needs care: what it means, and what to do."""

    columns: tuple[str, ...]
    severity: Severity
    title: str
    why: str
    next_step: str


FLAGS = (
    Flag(
        ("remapped_rows_failure", "ecc_errors_uncorrected_aggregate_sram_thresholdexceeded"),
        "high",
        text("{gpus}: bad memory cannot be replaced by spare memory any more."),
        text("Its spare rows are used up, or too many errors were counted; the next error hits a job."),
        text("Take no more jobs to {gpus} and ask the vendor for a replacement."),
    ),
    Flag(
        ("remapped_rows_pending", "retired_pages_pending"),
        "medium",
        text("{gpus}: a bad place of memory is still in use."),
        text("The spare one is taken only after a reset; until then the bad place may lose data again."),
        text("End the jobs on {gpus} and reset (`sudo nvidia-smi --gpu-reset -i NUMBER`), or reboot."),
    ),
)


def ecc_errors(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """Cards with uncorrected errors since their driver was loaded, and cards whose repair waits or has failed."""
    asked = [*UNCORRECTED, *chain.from_iterable(flag.columns for flag in FLAGS)]
    told = [name for name in asked if name in frames.gpus and frames.gpus[name].notna().any()]
    if not told:
        return []
    rows = with_index(frames.gpus[[*CARD, "pci_bus_id", "source", "line", *told]], frames)
    return [*_uncorrected(rows), *_flagged(rows)]


def _uncorrected(rows: pd.DataFrame) -> list[Finding]:
    """One finding for each card with errors; of several inputs about a card, the one that counts most."""
    errors = pd.Series(pd.NA, rows.index, dtype="Float64")
    for name in (name for name in UNCORRECTED if name in rows):
        counter = pd.to_numeric(rows[name], errors="coerce").astype("Float64")
        errors = errors.mask(known_true(errors.isna() | (counter > errors)), counter)
    if not (errors > 0).any():
        return []
    known = rows.assign(errors=errors).dropna(subset=["errors"])
    courses = [
        course for _, course in known.groupby(["source", *CARD], dropna=False) if course["errors"].max() > 0
    ]
    by_card: dict[tuple[str, ...], pd.DataFrame] = {}
    for course in sorted(courses, key=lambda course: -course["errors"].max()):
        by_card.setdefault(tuple(map(str, course[CARD].iloc[0])), course)
    return [_of_card(course) for course in by_card.values()]


def _of_card(course: pd.DataFrame) -> Finding:
    """The errors of a card, and how many of them came while it was recorded."""
    gpus = tuple(numbers(course, "gpu_index"))
    errors, first = course["errors"].max(), course["errors"].iloc[0]
    begun = course[course["errors"] > first].head(1)
    new = say(", {new:,.0f} of them during this recording", new=errors - first) if len(begun) else ""
    return Finding(
        id="ecc-errors",
        severity="high",
        title=say(
            "{gpu} lost data in its memory: {errors} since its driver was loaded{new}.",
            gpu=_cards(gpus),
            errors=counted(int(errors), "uncorrected error"),
            new=new,
        ),
        why=say(
            "ECC finds wrong bits in memory. Where it cannot repair them, the program that used them is ended, or "
            "its numbers are wrong. One error can happen to any card; more of them are a fault of the card."
        ),
        next_step=say(
            "End the jobs on it and reset it, so that spare memory takes the place of the bad one: "
            "`sudo nvidia-smi --gpu-reset -i {number}`, or reboot. If the number grows again, ask for a "
            "replacement.",
            number=gpus[0] if gpus else "NUMBER",
        ),
        gpus=gpus,
        evidence=places(pd.concat([course.head(1), begun, course.tail(1)])),
    )


def _flagged(rows: pd.DataFrame) -> list[Finding]:
    """One finding for each kind of flag, over the cards whose last print shows it."""
    found = []
    for flag in FLAGS:
        marked = [_marked(rows, name) for name in flag.columns if name in rows]
        if sum(map(len, marked)):
            found.append(_care(flag, pd.concat(marked).drop_duplicates(CARD)))
    return found


def _marked(rows: pd.DataFrame, flag: str) -> pd.DataFrame:
    """The last row of each card that says something of a flag, if it says Yes."""
    last = rows.dropna(subset=[flag]).drop_duplicates(CARD, keep="last")
    return last[last[flag].eq("Yes")]


def _care(flag: Flag, rows: pd.DataFrame) -> Finding:
    gpus = tuple(numbers(rows, "gpu_index"))
    return Finding(
        id="ecc-errors",
        severity=flag.severity,
        title=say(flag.title, gpus=_cards(gpus)),
        why=say(flag.why),
        next_step=say(flag.next_step, gpus=_cards(gpus)),
        gpus=gpus,
        evidence=places(rows),
    )


def _cards(gpus: tuple[int, ...]) -> str:
    return named("GPU", gpus) if gpus else say("A GPU")
