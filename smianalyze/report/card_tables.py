"""The cards of a report and their processes as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from smianalyze import safe
from smianalyze.analyses.primary_card import Primary
from smianalyze.cards import Card, Process, Reading, records
from smianalyze.markup import ABSENT, table
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, Number, share, signed, span, whole

MOST_PROCESSES = 100
"""Rows of the process table; a shared server lists hundreds."""

SIZES_OF_ONE = ("memory, MiB",)
SIZES_OF_TWO = ("before, MiB", "after, MiB")
CHANGES = {
    "unchanged": "was there",
    "started": "started",
    "ended": "ended",
    "grown": "grew",
    "shrunk": "shrank",
    "unknown": "change not known",
    "present": "",
}


def card_table(shown: Sequence[Card], primary: Primary | None) -> str:
    """One row a card: memory, load, power, temperature, before and after where there are two snapshots."""
    two = any(card.state != "present" for card in shown)
    totals = {card.memory_total_mib for card in shown if _is_known(card.memory)}
    limits = {card.power_limit_w for card in shown if _is_known(card.power)}
    header = [
        "card",
        "memory before → after" if two else "memory used",
        *(["growth, MiB"] if two else []),
        _of("share", totals, "MiB"),
        "utilization",
        _of("power", limits, "W"),
        "temperature",
    ]
    return table(header, (_card_row(card, primary, one_limit=len(limits) == 1) for card in shown))


def process_table(listed: Sequence[Process], primary: Primary | None, *, masker: Masker) -> str:
    """One row a process and card, with what changed and the other cards that hold it too."""
    two = any(process.change != "present" for process in listed)
    rows = []
    for process in listed[:MOST_PROCESSES]:
        name = safe.cell(masker.process_name(process.name)) if process.name else UNKNOWN
        sizes = _sides(process) if two else [whole(process.memory.after)]
        note = ", ".join(filter(None, [CHANGES[process.change], _elsewhere(process, listed, primary)]))
        rows.append([_number(process.gpu_index), _number(process.pid), name, *sizes, note])
    left = len(listed) - MOST_PROCESSES
    more = f"\n\n{left:,} more are not shown." if left > 0 else ""
    return table(["card", "PID", "process", *(SIZES_OF_TWO if two else SIZES_OF_ONE), ""], rows) + more


def mig_table(devices: pd.DataFrame) -> str:
    """One row a MIG instance: its memory and its multiprocessors."""
    rows = [
        [
            *(_text(row[name]) for name in ("gpu_index", "gpu_instance_id", "compute_instance_id")),
            f"{_text(row['memory_used_mib'])} of {_text(row['memory_total_mib'])} MiB",
            _text(row["sm_count"]),
        ]
        for row in records(devices)
    ]
    return table(["card", "GPU instance", "compute instance", "memory used", "multiprocessors"], rows)


def _of(name: str, totals: set[Number | None] | set[int | None] | set[float | None], unit: str) -> str:
    """A header that names the total where all cards have the same."""
    known = [total for total in totals if total is not None]
    return f"{name} (of {span(known)} {unit})" if known and len(totals) == 1 else name


def _card_row(card: Card, primary: Primary | None, *, one_limit: bool) -> list[str]:
    standing_out = primary is not None and primary.gpu_index == card.gpu_index
    name = safe.cell(card.name) if card.name else UNKNOWN
    who = f"{_number(card.gpu_index)} {name}"
    growth = signed(card.memory.delta)
    limit = "" if one_limit else f" of {whole(card.power_limit_w)}"
    return [
        f"**{who} (primary)**" if standing_out else who,
        f"{_pair(card, card.memory)} MiB",
        *([f"**{growth}**" if standing_out else growth] if card.state != "present" else []),
        share(card.memory.after, card.memory_total_mib),
        f"{_pair(card, card.utilization)} %",
        f"{_pair(card, card.power)}{limit} W",
        f"{_pair(card, card.temperature)} °C",
    ]


def _is_known(reading: Reading) -> bool:
    return reading.before is not None or reading.after is not None


def _pair(card: Card, reading: Reading) -> str:
    if card.state == "present":
        return whole(reading.after)
    before = ABSENT if card.state == "appeared" else whole(reading.before)
    after = ABSENT if card.state == "vanished" else whole(reading.after)
    return f"{before} → {after}"


def _sides(process: Process) -> list[str]:
    before = ABSENT if process.change == "started" else whole(process.memory.before)
    after = ABSENT if process.change == "ended" else whole(process.memory.after)
    return [before, after]


def _elsewhere(process: Process, listed: Sequence[Process], primary: Primary | None) -> str:
    """The other cards that hold this process now; loud where that is what makes a card stand out."""
    others = [
        _number(other.gpu_index)
        for other in listed
        if other.pid == process.pid is not None
        and other.gpu_index != process.gpu_index
        and "ended" not in (other.change, process.change)
    ]
    if not others:
        return ""
    words = f"also on card {', '.join(others)}"
    extra = (
        primary is not None
        and primary.gpu_index == process.gpu_index
        and process.pid in dict(primary.extra_contexts)
    )
    return f"**{words}**" if extra else words


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else UNKNOWN
