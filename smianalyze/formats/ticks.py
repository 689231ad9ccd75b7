"""Rows of a monitor to ticks: what it printed at one moment is one snapshot."""

from __future__ import annotations

from datetime import datetime, timedelta

from smianalyze.formats.format import Reading, Row
from smianalyze.formats.monitor_lines import Printed

# a tick may straddle a second; monitors print at most once a second
MAX_SPREAD = timedelta(seconds=1)
_NO_DATE = "19000101"
_NO_TIME = "00:00:00"


class Ticks:
    """Adds rows and their snapshots to a reading."""

    def __init__(self, reading: Reading, frame: str, process_section: str) -> None:
        """Prepare.

        Args:
            reading: Gets the rows.
            frame: Frame that the rows go to.
            process_section: What the snapshots say of it, as long as there is no process in them.
        """
        self._reading = reading
        self._frame = frame
        self._process_section = process_section
        self._seen: set[tuple[int, int | None]] = set()
        self._index = -1
        self._at: datetime | None = None
        self._snapshot: Row = {}

    def end(self) -> None:
        """The next row begins a tick in any case."""
        self._snapshot = {}

    def add(self, line: Printed, index: int, pid: int | None, values: Row | None) -> None:
        """Add what a line says to its tick; without values it only says that the tick is there.

        A row begins a tick when the index falls, or is the same with another printed time, when the GPU (or its
        process) was there already, and when the printed time moves by more than a second.
        """
        at = _printed_time(line)
        if not self._snapshot or self._begins(index, pid, at):
            self._begin(line, at)
        self._seen.add((index, pid))
        self._index, self._at = index, at
        if values is not None:
            shared = {key: self._snapshot[key] for key in ("snapshot", "time", "printed_time")}
            self._reading.add(self._frame, {**values, **shared, "line": line.number})
        if pid is not None:
            self._snapshot["process_section"] = "listed"

    def _begins(self, index: int, pid: int | None, at: datetime | None) -> bool:
        if index < self._index or (index, pid) in self._seen:
            return True
        if at is None or self._at is None or at == self._at:
            return False
        return index == self._index or abs(at - self._at) > MAX_SPREAD

    def _begin(self, line: Printed, at: datetime | None) -> None:
        time = at if line.date and line.time_of_day else None
        self._seen = set()
        self._snapshot = {
            "snapshot": len(self._reading.rows.get("snapshots", ())),
            "time": time,
            "printed_time": None if time else f"{line.date} {line.time_of_day}".strip() or None,
            "process_section": self._process_section,
            "line": line.number,
        }
        self._reading.add("snapshots", self._snapshot)


def _printed_time(line: Printed) -> datetime | None:
    """Date and time of day as far as they are printed, for comparing; None where there is no such time."""
    if not line.date and not line.time_of_day:
        return None
    try:
        return datetime.fromisoformat(f"{line.date or _NO_DATE}T{line.time_of_day or _NO_TIME}")
    except ValueError:
        return None
