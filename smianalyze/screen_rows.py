"""From screens to rows: each screen that shows another table than the one before is a print.

What a screen is too small for was not seen: such prints are marked, and nothing is concluded from what they lack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from smianalyze.formats import FORMATS, Problem
from smianalyze.formats.format import Row, Told
from smianalyze.frames_of_screen import Screen
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.recordings import Recording
from smianalyze.repair import Line, repaired_lines
from smianalyze.screen_times import Moment, screen_times
from smianalyze.screens import PaintedScreen, PlainLine, split_screens
from smianalyze.watch_header import WatchHeader, watch_header

MAX_ROWS_KNOWN = 20_000  # texts of rows of which it is known who may read them
_RULE = set("-=+|")
_DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}")
_SHOWS_PROCESSES = ("listed", "none_found", "not_supported", "empty")
_PLACE = ("line", "snapshot")


def read_recording(recorded: Recording, gathered: Gathered, told: Told) -> None:
    """Add what the formats find in a recording: in its plain lines and on its screens."""
    lines: list[tuple[int, str]] = []
    screens = Gathered()
    reader = _ScreenRows(screens)
    is_plain = False
    for part in split_screens(recorded):
        is_plain = isinstance(part, PlainLine)
        if isinstance(part, PlainLine):
            lines.append(part)
        else:
            reader.read(part)
    reader.finish()
    gathered.read(repaired_lines(lines), told._replace(open_end=told.open_end and is_plain))
    gathered.add(screens)


@dataclass(slots=True)
class _ScreenRows:
    """The screens of one input so far.

    Attributes:
        gathered: What the input holds.
        body: The screen before, without its header.
        last: What it showed.
        damaged: Texts of lines that are already said to be damaged; they stay on the screen.
        moments: When each print was made, as far as it says.
        prints: The rows of each print.
        cut: How many screens of a size were cut below which GPU.
        recognised: Names of the formats that may read a text.
    """

    gathered: Gathered
    body: Sequence[str] = ()
    last: Gathered = field(default_factory=Gathered)
    damaged: set[str] = field(default_factory=set)
    moments: list[Moment] = field(default_factory=list)
    prints: list[list[Row]] = field(default_factory=list)
    cut: Counter[tuple[object, ...]] = field(default_factory=Counter)
    recognised: dict[str, Sequence[str]] = field(default_factory=dict)

    def read(self, painted: PaintedScreen) -> None:
        """One screen; its header is no part of what the command printed."""
        header = watch_header(painted.screen.rows)
        body = painted.screen.rows[header.rows :]
        if body != self.body or painted.screen.at_rest:
            found = self._found(body, painted)
            is_print = painted.screen.at_rest and "snapshots" in found.rows
            if is_print or not _says_the_same(found, self.last):
                self._add(found, painted, header)
            self.body, self.last = body, found
        if self.last.used:
            self.gathered.used.update(painted.lines)

    def _found(self, body: Sequence[str], painted: PaintedScreen) -> Gathered:
        """What the formats find; they see rows numbered through, and all stands on one line of the input."""
        found = Gathered()
        streams = _streams(body, painted.screen.width)
        names = {name for lines in streams for line in lines for name in self._recognised(line.text)}
        found.read_as([one for one in FORMATS if one.name in names], streams)
        number = painted.lines[-1]
        for row in (row for rows in found.rows.values() for row in rows):
            row["line"] = number
        found.problems = [(name, problem._replace(line=number)) for name, problem in found.problems]
        found.used = {number} if found.used else set()
        return found

    def _recognised(self, text: str) -> Sequence[str]:
        """Names of the formats that may read this text; most rows stay on the screen for long."""
        names = self.recognised.get(text)
        if names is None:
            if len(self.recognised) >= MAX_ROWS_KNOWN:
                self.recognised.clear()
            names = self.recognised[text] = [one.name for one in FORMATS if one.recognises(text)]
        return names

    def finish(self) -> None:
        """Set the times of all prints, and say what was not visible."""
        for rows, (time, basis) in zip(self.prints, screen_times(self.moments), strict=True):
            for row in rows:
                row["time"] = time
            for row in rows:
                if "process_section" in row:
                    row["time_basis"] = basis
        self.gathered.notes.extend(_cut_notes(self.cut))

    def _add(self, found: Gathered, painted: PaintedScreen, header: WatchHeader) -> None:
        snapshots = found.rows.get("snapshots", [])
        for row in snapshots:
            _mark(row, painted.screen)
        if any(row["cut_right"] or row["cut_bottom"] for row in snapshots):
            found.problems = _without_edges(found.problems, painted.screen)
        for row in snapshots:
            row["host"] = header.host
            row["damaged"] = bool(found.problems)
        if snapshots:
            printed = snapshots[0].get("time")
            time = printed if isinstance(printed, datetime) else header.time
            self.moments.append(Moment(time, painted.seconds))
            self.prints.append([row for frame in OF_A_SNAPSHOT for row in found.rows.get(frame, ())])
            self._count_cut(snapshots[-1], found)
        found.problems = list(self._new_problems(found))
        self.gathered.add(found)

    def _new_problems(self, found: Gathered) -> Iterator[tuple[str, Problem]]:
        for name, problem in found.problems:
            if problem.text not in self.damaged:
                self.damaged.add(problem.text)
                yield name, problem

    def _count_cut(self, head: Row, found: Gathered) -> None:
        if head["cut_bottom"] or head["cut_right"]:
            indexes = [row.get("gpu_index") for row in found.rows.get("gpus", ())]
            gpu = max((index for index in indexes if isinstance(index, int)), default=None)
            below = gpu if head["process_section"] == "absent" else None
            self.cut[head["screen_rows"], head["screen_columns"], head["cut_right"], below] += 1


def _streams(rows: Sequence[str], width: int | None) -> Sequence[Sequence[Line]]:
    """The rows after repair; most screens need none, and whether a row needs any is known from the last screen."""
    if all(map(_is_sound, rows)):
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
    if width is None or not any(len(row) == width and _is_rule(row) for row in rows):
        return list(rows)
    return [row if _is_rule(row) else row.ljust(width) for row in rows]


def _is_rule(row: str) -> bool:
    return bool(row) and not set(row) - _RULE


def _says_the_same(found: Gathered, last: Gathered) -> bool:
    """Whether the formats found the same again: only something else on the screen has changed."""
    return found.rows.keys() == last.rows.keys() and all(
        len(rows) == len(last.rows[frame]) and all(map(_is_equal, rows, last.rows[frame]))
        for frame, rows in found.rows.items()
    )


def _is_equal(row: Row, other: Row) -> bool:
    return all(other.get(name) == value for name, value in row.items() if name not in _PLACE)


def _mark(head: Row, screen: Screen) -> None:
    """Say how large the screen was, and at which edges it cuts the table."""
    head["screen_rows"], head["screen_columns"] = screen.height, screen.width
    head["cut_right"] = _is_cut_right(screen)
    head["cut_bottom"] = _is_cut_below(screen, shows_processes=head["process_section"] in _SHOWS_PROCESSES)


def _is_cut_right(screen: Screen) -> bool | None:
    """Whether a rule runs into the right edge and does not go on in the next row."""
    if screen.width is None:
        return None
    for row, following in pairwise([*screen.rows, ""]):
        if len(row) == screen.width and _is_rule(row) and not row.endswith(("+", "|")) and not _is_rule(following):
            return len(screen.rows) != screen.height or row != screen.rows[-1]
    return False


def _is_cut_below(screen: Screen, *, shows_processes: bool) -> bool | None:
    """Whether the last row of the screen is used, and no rule closes the process box."""
    if screen.height is None:
        return None
    if len(screen.rows) < screen.height:
        return False
    last = next((row for row in reversed(screen.rows) if _is_rule(row) or row[:1] in "+|"), "|")
    return not (shows_processes and _is_rule(last))


def _without_edges(problems: list[tuple[str, Problem]], screen: Screen) -> list[tuple[str, Problem]]:
    """Problems without the lines that break off at the edges of the screen."""
    last = screen.rows[-1] if screen.rows else ""
    return [
        (name, problem)
        for name, problem in problems
        if problem.text.rstrip() != last and len(problem.text.rstrip()) != screen.width
    ]


def _cut_notes(cut: Counter[tuple[object, ...]]) -> Iterator[str]:
    for (rows, columns, right, gpu), count in sorted(cut.items(), key=str):
        unseen = "processes" if gpu is None else f"GPUs after {gpu} and processes"
        edge = "right edge" if right else "bottom"
        yield f"Prints cut at the {edge} of a screen of {rows} x {columns}: {count}; {unseen} there were not seen."
