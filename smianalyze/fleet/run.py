"""A folder of captures into a dataset: what is new or has changed is read, what is gone is taken out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from smianalyze import __version__
from smianalyze.fleet.convert import Converted, convert, given_up
from smianalyze.fleet.dataset import key_of, remove_capture, size_of, stamps_of, stored
from smianalyze.fleet.engine import EVERY_CORE, Engine, done
from smianalyze.fleet.layout import CaptureFiles, captures_of
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


class Work(NamedTuple):
    """How far a run is: captures and bytes that are done, and those that are to be done."""

    captures: int
    of_captures: int
    size: int
    of_size: int


Progress = Callable[[Work], object]
"""Told before the first capture and after each."""


def untold(_: Work) -> None:
    """Tell nobody how far it is."""


def update(
    folder: Path,
    dataset: Path,
    *,
    layout: str | None = None,
    engine: Engine = EVERY_CORE,
    progress: Progress = untold,
) -> FleetRun:
    """Bring a dataset to what a folder holds.

    Args:
        folder: Captures, at any depth.
        dataset: A folder of its own, made if need be; it may stand below the other one.
        layout: See :func:`smianalyze.fleet.layout.captures_of`.
        engine: Where captures are read.
        progress: Told how far it is.

    Raises:
        UnreadableInput: The folder holds no file.
        UnknownLayout: See :func:`smianalyze.fleet.layout.captures_of`.
        OutputFailed: The dataset cannot be written.
    """
    captures, outside = captures_of(_names(folder, dataset), layout)
    run = FleetRun(outside=outside)
    wanted = _to_read(folder, dataset, captures, run)
    size = sum(size_of(stamps_of(folder, capture)) for capture in wanted)
    places = folder.absolute(), dataset.absolute()
    progress(Work(0, len(wanted), 0, size))
    for result in done(partial(convert, *places), wanted, lost=partial(given_up, *places), engine=engine):
        run.add(result)
        progress(Work(run.read, len(wanted), run.size, size))
    return run


def _to_read(folder: Path, dataset: Path, captures: Sequence[CaptureFiles], run: FleetRun) -> list[CaptureFiles]:
    """The captures that the dataset lacks or has in another state; those that are gone are taken out of it."""
    there = stored(dataset)
    wanted = []
    for capture in captures:
        one = there.pop(key_of(capture.name), None)
        if one is not None and one.files == stamps_of(folder, capture) and one.version == __version__:
            run.unchanged += 1
        else:
            wanted.append(capture)
    for key in there:
        remove_capture(dataset, key)
    run.removed = len(there)
    return wanted


def _names(folder: Path, dataset: Path) -> list[str]:
    """The files below a folder but for those of the dataset, with ``/``."""
    paths = map(Path, files_below(str(folder)))
    own = dataset.absolute()
    return [path.relative_to(folder).as_posix() for path in paths if not path.absolute().is_relative_to(own)]
