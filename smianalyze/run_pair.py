"""Two inputs side by side: whole runs where both are some, with a page about them, else two snapshots."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from smianalyze.analyses import find
from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.run_comparison import changes
from smianalyze.analyses.run_numbers import is_run, run_numbers
from smianalyze.columns import FRAMES
from smianalyze.errors import UnknownFormat
from smianalyze.figures import drawn_language, png
from smianalyze.figures.runs import runs as runs_figure
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.hints import nothing_to_compare
from smianalyze.masking import Level, Masker
from smianalyze.output import write_folder
from smianalyze.report.of_runs import Run, runs_json, runs_markdown, runs_text, written
from smianalyze.report.to_columns import comparison_text
from smianalyze.report.to_json import inputs_of
from smianalyze.source import open_inputs

CHART = "runs.png"


@dataclass(frozen=True, slots=True, eq=False)
class RunPair:
    """Two runs, and the frames that hold both."""

    frames: Frames
    before: Run
    after: Run

    def text(self) -> str:
        """The comparison for a terminal of 80 columns."""
        return runs_text(self.before, self.after)

    def findings(self) -> list[Finding]:
        """What stands out in the second run."""
        return list(self.after.findings)

    def report(self, folder: str | Path, *, force: bool = False, mask: Level = "default") -> None:
        """Write ``report.md``, ``report.json`` and the chart into a folder, as a whole or not at all.

        Args:
            folder: Made by this call.
            force: Replace a report that stands there.
            mask: How much of names and paths is hidden.
        """
        figure = runs_figure(changes(self.before.numbers, self.after.numbers), written)
        page = runs_markdown(self.before, self.after, [(figure.get_suptitle(), CHART)], drawn_in=drawn_language())
        data = runs_json(self.before, self.after, inputs_of(self.frames, Masker(mask)))
        files = {"report.md": page, "report.json": data}
        content = {name: text.encode("utf-8", "backslashreplace") for name, text in files.items()}
        write_folder(Path(folder), content | {CHART: png(figure)}, force=force, private=mask == "none")


def run_pair(frames: Frames, first: str) -> RunPair | None:
    """The two runs of a capture; None where one of them is no run but a moment, or nothing is known of either.

    Args:
        frames: Of both runs.
        first: The path, folder or glob of the first run; all other inputs are the second, or the same if there is
            no other.
    """
    names = {source.name for source in open_inputs(first)}
    sides = [_of_sources(frames, names, inside=inside) for inside in (True, False)]
    if sides[1].inputs.empty:
        sides[1] = sides[0]
    if not all(map(is_run, sides)):
        return None
    numbers = [run_numbers(side) for side in sides]
    if not changes(*numbers):
        return None
    return RunPair(frames, *(Run(one, tuple(find(side))) for one, side in zip(numbers, sides, strict=True)))


def snapshots_text(
    frames: Frames, comparison: Comparison | None, given: tuple[str, str], *, mask: Level = "default"
) -> str:
    """Two snapshots side by side, for a terminal of 80 columns.

    Args:
        frames: Of both.
        comparison: What changed.
        given: The inputs as they were given.
        mask: How much of names and paths is hidden.

    Raises:
        UnknownFormat: There are no two snapshots.
    """
    if comparison is None:
        raise UnknownFormat(nothing_to_compare(frames, given))
    return comparison_text(frames, comparison, masker=Masker(mask))


def _of_sources(frames: Frames, names: Collection[str], *, inside: bool) -> Frames:
    """The rows of some inputs, or of all others."""
    whole = {name: getattr(frames, name) for name in FRAMES}
    return Frames(**{name: rows[rows["source"].isin(list(names)) == inside] for name, rows in whole.items()})
