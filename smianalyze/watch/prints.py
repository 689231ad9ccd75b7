"""From screens to prints: each screen that shows another table than the one before is a print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from smianalyze.formats import FORMATS, Problem
from smianalyze.formats.format import Row
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.repair import Line, repaired_lines
from smianalyze.terminal.frames_of_screen import Screen
from smianalyze.terminal.screens import PaintedScreen
from smianalyze.watch.edges import CutPrints, is_cut_below, is_cut_right, is_rule, without_edges
from smianalyze.watch.header import WatchHeader, watch_header
from smianalyze.watch.lost_screens import MISSING_LINES, lacks_lines
from smianalyze.watch.table_changes import ChangingTable
from smianalyze.watch.times import Moment

MAX_ROWS_KNOWN = 20_000  # texts of rows of which it is known who may read them
_DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}")
_PLACE = ("line", "snapshot", "time")
"""What says where a row was read and when; all rows of a print have its time."""


@dataclass(frozen=True, slots=True)
class Print:
    """What one screen showed: rows by frame, and when, as far as it says."""

    rows: dict[str, list[Row]]
    moment: Moment

    def set_time(self, time: datetime | None, basis: str) -> None:
        """Say when it was printed, and how that is known."""
        for frame in OF_A_SNAPSHOT:
            for row in self.rows.get(frame, ()):
                row["time"] = time
        for row in self.rows.get("snapshots", ()):
            row["time_basis"] = basis


@dataclass(slots=True)
class ScreenPrints:
    """The screens of one input so far.

    Attributes:
        gathered: Which lines were used, by which formats, and what was damaged; the rows are in the prints.
        body: The screen before, without its header.
        is_whole: Whether it could be read as it stands, without repair.
        shown: What it showed.
        time: The time that it printed.
        table: What it showed, if it is a table that can be followed.
        cut_right: Whether the screen cut it at its right edge.
        count: Prints so far.
        cut: Prints that screens were too small for.
        damaged: Texts of lines that are already said to be damaged; they stay on the screen.
        recognised: Names of the formats that may read a text.
    """

    gathered: Gathered = field(default_factory=Gathered)
    body: Sequence[str] = ()
    is_whole: bool = False
    shown: Gathered = field(default_factory=Gathered)
    time: object = None
    table: ChangingTable | None = None
    cut_right: bool | None = None
    count: int = 0
    cut: CutPrints = field(default_factory=CutPrints)
    damaged: set[str] = field(default_factory=set)
    recognised: dict[str, Sequence[str]] = field(default_factory=dict)

    def read(self, painted: PaintedScreen) -> Print | None:
        """The print on a screen, if it is another one; its header is no part of what the command printed."""
        screen = painted.screen
        header = watch_header(screen.rows)
        body = screen.rows[header.rows :]
        found = None
        if body != self.body or screen.at_rest:
            changed = self._look(body, screen)
            if changed or (screen.at_rest and "snapshots" in self.shown.rows):
                found = self._print(painted, header)
            self.body = body
        if self.shown.used:
            self.gathered.used.update(painted.lines)
        return found

    def _look(self, body: Sequence[str], screen: Screen) -> bool:
        """See what the screen shows now, and whether it is something else than before."""
        was_whole, table = self.is_whole, self.table
        if table and was_whole and table.follow(body):
            return self._take_change(table)
        self.is_whole = all(map(_is_sound, body))
        streams = _streams(body, screen.width, is_whole=self.is_whole)
        if table and not was_whole and len(streams) == 1 and table.follow_repaired(streams[0]):
            return self._take_change(table)
        last, time = self.shown, self.time
        self.shown = found = self._found(streams)
        self.table = ChangingTable.of(streams[0], found) if len(streams) == 1 else None
        self.time = next((row.get("time") for row in found.rows.get("snapshots", ())), None)
        self.cut_right = is_cut_right(screen)
        if lacks_lines([line.text for lines in streams for line in lines]):
            found.notes.append(MISSING_LINES)
            found.rows["gpus"] = [row for row in found.rows.get("gpus", ()) if "gpu_index" in row]
        return self.time != time or not _says_the_same(found, last)

    def _take_change(self, table: ChangingTable) -> bool:
        has_changed, table.has_changed, self.time = table.has_changed, False, table.time
        return has_changed

    def _found(self, streams: Sequence[Sequence[Line]]) -> Gathered:
        """What the formats find; they see rows numbered through."""
        found = Gathered()
        names = {name for lines in streams for line in lines for name in self._recognised(line.text)}
        found.read_as([one for one in FORMATS if one.name in names], streams)
        return found

    def _recognised(self, text: str) -> Sequence[str]:
        """Names of the formats that may read this text; most rows stay on the screen for long."""
        names = self.recognised.get(text)
        if names is None:
            if len(self.recognised) >= MAX_ROWS_KNOWN:
                self.recognised.clear()
            names = self.recognised[text] = [one.name for one in FORMATS if one.recognises(text)]
        return names

    def _print(self, painted: PaintedScreen, header: WatchHeader) -> Print:
        """What is shown as rows of its own, all from one line of the input."""
        screen, shown, line = painted.screen, self.shown, painted.lines[-1]
        heads = shown.rows.get("snapshots", ())
        edges = [(self.cut_right, is_cut_below(screen, head["process_section"])) for head in heads]
        problems = shown.problems
        if any(right or below for right, below in edges):
            problems = without_edges(problems, screen, cut_right=bool(self.cut_right))
        place: Row = {"line": line, "snapshot": self.count, "host": header.host}
        rows = {
            frame: [{**row, **place} if frame in OF_A_SNAPSHOT else {**row, "line": line} for row in found]
            for frame, found in shown.rows.items()
        }
        if len(heads) > 1:
            for frame in OF_A_SNAPSHOT:
                for row, one in zip(rows.get(frame, ()), shown.rows.get(frame, ()), strict=True):
                    row["snapshot"] = self.count + int(str(one["snapshot"]))
        for head, (right, below) in zip(rows.get("snapshots", ()), edges, strict=True):
            head.update(screen_rows=screen.height, screen_columns=screen.width, damaged=bool(problems))
            head.update(cut_right=right, cut_bottom=below)
        if heads:
            self.cut.count(rows["snapshots"][-1], rows)
        self.count += len(heads)
        self._account([(name, problem._replace(line=line)) for name, problem in problems])
        time = self.time if isinstance(self.time, datetime) else header.time
        return Print(rows, Moment(time, painted.seconds))

    def _account(self, problems: Iterable[tuple[str, Problem]]) -> None:
        """Note which formats have read something, and the damage that was not yet there."""
        gathered = self.gathered
        gathered.names.extend(name for name in self.shown.names if name not in gathered.names)
        gathered.notes.extend(note for note in self.shown.notes if note not in gathered.notes)
        for name, problem in problems:
            if problem.text not in self.damaged:
                self.damaged.add(problem.text)
                gathered.problems.append((name, problem))


def _streams(rows: Sequence[str], width: int | None, *, is_whole: bool) -> Sequence[Sequence[Line]]:
    """The rows after repair, if they need it."""
    if is_whole:
        return [[Line(number, row, "") for number, row in enumerate(rows, 1)]]
    return repaired_lines(enumerate(_as_wrapped(rows, width), 1))


@lru_cache(maxsize=MAX_ROWS_KNOWN)
def _is_sound(row: str) -> bool:
    """Whether repair leaves the row alone whatever stands around it: a whole line of a table, a date, a blank."""
    if row.startswith(("+", "|")):
        return row.endswith(("+", "|")) and len(row) > 1 and repaired_lines([(1, row)]) == [[Line(1, row, "")]]
    return not row or _DATE.fullmatch(row) is not None


def _as_wrapped(rows: Sequence[str], width: int | None) -> list[str]:
    """The rows with all their blanks if lines are wrapped, so that a piece does not look like a whole line."""
    if width is None or not any(len(row) == width and is_rule(row) for row in rows):
        return list(rows)
    return [row if is_rule(row) else row.ljust(width) for row in rows]


def _says_the_same(found: Gathered, last: Gathered) -> bool:
    """Whether the formats found the same again: only something else on the screen has changed."""
    return found.rows.keys() == last.rows.keys() and all(
        len(rows) == len(last.rows[frame]) and all(map(_is_equal, rows, last.rows[frame]))
        for frame, rows in found.rows.items()
    )


def _is_equal(row: Row, other: Row) -> bool:
    return all(other.get(name) == value for name, value in row.items() if name not in _PLACE)
