"""One input through all formats: its rows, its problems, and where every one of its lines went."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from smianalyze.blocks import BLOCK_READERS, READING, NoBlocks, read_blocks
from smianalyze.decode import lines_of
from smianalyze.errors import UnreadableInput
from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.format import Problem, Row, Told
from smianalyze.frame_parts import Part, joined, narrow, part_of, repeated
from smianalyze.frames import Frames
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.impossible import without_impossible
from smianalyze.line_states import counted_lines
from smianalyze.log_reading import read_log
from smianalyze.offsets import Cells
from smianalyze.repair import repaired_lines
from smianalyze.repeats import repeats
from smianalyze.source import Source, Text
from smianalyze.terminal.containers import recording
from smianalyze.terminal.recordings import text_blocks
from smianalyze.terminal.screens import holds_screens
from smianalyze.terminal.timing_files import timing_beside, timing_lines
from smianalyze.watch.lost_screens import why_nothing
from smianalyze.watch.rows import read_recording

MAX_PROBLEM_TEXT = 200  # characters of a line that are kept in the problems frame
STEPS = "steps"  # many formats read some of the same log: they are put in the order of their lines
OF_A_HOST = ("hosts", "host_processes")


@dataclass(slots=True)
class Found:
    """What inputs hold: rows of each frame, and more of them as columns; snapshots are numbered in their order."""

    rows: dict[str, list[Row]]
    parts: dict[str, Part] = field(default_factory=dict)

    @property
    def snapshots(self) -> int:
        """How many there are."""
        return len(self.rows.get("snapshots", ())) + (
            self.parts["snapshots"].count if "snapshots" in self.parts else 0
        )

    def of_snapshots(self) -> list[Part]:
        """The parts whose rows belong to a snapshot."""
        return [part for frame, part in self.parts.items() if frame in OF_A_SNAPSHOT]

    def all_rows(self) -> dict[str, list[Row]]:
        """All as rows."""
        rows = {frame: [*found] for frame, found in self.rows.items()}
        for frame, part in self.parts.items():
            rows.setdefault(frame, []).extend(part.rows(0, part.count))
            if frame in OF_A_SNAPSHOT:
                rows[frame].sort(key=_number)
        return rows


def read_inputs(
    sources: Iterable[Source | Text],
    *,
    host: str | None = None,
    csv_columns: tuple[str, ...] | None = None,
    compact: bool = False,
) -> Frames:
    """The frames of all inputs; see :func:`read_all` and :meth:`Frames.from_rows`."""
    found = read_all(sources, host=host, csv_columns=csv_columns)
    return Frames.from_rows(found.rows, found.parts, compact=compact)


def read_rows(
    sources: Iterable[Source | Text], *, host: str | None = None, csv_columns: tuple[str, ...] | None = None
) -> dict[str, list[Row]]:
    """The rows of each frame from all inputs; see :func:`read_all`."""
    return read_all(sources, host=host, csv_columns=csv_columns).all_rows()


def read_all(
    sources: Iterable[Source | Text],
    *,
    host: str | None = None,
    csv_columns: tuple[str, ...] | None = None,
    in_blocks: bool = True,
) -> Found:
    """All that the inputs hold, snapshots numbered through.

    Args:
        sources: What :mod:`smianalyze.source` opened, or texts.
        host: Name of the host for inputs that do not say theirs.
        csv_columns: Fields in order, for CSV rows that no header names.
        in_blocks: Whether whole prints are read many at once, which gives the same and is quicker.
    """
    rows: dict[str, list[Row]] = {}
    parts: dict[str, list[Part]] = {}
    first = 0
    for source in sources:
        read = _read_source(source, csv_columns, in_blocks=in_blocks)
        for frame, row in ((frame, row) for frame, found in read.rows.items() for row in found):
            if frame in OF_A_SNAPSHOT:
                row.update(snapshot=_number(row) + first, host=host or row.get("host"))
            elif frame in OF_A_HOST:
                row["host"] = host
            rows.setdefault(frame, []).append(row)
        for frame, part in read.parts.items():
            if frame in OF_A_SNAPSHOT:
                place(part, first, host)
            parts.setdefault(frame, []).append(part)
        first += read.snapshots
    return _without_repeats(Found(rows, {frame: joined(found) for frame, found in parts.items()}))


def place(part: Part, first: int, host: str | None) -> None:
    """Let the snapshots of a part begin at a number, on a host if it is known."""
    part.columns["snapshot"] = Cells(narrow(part.integers("snapshot") + first))
    if host or "host" not in part.columns:
        part.columns["host"] = repeated(host, part.count)


def _read_source(source: Source | Text, csv_columns: tuple[str, ...] | None, *, in_blocks: bool) -> Found:
    if isinstance(source, Text):
        return read_text(source, csv_columns, in_blocks=in_blocks)
    try:
        return read_text(source.read(), csv_columns, in_blocks=in_blocks)
    except UnreadableInput as error:
        name = source.name
        return Found(
            {
                "problems": [{"source": name, "what": str(error)}],
                "inputs": [
                    {
                        "source": name,
                        "lines": 0,
                        "used": 0,
                        "ignored": 0,
                        "problem_lines": 0,
                        "note": str(error),
                    }
                ],
            }
        )


def read_text(text: Text, csv_columns: tuple[str, ...] | None = None, *, in_blocks: bool = True) -> Found:
    """Everything that the formats find in a text."""
    with READING:
        return _all_in(text, csv_columns, in_blocks=in_blocks)


def _all_in(text: Text, csv_columns: tuple[str, ...] | None, *, in_blocks: bool) -> Found:
    gathered = Gathered(notes=list(text.notes))
    blocks = BlockReading(csv_columns=csv_columns, size=text.bytes)
    told = Told(text.decoded.open_end, csv_columns)
    if holds_screens(text.decoded):
        pieces = blocks.passed_over(text.decoded.pieces())
        recorded = recording(text_blocks(pieces), _timing_of(text))
        read_recording(recorded, gathered, told)
    else:
        read_blocks(text.decoded.blocks(), blocks, readers=BLOCK_READERS if in_blocks else (NoBlocks,))
        if not blocks.is_given_up:
            read_left(blocks, gathered, told)
        if blocks.is_given_up:
            blocks, gathered = BlockReading(csv_columns=csv_columns), Gathered(notes=list(text.notes))
            read_blocks(text.decoded.blocks(), blocks, readers=(NoBlocks,))
            read_left(blocks, gathered, told)
    if not gathered.names:
        gathered.notes.extend(why_nothing(line for piece in text.decoded.pieces() for line in lines_of(piece)))
    found = Found(gathered.rows, {frame: joined(parts) for frame, parts in blocks.parts.items()})
    _number_snapshots(found)
    names = "+".join(gathered.names)
    gathered.problems.extend((names, one) for one in without_impossible(found.rows, found.parts))
    rows = found.rows
    if steps := rows.pop(STEPS, []):
        others = [found.parts[STEPS]] if STEPS in found.parts else []
        found.parts[STEPS] = joined([*others, part_of(STEPS, steps)]).sorted_by("line")
    rows["problems"] = problem_rows(gathered.problems)
    for row in (row for part in rows.values() for row in part):
        row["source"] = text.source
    for part in found.parts.values():
        part.columns["source"] = repeated(text.source, part.count)
    rows["inputs"] = [accounts(text, gathered, blocks)]
    return found


def problem_rows(problems: Iterable[tuple[str, Problem]]) -> list[Row]:
    """What could not be read, in the order of the lines."""
    return [
        {"format": name, "line": problem.line, "what": problem.what, "text": problem.text[:MAX_PROBLEM_TEXT]}
        for name, problem in sorted(problems, key=lambda pair: pair[1].line)
    ]


def _timing_of(text: Text) -> Iterator[str] | None:
    first_line = lines_of(next(text.decoded.pieces()))[:1]
    timing = text.timing or timing_beside(text.source, "".join(first_line))
    return timing_lines(timing) if timing else None


def read_left(blocks: BlockReading, gathered: Gathered, told: Told) -> None:
    """Read the lines that are left one by one."""
    if blocks.log:
        read_log(blocks, blocks.log, gathered, told)
        return
    left = blocks.left
    ends_open = told.open_end and bool(left) and left[-1][0] == blocks.lines
    gathered.names.extend(blocks.names)
    gathered.used |= blocks.dates
    gathered.problems.extend(blocks.problems)
    gathered.notes.extend(blocks.notes)
    about = told._replace(open_end=ends_open, at_once=tuple(blocks.names), already=blocks.already)
    gathered.read(repaired_lines(left), about)


def _number(row: Row) -> int:
    return int(str(row["snapshot"]))


def _number_snapshots(found: Found) -> None:
    """Number the snapshots of several streams and formats in the order in which they begin."""
    heads = found.rows.get("snapshots", [])
    lines = [np.array([int(str(row["line"])) for row in heads], np.int64)]
    if "snapshots" in found.parts:
        lines.append(found.parts["snapshots"].integers("line"))
    number = np.argsort(np.argsort(np.concatenate(lines), kind="stable"))
    numbers = {row["snapshot"]: int(number[place]) for place, row in enumerate(heads)}
    for frame in OF_A_SNAPSHOT:
        rows = found.rows.get(frame, [])
        for row in rows:
            row["snapshot"] = numbers[row["snapshot"]]
        rows.sort(key=_number)
    for part in found.of_snapshots():
        part.columns["snapshot"] = Cells(narrow(number[len(heads) :][part.integers("snapshot")]))


def accounts(text: Text, gathered: Gathered, blocks: BlockReading) -> Row:
    """Where the lines went."""
    broken = {problem.line for _, problem in gathered.problems}
    states = np.concatenate([np.zeros(0, np.uint8), *blocks.states])
    counts = counted_lines(states, gathered.used, broken)
    return {
        "source": text.source,
        "format": "+".join(gathered.names) or None,
        "encoding": text.decoded.encoding,
        "bytes": text.bytes,
        "lines": blocks.lines,
        **counts._asdict(),
        "note": " ".join(gathered.notes) or None,
    }


def _without_repeats(found: Found) -> Found:
    """Leave out the snapshots that say nothing new, and number the others through."""
    dropped = repeats(found.rows, found.parts)
    if not dropped:
        return found
    for frame in OF_A_SNAPSHOT:
        rows = [row for row in found.rows.get(frame, ()) if row["snapshot"] not in dropped]
        for row in rows:
            row["snapshot"] = _number(row) - bisect(dropped, _number(row))
        found.rows[frame] = rows
    for part in found.of_snapshots():
        part.keep(~np.isin(part.integers("snapshot"), dropped))
        numbers = part.integers("snapshot")
        part.columns["snapshot"] = Cells(numbers - np.searchsorted(dropped, numbers))
    return found
