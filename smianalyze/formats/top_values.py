"""Cells of ``top`` to values: numbers with a decimal point or comma, sizes with and without a letter, CPU time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from smianalyze.formats.format import Row

STATES = frozenset("DRSTtIZXWKP")
_MIB = {"K": 2**-10, "M": 1.0, "G": 2.0**10, "T": 2.0**20, "P": 2.0**30, "E": 2.0**40}
_PARTS = ("load_1", "load_5", "load_15")


def amounts(cells: Mapping[str, str]) -> Row:
    """Values of a line of the summary; sizes have the unit of the line, or a letter of their own."""
    unit = cells.get("unit", "")
    row: Row = {}
    for name, text in cells.items():
        if name.endswith("_mib"):
            row[name] = _mib(text, unit)
        elif name.endswith("_pct") or name in _PARTS:
            row[name] = _decimal(text)
        elif name.startswith("tasks_"):
            row[name] = int(text)
    return row


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


def _mib(text: str, unit: str) -> float | None:
    """A size in MiB; None where it was cut (``+``), or has no unit."""
    letter = text[-1].upper() if text[-1].isalpha() else unit[:1]
    number = text.rstrip("kmgtpKMGTP")
    return None if "+" in text or letter not in _MIB else _decimal(number) * _MIB[letter]


def _size(kind: str, text: str) -> float | None:
    return _mib(text, "KiB") if kind in {"integer", "size"} and not text.startswith("-") else None


def _share(kind: str, text: str) -> float | None:
    return _decimal(text) if kind in {"integer", "decimal"} and not text.startswith("-") else None


def _count(kind: str, text: str) -> int | None:
    return int(text) if kind in {"pid", "integer"} else None


def _seconds(kind: str, text: str) -> float | None:
    """``312:11.42``: minutes, seconds and hundredths."""
    minutes, _, rest = text.partition(":")
    return int(minutes) * 60 + _decimal(rest) if kind == "clock" and ":" not in rest else None


def _state(kind: str, text: str) -> str | None:
    return text if text in STATES else None


def _text(kind: str, text: str) -> str | None:
    return text


def _priority(kind: str, text: str) -> str | None:
    return text if kind == "integer" or text == "rt" else None


# columns of rows; "" for those that only show whether a line is a row
COLUMNS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "PID": ("pid", _count),
    "PPID": ("parent_pid", _count),
    "USER": ("user", _text),
    "PR": ("", _priority),
    "NI": ("", _count),
    "VIRT": ("virtual_mib", _size),
    "RES": ("resident_mib", _size),
    "SHR": ("shared_mib", _size),
    "S": ("state", _state),
    "%CPU": ("cpu_pct", _share),
    "%MEM": ("mem_pct", _share),
    "TIME+": ("cpu_time_s", _seconds),
    "TIME": ("cpu_time_s", _seconds),
    "COMMAND": ("command", _text),
}
# long times lose their form: 15,23 and 410h are hours
_MAY_BE_UNKNOWN = frozenset({"TIME+", "TIME"})


def cell_value(name: str, kind: str, text: str) -> object:
    """Value of a cell under the name of a column; None where it cannot stand there."""
    return COLUMNS[name][1](kind, text) if name in COLUMNS else text


def row_values(names: Sequence[str], cells: Sequence[tuple[str, str]], line: str, *, is_open: bool) -> Row | None:
    """The columns of a row; None where the cells are not those of a row.

    Args:
        names: The columns; the last takes the rest of the line.
        cells: Kind and text of each word.
        line: The line; a command keeps the blanks that stand in it.
        is_open: The line may break off, so that its last value is unknown.
    """
    if len(cells) < len(names):
        return None
    row: Row = {}
    *firsts, last = names
    for name, (kind, text) in zip(firsts, cells, strict=False):
        value = cell_value(name, kind, text)
        if value is None and name not in _MAY_BE_UNKNOWN:
            return None
        if name in COLUMNS and COLUMNS[name][0]:
            row[COLUMNS[name][0]] = value
    if last != "COMMAND" and len(cells) > len(names):
        return None
    rest = line.split(maxsplit=len(firsts))[-1].rstrip() if last == "COMMAND" else cells[-1][1]
    if not is_open and last in COLUMNS:
        row[COLUMNS[last][0]] = cell_value(last, cells[len(firsts)][0], rest)
    return row
