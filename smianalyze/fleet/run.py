"""A folder of captures into a dataset: what is new or has changed is read, what is gone is taken out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from smianalyze import __version__
from smianalyze.fleet.convert import Converted
from smianalyze.fleet.dataset import key_of, remove_capture, stamps_of, stored
from smianalyze.fleet.engine import Engine, converted
from smianalyze.fleet.layout import captures_of
from smianalyze.source import files_below


@dataclass(slots=True)
class FleetRun:
    """What a run over a folder did.

    Attributes:
        read: Captures that were read.
        unchanged: Captures that were in the dataset as they are.
        removed: Captures of the dataset whose files are gone.
        faults: Captures that could not be read, with the reason.
        outside: Files that do not fit the layout.
        size: Bytes of the captures that were read.
    """

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, result: Converted) -> None:
        """Count a capture that was read."""
        self.read += 1
        self.size += result.size
        if result.fault:
            self.faults.append((result.capture, result.fault))


Progress = Callable[[int, int, int], None]
"""Told after each capture: how many are done, of how many, and bytes read so far."""


EVERY_CORE = Engine()


def update(
    folder: Path,
    dataset: Path,
    *,
    layout: str | None = None,
    engine: Engine = EVERY_CORE,
    progress: Progress | None = None,
) -> FleetRun:
    """Bring a dataset to what a folder holds.

    Args:
        folder: Captures, at any depth.
        dataset: A folder of its own, made if need be; it may stand below the other one.
        layout: See :func:`smianalyze.fleet.layout.captures_of`.
        engine: Where captures are read.
        progress: Called after each capture.

    Raises:
        UnreadableInput: The folder holds no file.
        UnknownLayout: See :func:`smianalyze.fleet.layout.captures_of`.
        OutputFailed: The dataset cannot be written.
    """
    captures, outside = captures_of(_names(folder, dataset), layout)
    run = FleetRun(outside=outside)
    there = stored(dataset)
    wanted = []
    for capture in captures:
        one = there.pop(key_of(capture), None)
        if one is not None and one.files == stamps_of(folder, capture) and one.version == __version__:
            run.unchanged += 1
        else:
            wanted.append(capture)
    for key in there:
        remove_capture(dataset, key)
    run.removed = len(there)
    for result in converted(folder, wanted, dataset, engine=engine):
        run.add(result)
        if progress is not None:
            progress(run.read, len(wanted), run.size)
    return run


def _names(folder: Path, dataset: Path) -> list[str]:
    """The files below a folder but for those of the dataset, with ``/``."""
    paths = map(Path, files_below(str(folder)))
    own = dataset.absolute()
    return [path.relative_to(folder).as_posix() for path in paths if not path.absolute().is_relative_to(own)]
