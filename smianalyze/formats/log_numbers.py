"""Numbers of training logs: text and unit to a value in the unit that the name of a column ends in.

Frameworks print MB and GB and mean MiB and GiB: they divide by 1024.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import NamedTuple

Number = int | float

MAX_INTEGER_DIGITS = 18  # a longer one does not fit into a column of 64 bits

NUMBER = re.compile(
    r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]++)?|[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?"
)
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})++(?![0-9,])")
CLOCK = re.compile(r"(?:([0-9]{1,9}) days?, {0,4})?(?:([0-9]{1,9}):)?([0-9]{1,4}):([0-9]{2}(?:\.[0-9]{1,9})?)")
PARTS = re.compile(r"([0-9]{1,9})([dhms])")
SECONDS_OF_A_PART = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}

# times and over, as decimals: 662.21 ms are 0.66221 s to the last digit
_SECONDS = {
    "": (1, 1),
    "s": (1, 1),
    "sec": (1, 1),
    "secs": (1, 1),
    "second": (1, 1),
    "seconds": (1, 1),
    "ms": (1, 1000),
    "us": (1, 1_000_000),
    "µs": (1, 1_000_000),
    "m": (60, 1),
    "min": (60, 1),
    "h": (3600, 1),
}
_MIB = {"": (1, 1), "m": (1, 1), "g": (1024, 1), "k": (1, 1024), "b": (1, 1024 * 1024), "t": (1024 * 1024, 1)}
_GIB = {"": (1, 1), "g": (1, 1), "m": (1, 1024), "k": (1, 1024 * 1024), "t": (1024, 1)}
_SI = {"k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000, "B": 1_000_000_000}


def number(text: str) -> Number | None:
    """A number as printed; thousands may be set off by commas. None of ``0,53``, whose comma is a decimal one."""
    if "," in text and not _THOUSANDS.match(text):
        return None
    plain = text.replace(",", "")
    if plain.lstrip("+-").isdigit():
        return int(plain) if len(plain) <= MAX_INTEGER_DIGITS else None
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def seconds(text: str) -> float | None:
    """``1 day, 9:08:14``, ``04:48``, ``1h 47m 59s``, ``36s`` in seconds."""
    clock = CLOCK.fullmatch(text.strip())
    if clock:
        days, hours, minutes, rest = clock.groups()
        return int(days or 0) * 86400 + int(hours or 0) * 3600 + int(minutes) * 60 + float(rest)
    parts = PARTS.findall(text)
    if parts and not PARTS.sub("", text).strip():
        return float(sum(int(count) * SECONDS_OF_A_PART[unit] for count, unit in parts))
    return None


class Scale(NamedTuple):
    """From the unit of a printed number to that of its column.

    Attributes:
        times: Decimal factor, and
        over: what it is divided by: 662.21 ms are 0.66221 s to the last digit.
        factor: Of ``k`` and ``M``.
        is_share: Whether percent become a share of 1.
    """

    times: int = 1
    over: int = 1
    factor: int = 1
    is_share: bool = False

    @staticmethod
    def si(letter: str) -> Scale:
        """That of a counter in thousands, millions; of another letter none."""
        return Scale(factor=_SI.get(letter, 1))

    def of(self, value: Number) -> Number:
        """The value in the unit of the column."""
        if self.times != self.over:
            return float(Decimal(str(value)) * self.times / self.over)
        return value / 100 if self.is_share else value * self.factor


AS_PRINTED = Scale()


def scale_to(column: str, unit: str) -> Scale | None:
    """From a printed unit to that of a column; None where the unit is not known there.

    Args:
        column: Its name, whose end says the unit.
        unit: The unit as printed; "" stands for the unit that the column has.
    """
    if column.endswith("_s") and not column.endswith("_per_s"):
        return _decimal(_SECONDS.get(unit.split("/", maxsplit=1)[0].strip(".")))
    if column.endswith(("_mib", "_gib")):
        letter = unit.lower()
        known = letter in {"", "b"} or letter[1:] in {"", "b", "ib"}
        factors = _MIB if column.endswith("_mib") else _GIB
        return _decimal(factors.get(letter[:1])) if known else None
    if column == "mfu" and unit.startswith("%"):
        return Scale(is_share=True)
    return Scale.si(unit)


def _decimal(factor: tuple[int, int] | None) -> Scale | None:
    return None if factor is None else Scale(*factor)


def in_unit_of(column: str, value: Number, unit: str) -> Number | None:
    """The value in the unit of a column; None where the printed unit is not known there."""
    scale = scale_to(column, unit)
    return None if scale is None else scale.of(value)
