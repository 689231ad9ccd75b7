"""One input through all formats: its rows, its problems, and where every one of its lines went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from smianalyze.containers import recording
from smianalyze.errors import UnreadableInput
from smianalyze.formats.format import Row, Told
from smianalyze.frames import Frames
from smianalyze.gathered import OF_A_SNAPSHOT, Gathered
from smianalyze.lost_screens import why_nothing
from smianalyze.recordings import text_blocks
from smianalyze.repair import repaired
from smianalyze.screen_rows import read_recording
from smianalyze.screens import holds_screens
from smianalyze.source import Source, Text
from smianalyze.timing_files import timing_beside, timing_lines

MAX_PROBLEM_TEXT = 200  # characters of a line that are kept in the problems frame
OF_A_HOST = ("hosts", "host_processes")
_PLACE = ("line", "source", "snapshot", "time")
_HEAD = ("smi_version", "driver_version", "time")


@dataclass(slots=True)
class InputRows:
    """Rows of each frame from one input; snapshots are numbered from 0 in the order of their lines."""

    rows: dict[str, list[Row]]


def read_inputs(
    sources: Iterable[Source | Text], *, host: str | None = None, csv_columns: tuple[str, ...] | None = None
) -> Frames:
    """The frames of all inputs; see :func:`read_rows`."""
    return Frames.from_rows(read_rows(sources, host=host, csv_columns=csv_columns))


def read_rows(
    sources: Iterable[Source | Text], *, host: str | None = None, csv_columns: tuple[str, ...] | None = None
) -> dict[str, list[Row]]:
    """The rows of each frame from all inputs, snapshots numbered through.

    Args:
        sources: What :mod:`smianalyze.source` opened, or texts.
        host: Name of the host for inputs that do not say theirs.
        csv_columns: Fields in order, for CSV rows that no header names.
    """
    rows: dict[str, list[Row]] = {}
    for source in sources:
        read = _read_source(source, csv_columns)
        first = len(rows.get("snapshots", ()))
        for frame, row in ((frame, row) for frame, found in read.rows.items() for row in found):
            if frame in OF_A_SNAPSHOT:
                row.update(snapshot=_number(row) + first, host=host or row.get("host"))
            elif frame in OF_A_HOST:
                row["host"] = host
            rows.setdefault(frame, []).append(row)
    return _without_repeats(rows)


def _read_source(source: Source | Text, csv_columns: tuple[str, ...] | None) -> InputRows:
    if isinstance(source, Text):
        return read_text(source, csv_columns)
    try:
        return read_text(source.read(), csv_columns)
    except UnreadableInput as error:
        name = source.name
        return InputRows(
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


def read_text(text: Text, csv_columns: tuple[str, ...] | None = None) -> InputRows:
    """Everything that the formats find in a text."""
    found = Gathered(notes=list(text.notes))
    told = Told(text.open_end, csv_columns)
    if holds_screens(text.lines):
        timing = text.timing or timing_beside(text.source, text.lines[0])
        recorded = recording(text_blocks(text.lines), timing_lines(timing) if timing else None)
        read_recording(recorded, found, told)
    else:
        found.read(repaired(text.lines), told)
    if not found.names:
        found.notes.extend(why_nothing(text.lines))
    rows = found.rows
    _number_snapshots(rows)
    rows["problems"] = [
        {"format": name, "line": problem.line, "what": problem.what, "text": problem.text[:MAX_PROBLEM_TEXT]}
        for name, problem in sorted(found.problems, key=lambda pair: pair[1].line)
    ]
    for row in (row for part in rows.values() for row in part):
        row["source"] = text.source
    broken = {problem.line for _, problem in found.problems}
    rows["inputs"] = [_accounts(replace(text, notes=tuple(found.notes)), found.names, found.used, broken)]
    return InputRows(rows)


def _number(row: Row) -> int:
    return int(str(row["snapshot"]))


def _number_snapshots(rows: dict[str, list[Row]]) -> None:
    """Number the snapshots of several streams and formats in the order in which they begin."""
    order = sorted(rows.get("snapshots", ()), key=lambda row: int(str(row["line"])))
    number = {row["snapshot"]: index for index, row in enumerate(order)}
    for frame in OF_A_SNAPSHOT:
        found = rows.get(frame, [])
        for row in found:
            row["snapshot"] = number[row["snapshot"]]
        found.sort(key=_number)


def _accounts(text: Text, names: Sequence[str], used: set[int], broken: set[int]) -> Row:
    """Where the lines went; a blank line counts with its neighbours when both are of one mind."""
    count = len(text.lines)
    used = (used | _blanks_between(text.lines, used)) - broken
    return {
        "source": text.source,
        "format": "+".join(names) or None,
        "encoding": text.encoding,
        "bytes": text.bytes,
        "lines": count,
        "used": len(used),
        "ignored": count - len(used) - len(broken),
        "problem_lines": len(broken),
        "note": " ".join(text.notes) or None,
    }


def _blanks_between(lines: Sequence[str], used: set[int]) -> set[int]:
    """Numbers of the blank lines that stand between two used lines."""
    between: set[int] = set()
    pending: list[int] = []
    inside = False
    for number, line in enumerate(lines, 1):
        if number in used:
            between.update(pending if inside else ())
            inside = True
        elif not line.strip():
            pending.append(number)
            continue
        else:
            inside = False
        pending = []
    return between


def _without_repeats(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Drop fragments that only say again a part of the print before, as overlapping pastes do.

    Such a fragment has no head and no processes, and what it says of each of its GPUs is, to the letter, what
    the print before says, which has more GPUs.
    """
    cards: dict[object, list[Row]] = {}
    for row in rows.get("gpus", ()):
        cards.setdefault(row["snapshot"], []).append({k: v for k, v in row.items() if k not in _PLACE})
    others = {row["snapshot"] for frame in ("processes", "mig_devices", "vgpus") for row in rows.get(frame, ())}
    number: dict[object, int] = {}
    last: list[Row] = []
    for head in rows.get("snapshots", ()):
        snapshot = head["snapshot"]
        here = cards.get(snapshot, [])
        headless = all(head.get(key) is None for key in _HEAD) and snapshot not in others
        if headless and here and len(here) < len(last) and all(_is_said(card, last) for card in here):
            continue
        number[snapshot] = len(number)
        last = here
    return {
        frame: [{**row, "snapshot": number[row["snapshot"]]} for row in found if row["snapshot"] in number]
        if frame in OF_A_SNAPSHOT
        else found
        for frame, found in rows.items()
    }


def _is_said(card: Row, cards: Sequence[Row]) -> bool:
    return any(card.items() <= other.items() for other in cards)
