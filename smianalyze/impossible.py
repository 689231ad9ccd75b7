"""Values that cannot be, such as a negative memory: they are unknown, and their line is a problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smianalyze.columns import FRAMES
from smianalyze.formats.format import Problem, Row
from smianalyze.frame_parts import Part, flags
from smianalyze.shapes import Flags

OF_CARDS = ("gpus", "processes", "mig_devices", "vgpus")

MOST_MIB = 2**24
"""16 TiB: no card has a tenth of it; drivers print 17592186044415 MiB for what they do not know."""

MOST_W = 10_000
COLDEST_C, HOTTEST_C = -100, 250
MOST_PCT = 100
NO_LIMIT = float("inf")

FIRST, LAST = datetime(1970, 1, 1), datetime(2200, 1, 1)
"""A host whose clock was lost begins in 1970; a damaged year may be any, and pictures end in 2262."""

TIMED = ("snapshots", *OF_CARDS, "hosts", "host_processes", "steps", "events")

_BY_UNIT = {
    "_mib": (0, MOST_MIB),
    "_w": (0, MOST_W),
    "_c": (COLDEST_C, HOTTEST_C),
    "_pct": (0, MOST_PCT),
}
_HOST_SHARES = (
    "cpu_user_pct",
    "cpu_system_pct",
    "cpu_nice_pct",
    "cpu_idle_pct",
    "cpu_iowait_pct",
    "cpu_steal_pct",
)
_OF_STEPS = (
    *("step_time_s", "data_time_s", "steps_per_s", "samples_per_s", "tokens_per_s"),
    *("gpu_mem_mib", "gpu_mem_reserved_mib"),
)
Bounds = Mapping[str, tuple[float, float]]
Fault = tuple[int, str, str]


class Pair(NamedTuple):
    """A column whose value cannot be above that of another one; if it is, nobody knows which one is wrong."""

    part: str
    whole: str


PAIRS = (Pair("memory_used_mib", "memory_total_mib"), Pair("memory_free_mib", "memory_total_mib"))


def _bounds_of(frame: str) -> Bounds:
    """The least and the most that the numbers of a frame of cards can be."""
    numbers = [column.name for column in FRAMES[frame] if column.dtype in ("Int64", "Float64")]
    units = {name: next((unit for unit in _BY_UNIT if name.endswith(unit)), "") for name in numbers}
    bounds = {name: _BY_UNIT.get(unit, (0, NO_LIMIT)) for name, unit in units.items()}
    # nvidia-smi says of a fan that it may be above what the maker intends
    return bounds | ({"fan_speed_pct": (0, NO_LIMIT)} if "fan_speed_pct" in bounds else {})


BOUNDS: Mapping[str, Bounds] = {
    **{frame: _bounds_of(frame) for frame in OF_CARDS},
    "hosts": dict.fromkeys(_HOST_SHARES, (0, MOST_PCT)),
    "host_processes": {"mem_pct": (0, MOST_PCT)},
    "steps": dict.fromkeys(_OF_STEPS, (0, NO_LIMIT)),
}


def without_impossible(rows: Mapping[str, Sequence[Row]], parts: Mapping[str, Part]) -> list[Problem]:
    """Make values unknown that cannot be; the problems are those of their lines.

    Args:
        rows: Rows by frame; they are changed in place.
        parts: Rows as columns; so are they.
    """
    found = [fault for frame, bounds in BOUNDS.items() for fault in _of_rows(rows.get(frame, ()), bounds)]
    found += [fault for frame, part in parts.items() for fault in _of_part(part, BOUNDS.get(frame, {}))]
    found += [fault for frame in TIMED for fault in _of_times(rows.get(frame, ()), parts.get(frame))]
    return [
        Problem(line, f"{name} cannot be {value}; it is unknown", value)
        for line, name, value in dict.fromkeys(found)
    ]


def _of_rows(rows: Sequence[Row], bounds: Bounds) -> Iterator[Fault]:
    for row in rows:
        for name, (least, most) in bounds.items():
            value = row.get(name)
            if isinstance(value, int | float) and not least <= value <= most:
                row[name] = None
                yield int(str(row["line"])), name, f"{value}"
        for pair in PAIRS:
            size, whole = (row.get(name) for name in pair)
            if isinstance(size, int) and isinstance(whole, int) and size > whole:
                row.update(dict.fromkeys(pair))
                yield int(str(row["line"])), pair.part, f"{size} of {whole}"


def _of_part(part: Part, bounds: Bounds) -> Iterator[Fault]:
    for name in bounds:
        if name in part.columns:
            numbers = _numbers(part, name)
            yield from _made_unknown(part, (numbers < bounds[name][0]) | (numbers > bounds[name][1]), (name,))
    for pair in PAIRS:
        if set(pair) <= part.columns.keys() & bounds.keys():
            size, whole = (_numbers(part, name) for name in pair)
            yield from _made_unknown(part, size > whole, pair)


def _of_times(rows: Sequence[Row], part: Part | None) -> Iterator[Fault]:
    for row in rows:
        time = row.get("time")
        if isinstance(time, datetime) and not FIRST <= time.replace(tzinfo=None) < LAST:
            row["time"] = None
            yield int(str(row["line"])), "time", f"{time}"
    if part is not None and "time" in part.columns:
        times = np.asarray(part.columns["time"].values, "datetime64[us]")
        wrong = (times < np.datetime64(FIRST)) | (times >= np.datetime64(LAST))
        yield from _made_unknown(part, wrong & flags(part.columns["time"], part.count), ("time",))


def _numbers(part: Part, name: str) -> NDArray[np.float64]:
    """A column as decimals; what is unknown is nan, which is neither less nor more than anything."""
    values, known = part.columns[name].values, flags(part.columns[name], part.count)
    return np.where(known, values, np.nan).astype(np.float64)


def _said(value: np.generic) -> str:
    return str(value.item()) if isinstance(value, np.datetime64) else str(value)


def _made_unknown(part: Part, wrong: Flags, names: Sequence[str]) -> Iterator[Fault]:
    for place in np.flatnonzero(wrong).tolist():
        said = " of ".join(_said(part.columns[name].values[place]) for name in names)
        yield int(part.integers("line")[place]), names[0], said
    if wrong.any():
        for name in names:
            cells = part.columns[name]
            part.columns[name] = cells._replace(known=flags(cells, part.count) & ~wrong)
