"""A recording of a terminal to rows: what its screens show, and the lines between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice

from smianalyze.formats.format import Told
from smianalyze.gathered import Gathered
from smianalyze.repair import repaired_lines
from smianalyze.terminal.recordings import Recording
from smianalyze.terminal.screens import PlainLine, split_screens
from smianalyze.watch.prints import Print, ScreenPrints
from smianalyze.watch.times import recorded_times, spread_times

MAX_PRINTS = 1_000  # of one printed second that wait until its last one is known; nvidia-smi cannot make as many


@dataclass(slots=True)
class RecordedPrints:
    """The prints of a recording, one after the other: none is held once the next one is there, or the next second.

    Attributes:
        recorded: The recording; it can be read once.
        lines: The plain lines so far.
        ends_plain: Whether the last thing in it so far is a plain line.
        screens: The screens so far.
    """

    recorded: Recording
    lines: list[PlainLine] = field(default_factory=list)
    ends_plain: bool = False
    screens: ScreenPrints = field(default_factory=ScreenPrints)

    def __iter__(self) -> Iterator[Print]:
        """The prints with their times, as far as they are printed."""
        for _, group in groupby(self._prints(), key=lambda one: one.moment.printed):
            while batch := list(islice(group, MAX_PRINTS)):
                for one, (time, basis) in zip(
                    batch, spread_times(batch[0].moment.printed, len(batch)), strict=True
                ):
                    one.set_time(time, basis)
                    yield one

    def _prints(self) -> Iterator[Print]:
        for part in split_screens(self.recorded):
            self.ends_plain = isinstance(part, PlainLine)
            if isinstance(part, PlainLine):
                self.lines.append(part)
            elif found := self.screens.read(part):
                yield found


def read_recording(recorded: Recording, gathered: Gathered, told: Told) -> None:
    """Add what the formats find in a recording: in its plain lines and on its screens."""
    prints = RecordedPrints(recorded)
    found = list(prints)
    for one, time in zip(found, recorded_times([one.moment for one in found]), strict=False):
        one.set_time(time, "recorded")
    screens = prints.screens.gathered
    for one in found:
        for frame, rows in one.rows.items():
            screens.rows.setdefault(frame, []).extend(rows)
    screens.notes.extend(prints.screens.cut.notes())
    gathered.read(repaired_lines(prints.lines), told._replace(open_end=told.open_end and prints.ends_plain))
    gathered.add(screens)
