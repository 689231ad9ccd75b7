"""From what a user names (files, folders, globs, ``-``, open files, text) to decoded lines, within limits.

``open_inputs`` checks what the user named at once; a member of a folder may still fail when it is read, and
must not end the run: its ``Source.read`` raises UnreadableInput, and the caller turns that into a problem.
"""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from smianalyze.decode import Decoded, decode
from smianalyze.errors import UnreadableInput
from smianalyze.missing_files import shown
from smianalyze.progress import current
from smianalyze.stored import Opened, Stored, Stream, opened_file, regular_size, status_of
from smianalyze.unpack import unpacked

Input = str | os.PathLike[str] | BinaryIO
SPOOL_BYTES = 8 * 1024 * 1024  # of a stream are kept in memory; more goes to a nameless file


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is read; there is no limit on the ratio of compression.

    Attributes:
        file_bytes: Of unpacked text from one input; the rest is left out with a note.
        run_bytes: The same for all inputs of one ``open_inputs``.
        line_bytes: A longer line is cut, with a note.
    """

    file_bytes: int = 4 * 1024**3
    run_bytes: int = 16 * 1024**3
    line_bytes: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Text:
    """An input that is text; it can be read again and again.

    Attributes:
        source: Display name of the input.
        bytes: Size as stored, before unpacking.
        decoded: What it says, in blocks of lines.
        notes: Sentences on compression, encoding, cut lines and limits.
        timing: The timing file of a recording by ``script``, where one was named.
    """

    source: str
    bytes: int
    decoded: Decoded
    notes: tuple[str, ...] = ()
    timing: Path | None = None


@dataclass(slots=True)
class _Budget:
    """What the inputs of one run may still use."""

    limits: Limits
    used: int = 0

    def take(self, name: str, chunks: Iterator[bytes], notes: list[str]) -> Iterator[bytes]:
        """The chunks up to the limit, and a note if there were more."""
        left = min(self.limits.file_bytes, self.limits.run_bytes - self.used)
        if left <= 0:
            raise UnreadableInput(
                f"{name}: the inputs before it used up the {self.limits.run_bytes:,} bytes of one run."
            )
        for chunk in chunks:
            part = chunk[:left]
            left -= len(part)
            self.used += len(part)
            yield part
            if len(part) < len(chunk):
                notes.append("The limit of bytes for an input is reached; the rest was not read.")
                return


@dataclass(frozen=True, slots=True)
class Source:
    """One input, not yet read.

    Attributes:
        name: As the user gave it; for a member of a folder, the folder and the path below it.
        timing: Its timing file, where one was named.
        size: Bytes as stored; None where that is not known.
    """

    name: str
    _open: Callable[[], AbstractContextManager[Opened]]
    _budget: _Budget
    timing: Path | None = None
    size: int | None = None

    def plain(self, notes: list[str]) -> Iterator[bytes]:
        """Its bytes, unpacked and within limits; a sentence is appended to the notes for what was left out."""
        return iter(_Plain(self.name, self._open, self._budget, notes, tells_first=True))

    def read(self) -> Text:
        """The text, after a first look at all of it.

        Raises:
            UnreadableInput: It cannot be opened, is not text, or its compression is broken from the start.
        """
        notes: list[str] = []
        plain = _Plain(self.name, self._open, self._budget, notes)
        decoded = decode(self.name, plain, line_bytes=self._budget.limits.line_bytes)
        return Text(self.name, plain.stored, decoded, (*notes, *decoded.notes), self.timing)


@dataclass(slots=True)
class _Plain:
    """The plain bytes of an input, as often as they are asked for: later no more of them than at first.

    Attributes:
        notes: A sentence is appended, the first time, for what was left out.
        stored: Size as stored.
        count: How many bytes they are, once they were read.
        tells_first: Whether the first time counts as progress; a look is quick, and what counts comes after it.
        told: Stored bytes that were counted.
    """

    name: str
    open: Callable[[], AbstractContextManager[Opened]]
    budget: _Budget
    notes: list[str]
    stored: int = 0
    count: int | None = None
    tells_first: bool = False
    told: int = 0

    def __iter__(self) -> Iterator[bytes]:
        return self._first() if self.count is None else self._again(self.count)

    def _first(self) -> Iterator[bytes]:
        count = 0
        with self.open() as opened:
            stored = Stored(self.name, opened)
            for chunk in self.budget.take(self.name, unpacked(self.name, stored.chunks(), self.notes), self.notes):
                count += len(chunk)
                self._tell(stored.count if self.tells_first else 0)
                yield chunk
        self.stored = opened.size or stored.count
        self.count = count

    def _again(self, left: int) -> Iterator[bytes]:
        with self.open() as opened:
            stored = Stored(self.name, opened)
            for chunk in unpacked(self.name, stored.chunks(), []):
                self._tell(stored.count)
                yield chunk[:left]
                left -= len(chunk)
                if left <= 0:
                    return
        if left > 0:
            raise UnreadableInput(f"{self.name} became shorter while it was read; read it once more.")

    def _tell(self, stored: int) -> None:
        """Count as progress what is read for the first time."""
        current().advance(max(stored - self.told, 0))
        self.told = max(stored, self.told)


def open_inputs(
    *inputs: Input, limits: Limits | None = None, timing: str | os.PathLike[str] | None = None
) -> Iterator[Source]:
    """The inputs in the order given; files of a folder or glob sorted by path.

    Args:
        inputs: Paths, glob patterns, folders (every regular file below, without hidden files and links),
            "-" for standard input, binary files that are open.
        limits: How much to read.
        timing: The timing file that ``script`` wrote with the first input.

    Raises:
        UnreadableInput: Something named is missing, is a pipe or device, or stands for no file at all.
        TypeError: A file is open in text mode.
    """
    budget = _Budget(limits or Limits())
    sources = [source for given in inputs for source in _sources(given, budget)]
    if timing is not None:
        regular_size(os.fspath(timing))
        sources[:1] = [replace(source, timing=Path(timing)) for source in sources[:1]]
    sizes = [source.size for source in sources if source.size is not None]
    current().stage("reading", sum(sizes) if len(sizes) == len(sources) else None)
    return iter(sources)


def from_text(text: str, name: str = "<text>") -> Text:
    """A text that was decoded elsewhere (a notebook cell, the clipboard)."""
    stored = text.encode("utf-8", "backslashreplace")
    decoded = decode(name, [stored], line_bytes=Limits().line_bytes)
    return Text(name, len(stored), decoded, decoded.notes)


def _sources(given: Input, budget: _Budget) -> Iterator[Source]:
    if not isinstance(given, str | os.PathLike):
        yield _stream(given, budget)
    elif given == "-":
        yield _stdin(budget)
    else:
        yield from _paths(os.fspath(given), budget)


def _stream(file: BinaryIO, budget: _Budget) -> Source:
    if isinstance(file, io.TextIOBase) or not hasattr(file, "read"):
        raise TypeError("give a path, or a file that is open in binary mode ('rb'); for text there is loads()")
    name = getattr(file, "name", None)
    name = shown(name) if isinstance(name, str) else "<file>"
    return Source(name, Stream(name, file).opened, budget)


def _stdin(budget: _Budget) -> Source:
    file = getattr(sys.stdin, "buffer", None)
    if file is None:
        raise UnreadableInput("-: there is no standard input here; name a file.")
    return Source("<stdin>", Stream("<stdin>", file).opened, budget)


def _paths(given: str, budget: _Budget) -> Iterator[Source]:
    """A file, the files of a folder, or the matches of a pattern (unless a file has that very name)."""
    if "\n" in given and not os.path.lexists(given):
        raise UnreadableInput("This is text and not the name of a file; read text with loads().")
    if glob.has_magic(given) and not os.path.lexists(given):
        paths = _matches(given)
    elif stat.S_ISDIR(status_of(given).st_mode):
        paths = files_below(given)
    else:
        regular_size(given)
        paths = [given]
    yield from (Source(shown(path), partial(opened_file, path), budget, size=_size(path)) for path in paths)


def _matches(pattern: str) -> list[str]:
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
    files = sorted(path for path in found if _is_regular(path, follow_symlinks=True))
    if not files:
        raise UnreadableInput(f"{shown(pattern)}: no file matches this pattern.")
    return files


def files_below(folder: str) -> list[str]:
    """Files below a folder, no hidden ones or links; folders that cannot be listed too: reading those says why."""
    unlisted: list[OSError] = []
    found: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(parent, name) for name in names if not name.startswith(".")]
    files = [path for path in found if _is_regular(path, follow_symlinks=False)]
    files += [Path(error.filename) for error in unlisted]
    if not files:
        raise UnreadableInput(f"{shown(folder)}: no file in this folder (hidden ones and links are skipped).")
    return [str(path) for path in sorted(files)]


def _size(path: str) -> int:
    """Of a file as it is stored; one that is gone fails when it is read."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _is_regular(path: str | Path, *, follow_symlinks: bool) -> bool:
    try:
        return stat.S_ISREG(Path(path).stat(follow_symlinks=follow_symlinks).st_mode)
    except OSError:
        return True  # it is there, and reading it will say why it cannot be read
