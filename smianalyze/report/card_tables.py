"""The cards of a report and their processes as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence, Set

import pandas as pd

from smianalyze import safe
from smianalyze.analyses.primary_card import Primary
from smianalyze.cards import Card, Process, Reading, records
from smianalyze.language import say, text
from smianalyze.markup import ABSENT, table
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, Number, share, signed, whole

MOST_PROCESSES = 100
"""Rows of the process table; a shared server lists hundreds."""

SIZES_OF_ONE = (text("memory, MiB"),)
SIZES_OF_TWO = (text("before, MiB"), text("after, MiB"))
SHARE, SHARE_OF = text("share"), text("share (of {total} MiB)")
POWER, POWER_OF = text("power"), text("power (of {total} W)")
CHANGES = {
    "unchanged": text("was there"),
    "started": text("started"),
    "ended": text("ended"),
    "grown": text("grew"),
    "shrunk": text("shrank"),
    "unknown": text("change not known"),
    "present": "",
}


def card_table(shown: Sequence[Card], primary: Primary | None) -> str:
    """One row a card: memory, load, power, temperature, before and after where there are two snapshots."""
    two = any(card.state != "present" for card in shown)
    totals = {card.memory_total_mib for card in shown if _is_known(card.memory)}
    limits = {card.power_limit_w for card in shown if _is_known(card.power)}
    header = [
        say("card"),
        say("memory before → after" if two else "memory used"),
        *([say("growth, MiB")] if two else []),
        say(SHARE) if (total := _one(totals)) is None else say(SHARE_OF, total=whole(total)),
        say("utilization"),
        say(POWER) if (limit := _one(limits)) is None else say(POWER_OF, total=whole(limit)),
        say("temperature"),
    ]
    return table(header, (_card_row(card, primary, one_limit=len(limits) == 1) for card in shown))


def process_table(listed: Sequence[Process], primary: Primary | None, *, masker: Masker) -> str:
    """One row a process and card, with what changed and the other cards that hold it too."""
    two = any(process.change != "present" for process in listed)
    rows = []
    for process in listed[:MOST_PROCESSES]:
        name = safe.cell(masker.process_name(process.name)) if process.name else UNKNOWN
        sizes = _sides(process) if two else [whole(process.memory.after)]
        note = _note(process, listed, primary)
        rows.append([_number(process.gpu_index), _number(process.pid), name, *sizes, note])
    left = len(listed) - MOST_PROCESSES
    more = "\n\n" + say("{left:,} more are not shown.", left=left) if left > 0 else ""
    header = [say("card"), "PID", say("process"), *map(say, SIZES_OF_TWO if two else SIZES_OF_ONE), ""]
    return table(header, rows) + more


def mig_table(devices: pd.DataFrame) -> str:
    """One row a MIG instance: its memory and its multiprocessors."""
    rows = [
        [
            *(_whole(row[name]) for name in ("gpu_index", "gpu_instance_id", "compute_instance_id")),
            say(
                "{used} of {total} MiB",
                used=_whole(row["memory_used_mib"]),
                total=_whole(row["memory_total_mib"]),
            ),
            _whole(row["sm_count"]),
        ]
        for row in records(devices)
    ]
    header = (
        say("card"),
        say("GPU instance"),
        say("compute instance"),
        say("memory used"),
        say("multiprocessors"),
    )
    return table(header, rows)


def _one(totals: Set[Number | None]) -> Number | None:
    """The total of all cards where they have the same."""
    return next(iter(totals)) if len(totals) == 1 else None


def _card_row(card: Card, primary: Primary | None, *, one_limit: bool) -> list[str]:
    standing_out = primary is not None and primary.gpu_index == card.gpu_index
    name = safe.cell(card.name) if card.name else UNKNOWN
    who = f"{_number(card.gpu_index)} {name}"
    growth = signed(card.memory.delta)
    watts = _pair(card, card.power)
    if not one_limit:
        watts = say("{watts} of {limit}", watts=watts, limit=whole(card.power_limit_w))
    return [
        say("**{who} (primary)**", who=who) if standing_out else who,
        f"{_pair(card, card.memory)} MiB",
        *([f"**{growth}**" if standing_out else growth] if card.state != "present" else []),
        share(card.memory.after, card.memory_total_mib),
        f"{_pair(card, card.utilization)} %",
        f"{watts} W",
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


def _note(process: Process, listed: Sequence[Process], primary: Primary | None) -> str:
    """What changed, and on which other cards it is."""
    change, elsewhere = CHANGES[process.change], _elsewhere(process, listed, primary)
    if change and elsewhere:
        return say("{change}, {elsewhere}", change=say(change), elsewhere=elsewhere)
    return say(change) if change else elsewhere


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
    words = say("also on card {others}", others=say(", ").join(others))
    extra = (
        primary is not None
        and primary.gpu_index == process.gpu_index
        and process.pid in dict(primary.extra_contexts)
    )
    return f"**{words}**" if extra else words


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _whole(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else UNKNOWN
