"""What nvidia-smi and a training print of made-up cards: each card is given by its courses in time.

The courses are on a grid of ``GRID_S``; a recording samples them as the driver does, which averages utilization
and power over the time before a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

START = datetime(2026, 11, 30, 19, 0, 0)
GRID_S = 0.1
AVERAGED_S = 0.5
TOTAL_MIB = 81559
LIMIT_W = 700
FULL_MHZ = 1980
IDLE_W = 75.0
NOTHING, POWER, HEAT = "0x0000000000000000", "0x0000000000000004", "0x0000000000000040"

CSV_FIELDS = (
    "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
    "power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_event_reasons.active"
)
DMON_HEAD = (
    "#Date       Time        gpu    pwr  gtemp     sm    mem   mclk   pclk  pviol  tviol     fb",
    "#YYYYMMDD   HH:MM:SS    Idx      W      C      %      %    MHz    MHz      %   bool     MB",
)
RULE = "+-----------------------------------------+------------------------+----------------------+"
TABLE_HEAD = (
    "+-----------------------------------------------------------------------------------------+",
    "| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |",
    RULE,
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    RULE.replace("-", "=").replace("+=", "|=").replace("=+", "=|"),
)


@dataclass(frozen=True)
class Card:
    """The courses of one card, all on the same grid; ``held`` is where ``reason`` holds the clocks."""

    percent: Floats
    mib: Floats
    watts: Floats
    held: Floats
    reason: str = NOTHING
    mhz_held: int = 1200
    mig: bool = False


def work(percent: Floats, mib: Floats, *, full_w: float = 600.0) -> Card:
    """A card whose power follows its utilization."""
    return Card(percent, mib, IDLE_W + (full_w - IDLE_W) * percent / 100, np.zeros(len(percent)))


def grid(seconds: float) -> Floats:
    """The places of the grid, in seconds."""
    return np.arange(0, seconds, GRID_S)


def recording(cards: Sequence[Card], *, style: str, step_s: float) -> str:
    """What nvidia-smi prints of the cards each ``step_s`` seconds, as ``csv``, ``table`` or ``dmon``."""
    write = {"csv": _csv, "table": _table, "dmon": _dmon}[style]
    size = len(cards[0].percent)
    picked = range(0, size, round(step_s / GRID_S))
    head = {"csv": [CSV_FIELDS], "table": [], "dmon": DMON_HEAD}[style]
    return "\n".join([*head, *(line for place in picked for line in write(cards, place)), ""])


def imagenet_log(records: Sequence[tuple[float, float, float]], *, mib: Sequence[float] | None = None) -> str:
    """The log of a training: seconds from the start, step time and data time of each record, with averages."""
    lines, steps, waits = [], 0.0, 0.0
    for number, (at, step_s, data_s) in enumerate(records):
        steps, waits = steps + step_s, waits + data_s
        memory = 6616 if mib is None else mib[number]
        count = number + 1
        lines.append(
            f"{_stamp(at, ',')} [rank0] INFO Epoch: [0][{number:4d}/9000]\t"
            f"Time {step_s:6.3f} ({steps / count:6.3f})\t"
            f"Data {data_s:6.3f} ({waits / count:6.3f})\tLoss 6.9e+00 (6.9e+00)\tMem {memory:.0f}MB"
        )
    return "\n".join([*lines, ""])


def rank_log(ranks: int, times: Sequence[float]) -> str:
    """The log of a job in which each rank prints its steps."""
    lines = [
        f"[{START + timedelta(seconds=round(at)):%Y-%m-%d %H:%M:%S}] rank {rank} step {20 * number} "
        "iter_time 0.1000s mem 288MiB"
        for number, at in enumerate(times, start=1)
        for rank in range(ranks)
    ]
    return "\n".join([*lines, ""])


def _csv(cards: Sequence[Card], place: int) -> list[str]:
    return [
        f"{_stamp(place * GRID_S + 0.02 * index, '.', '/')}, {index}, NVIDIA H100 80GB HBM3, "
        f"{'[N/A]' if card.mig else f'{_averaged(card.percent, place):.0f} %'}, {card.mib[place]:.0f} MiB, "
        f"{TOTAL_MIB} MiB, {_averaged(card.watts, place):.2f} W, {LIMIT_W}.00 W, {_celsius(card, place)}, "
        f"{_mhz(card, place)} MHz, {FULL_MHZ} MHz, {card.reason if card.held[place] else NOTHING}"
        for index, card in enumerate(cards)
    ]


def _table(cards: Sequence[Card], place: int) -> list[str]:
    lines = [f"{START + timedelta(seconds=int(place * GRID_S)):%a %b %d %H:%M:%S %Y}       ", *TABLE_HEAD]
    for index, card in enumerate(cards):
        use = "    N/A" if card.mig else f"{_averaged(card.percent, place):6.0f}%"
        mig = "Enabled" if card.mig else "Disabled"
        lines += [
            f"|   {index}  NVIDIA H100 80GB HBM3          On  |   00000000:{16 + index:02X}:00.0 Off |        "
            "            0 |",
            f"| N/A   {_celsius(card, place)}C    P0            {_averaged(card.watts, place):3.0f}W "
            f"/  {LIMIT_W}W |   {card.mib[place]:5.0f}MiB /  {TOTAL_MIB}MiB | {use}      Default |",
            f"|                                         |                        |{mig:>21} |",
            RULE,
        ]
    return [*lines, ""]


def _dmon(cards: Sequence[Card], place: int) -> list[str]:
    time = START + timedelta(seconds=int(place * GRID_S))
    return [
        f" {time:%Y%m%d   %H:%M:%S} {index:6d} {_averaged(card.watts, place):6.0f} {_celsius(card, place):6d} "
        f"{_averaged(card.percent, place):6.0f}      5   2619 {_mhz(card, place):6d} "
        f"{100 * (card.held[place] and card.reason == POWER):6.0f} "
        f"{card.held[place] and card.reason == HEAT:6.0f} {card.mib[place]:6.0f}"
        for index, card in enumerate(cards)
    ]


def _averaged(course: Floats, place: int) -> float:
    """What the driver says at a place: the mean of the time before it."""
    return float(course[max(0, place - round(AVERAGED_S / GRID_S) + 1) : place + 1].mean())


def _celsius(card: Card, place: int) -> int:
    return 88 if card.reason == HEAT and card.held[place] else 35 + round(card.watts[place] / 30)


def _mhz(card: Card, place: int) -> int:
    return card.mhz_held if card.held[place] else FULL_MHZ


def _stamp(seconds: float, point: str, dash: str = "-") -> str:
    time = START + timedelta(seconds=round(seconds, 3))
    return f"{time:%Y{dash}%m{dash}%d %H:%M:%S}{point}{time.microsecond // 1000:03d}"
