"""A value as ``-q`` and ``-q -x`` print it, to the column and value that the other prints give it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from smianalyze.columns import Column
from smianalyze.fields import column_for, known_unit, unit_suffix

MEMO_VALUES = 20_000  # in a loop most values repeat; text of ever new values must not fill the memory

_FAILED = {"ERR!", "Unknown Error", "GPU is lost"}
_UNKNOWN = _FAILED | {
    *("N/A", "Unknown", "Not Supported", "Not Found", "Not Available", "Insufficient Permissions"),
    *("GPU requires reset", "Requested functionality has been deprecated", "Not available in WDDM driver model"),
}
_QUANTITY = re.compile(
    r"(-?[0-9]{1,15}(?:\.[0-9]{1,6})?)(?: ?(%|x|C|W|MiB|MB|MHz|us|ms|sec|mV|KB/s|MB/s|GB/s|bank\(s\)))?"
)
_UNITS = {"x": "", "bank(s)": "", "sec": "s", "MB": "MiB"}  # drivers before 331 print MB and mean MiB
_ON_OFF = {"Enabled": "On", "Disabled": "Off"}
_MODE = {"Enabled": "Enabled", "Disabled": "Disabled"}
_COMPUTE_MODE = {
    "Default": "Default",
    "Prohibited": "Prohibited",
    "Exclusive_Process": "E. Process",
    "Exclusive_Thread": "E. Thread",
}
_WORDS = {
    "persistence_mode": _ON_OFF,
    "display_active": _ON_OFF,
    "compute_mode": _COMPUTE_MODE,
    "type": {word: word for word in ("C", "G", "C+G", "M+C")},
    **dict.fromkeys(("mig_mode_current", "mig_mode_pending", "ecc_mode_current", "ecc_mode_pending"), _MODE),
}
"""The words that a column may have, and those of the plain table for them; any other word is damage."""

_REASON = {"Active": "Active", "Not Active": "Not Active"}
_REASON_COLUMN = "clocks_event_reasons_"


class Value(NamedTuple):
    """What a text says: the column and its value, None if unknown; ``damaged`` if it should say more."""

    column: str
    value: int | float | str | None
    damaged: bool = False


def is_unknown(text: str) -> bool:
    """Whether nvidia-smi says here that it does not know."""
    return text.strip("[]") in _UNKNOWN


def is_failed(text: str) -> bool:
    """Whether the card did not answer."""
    return text.strip("[]") in _FAILED


def is_complete(text: str) -> bool:
    """Whether the text cannot have lost its end: it closes with a unit or says that there is no value."""
    quantity = _QUANTITY.fullmatch(text)
    has_unit = quantity is not None and quantity[2] is not None and not text.startswith("0x")
    return has_unit or is_unknown(text) or text == "None"


@lru_cache(MEMO_VALUES)
def field_value(name: str, text: str) -> Value:
    """What the text says of a field.

    Args:
        name: As ``--query-gpu`` has it, or in its manner.
        text: The value as printed, with its unit; "" where it was lost.
    """
    column = column_for(name)
    if column.dtype != "object":
        return typed(column, known_unit(name), text)
    number, unit = _number_and_unit(text)
    if number is not None:
        return Value(column_for(name, unit).name, number)
    return Value(column.name, None if is_unknown(text) else text or None, not text)


def typed(column: Column, unit: str, text: str) -> Value:
    """What the text says of a column that holds numbers of this unit (as a suffix), or words."""
    if is_unknown(text):
        return Value(column.name, None)
    if column.dtype == "string":
        return _word(column.name, text)
    number, printed = _number_and_unit(text)
    if column.dtype == "Float64" and number is not None:
        number = float(number)
    fits = (
        number is not None
        and unit_suffix(printed) == unit
        and (column.dtype == "Float64") == isinstance(number, float)
    )
    return Value(column.name, number if fits else None, not fits)


def _word(column: str, text: str) -> Value:
    words = _REASON if column.startswith(_REASON_COLUMN) else _WORDS.get(column)
    word = words.get(text) if words else text or None
    return Value(column, word, word is None)


def _number_and_unit(text: str) -> tuple[int | float | None, str]:
    """The number of a quantity and its unit; no number where the text is none, such as a serial number."""
    quantity = _QUANTITY.fullmatch(text)
    if not quantity or (quantity[1].startswith("0") and quantity[1][1:].isdigit()):
        return None, ""
    number, unit = quantity.groups(default="")
    return float(number) if "." in number else int(number), _UNITS.get(unit, unit)
