"""What a screen is too small for: at which edges it cuts a table, and what was not seen because of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from smianalyze.formats import Problem
from smianalyze.formats.format import Row
from smianalyze.terminal.frames_of_screen import Screen

_RULE = set("-=+|")
_SHOWS_PROCESSES = ("listed", "none_found", "not_supported", "empty")


def is_rule(row: str) -> bool:
    """Whether a row is a rule of a table, or a piece of one."""
    return bool(row) and not set(row) - _RULE


def is_cut_right(screen: Screen) -> bool | None:
    """Whether a rule runs into the right edge and does not go on in the next row; None if unknown."""
    if screen.width is None:
        return None
    for row, following in pairwise([*screen.rows, ""]):
        if len(row) == screen.width and is_rule(row) and not row.endswith(("+", "|")) and not is_rule(following):
            return len(screen.rows) != screen.height or row != screen.rows[-1]
    return False


def is_cut_below(screen: Screen, process_section: object) -> bool | None:
    """Whether the last row of the screen is used, and no rule closes the process box; None if unknown."""
    if screen.height is None:
        return None
    if len(screen.rows) < screen.height:
        return False
    last = next((row for row in reversed(screen.rows) if is_rule(row) or row[:1] in "+|"), "|")
    return not (process_section in _SHOWS_PROCESSES and is_rule(last))


def without_edges(
    problems: Sequence[tuple[str, Problem]], screen: Screen, *, cut_right: bool
) -> list[tuple[str, Problem]]:
    """Problems without the lines that break off at the edges of the screen."""
    last = screen.rows[-1] if screen.rows else ""

    def breaks_off(text: str) -> bool:
        return text == last or len(text) == screen.width or (cut_right and not text.endswith(("|", "+")))

    return [(name, problem) for name, problem in problems if not breaks_off(problem.text.rstrip())]


class CutPrints:
    """Counts the prints that are cut, by screen and by what was not seen."""

    def __init__(self) -> None:
        """Begin to count."""
        self._counts: Counter[tuple[object, ...]] = Counter()

    def count(self, head: Row, rows: Mapping[str, Sequence[Row]]) -> None:
        """One print, by its row of ``snapshots`` and its other rows."""
        if head["cut_bottom"] or head["cut_right"]:
            indexes = [row.get("gpu_index") for row in rows.get("gpus", ())]
            gpu = max((index for index in indexes if isinstance(index, int)), default=None)
            below = gpu if head["process_section"] == "absent" else None
            self._counts[head["screen_rows"], head["screen_columns"], head["cut_right"], below] += 1

    def notes(self) -> Iterator[str]:
        """A sentence for each kind of cut."""
        for (rows, columns, right, gpu), count in sorted(self._counts.items(), key=str):
            unseen = "processes" if gpu is None else f"GPUs after {gpu} and processes"
            edge = "right edge" if right else "bottom"
            size = f"{rows} x {columns}"
            yield f"Prints cut at the {edge} of a screen of {size}: {count}; {unseen} there were not seen."
