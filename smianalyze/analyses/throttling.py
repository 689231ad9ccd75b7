"""What held the clocks of each card: the bit mask of the driver, and the single reasons, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from smianalyze.analyses.active_span import ActiveSpans
from smianalyze.analyses.card_series import CardSeries, Course
from smianalyze.analyses.result_table import Row, table
from smianalyze.analyses.ticks import Floats


class Reason(NamedTuple):
    """A bit of the mask, nvidia-smi's name for it, and what it means."""

    bit: int
    name: str
    meaning: str


REASONS = (
    Reason(0x1, "gpu_idle", "nothing runs"),
    Reason(0x2, "applications_clocks_setting", "clocks are set by the user"),
    Reason(0x4, "sw_power_cap", "power is at its limit"),
    Reason(0x8, "hw_slowdown", "hardware slowdown: heat, power brake or a fast power rise"),
    Reason(0x10, "sync_boost", "clocks follow those of a group of GPUs"),
    Reason(0x20, "sw_thermal_slowdown", "temperature is at its limit"),
    Reason(0x40, "hw_thermal_slowdown", "hardware slowdown for heat"),
    Reason(0x80, "hw_power_brake_slowdown", "power brake from outside, such as the power supply"),
    Reason(0x100, "display_clocks_setting", "clocks are set by the display"),
    Reason(0x200, "board_limit", "a limit of the board"),
    Reason(0x400, "reliability", "voltage is at its limit"),
)
"""Bits of nvml.h, which only grows: older drivers know fewer of them."""

UNKNOWN_BIT = "unknown_{bit:#x}"
"""Name of a bit that is not listed; a newer driver may set one."""

MASK = "clocks_event_reasons_active"
SINGLE = "clocks_event_reasons_"
SPELLINGS = {"idle": "gpu_idle", "display_clock_setting": "display_clocks_setting"}
"""Names of ``-q`` that differ from those of ``--query-gpu`` and XML."""

THROTTLING = {
    "host": "string",
    "gpu_index": "Int64",
    "reason": "string",
    "meaning": "string",
    "samples": "Int64",
    "active_samples": "Int64",
    "share": "Float64",
    "active_share": "Float64",
    "first_time": "datetime64[us]",
    "source": "string",
    "line": "Int64",
}


def reasons_of(mask: str) -> tuple[Reason, ...] | None:
    """The reasons in a printed mask, such as ``0x0000000000000004``; None if it is no mask."""
    try:
        number = int(mask, 16)
    except ValueError:
        return None
    known = tuple(reason for reason in REASONS if number & reason.bit)
    rest = number & ~sum(reason.bit for reason in REASONS)
    bits = (1 << place for place in range(rest.bit_length()) if rest >> place & 1)
    return known + tuple(Reason(bit, UNKNOWN_BIT.format(bit=bit), "not known to this program") for bit in bits)


def throttling(series: CardSeries, spans: ActiveSpans) -> pd.DataFrame:
    """Which reasons held the clocks of each card, and for how many of its samples.

    Args:
        series: The cards of a capture.
        spans: Their active spans.

    Returns:
        One row a card and reason that was active at least once, by host, index and bit: host, gpu_index,
        reason (nvidia-smi's name), meaning, samples in which it was active and their share of those that tell;
        the same of the active span; first_time, source and line where it is first seen. A card that is not in
        it had none, or printed none.
    """
    found = [row for reason, told in told_reasons(series) for row in _rows(series, spans, reason, told)]
    rows = table(found, {**THROTTLING, "bit": "UInt64"})
    return rows.sort_values(["host", "gpu_index", "bit"], ignore_index=True).drop(columns="bit")


def told_reasons(series: CardSeries) -> Iterator[tuple[Reason, Floats]]:
    """For each reason what every row of ``series.gpus`` says of it: 1 active, 0 not, NaN nothing."""
    masks = series.gpus[MASK] if MASK in series.gpus else pd.Series(dtype="string")
    number, spelled = pd.factorize(masks)
    decoded = [reasons_of(str(mask)) for mask in spelled]
    seen = sorted({reason for reasons in decoded for reason in reasons or ()} | set(REASONS))
    for reason in seen:
        by_mask = [np.nan if reasons is None else float(reason in reasons) for reasons in decoded]
        told = np.r_[by_mask, np.nan][number] if len(number) else np.full(len(series.gpus), np.nan)
        yield reason, np.where(np.isnan(told), _single(series.gpus, reason.name), told)


def _single(gpus: pd.DataFrame, name: str) -> Floats:
    """What the columns of a single reason say, which ``-q``, XML and some CSV print in place of the mask."""
    said = np.full(len(gpus), np.nan)
    for spelling in (name, *(other for other, usual in SPELLINGS.items() if usual == name)):
        if SINGLE + spelling in gpus:
            words = gpus[SINGLE + spelling].astype("string")
            known = words.isin(["Active", "Not Active"]).to_numpy(bool)
            said = np.where(known, words.eq("Active").fillna(False).to_numpy(bool), said)
    return said


def _rows(series: CardSeries, spans: ActiveSpans, reason: Reason, told: Floats) -> Iterator[Row]:
    if not (told > 0).any():
        return
    for card, (course, span) in enumerate(zip(series.courses(told), spans.of_cards, strict=True)):
        held = course.where(course.values > 0)
        if not len(held.at):
            continue
        first = series.gpus.iloc[held.rows[0]]
        names = series.cards.iloc[card]
        active = course.within(span) if span else course.where(np.zeros(len(course.at), dtype=bool))
        yield {
            **reason._asdict(),
            "host": names["host"],
            "gpu_index": names["gpu_index"],
            "reason": reason.name,
            **_shares(course, ""),
            **_shares(active, "active_"),
            "first_time": first["time"],
            "source": first["source"],
            "line": first["line"],
        }


def _shares(course: Course, prefix: str) -> Row:
    share = float(course.values.mean()) if len(course.values) else None
    return {f"{prefix}samples": int(course.values.sum()), f"{prefix}share": share}
