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
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from smianalyze.decode import decode
from smianalyze.errors import UnreadableInput
from smianalyze.missing_files import hint, shown
from smianalyze.unpack import STEP_BYTES, unpacked

Input = str | os.PathLike[str] | BinaryIO
_Opened = tuple[BinaryIO, int | None]  # the open file, and the size that it had then


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
    """A decoded input.

    Attributes:
        source: Display name of the input.
        lines: One string a line, without its end; see ``decode`` for what ends a line.
        encoding: utf-8, utf-8-sig, utf-16-le, utf-16-be, gb18030 or latin-1.
        bytes: Size as stored, before unpacking.
        notes: Sentences on compression, encoding, cut lines and limits.
        open_end: The last line has no end: it may be cut, and a number at its end may be incomplete.
        timing: The timing file of a recording by ``script``, where one was named.
    """

    source: str
    lines: tuple[str, ...]
    encoding: str
    bytes: int
    notes: tuple[str, ...] = ()
    open_end: bool = False
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
    """

    name: str
    _open: Callable[[], AbstractContextManager[_Opened]]
    _budget: _Budget
    timing: Path | None = None

    def plain(self, notes: list[str]) -> Iterator[bytes]:
        """Its bytes, unpacked and within limits; a sentence is appended to the notes for what was left out."""
        with self._open() as (file, size):
            stored = _Stored(self.name, file, size)
            yield from self._budget.take(self.name, unpacked(self.name, stored.chunks(), notes), notes)

    def read(self) -> Text:
        """The whole text. A stream (standard input, an open file) can be read once.

        Raises:
            UnreadableInput: It cannot be opened, is not text, or its compression is broken from the start.
        """
        notes: list[str] = []
        with self._open() as (file, size):
            stored = _Stored(self.name, file, size)
            plain = unpacked(self.name, stored.chunks(), notes)
            bounded = self._budget.take(self.name, plain, notes)
            decoded = decode(self.name, bounded, line_bytes=self._budget.limits.line_bytes)
        return Text(
            source=self.name,
            lines=decoded.lines,
            encoding=decoded.encoding,
            bytes=size or stored.count,
            notes=(*notes, *decoded.notes),
            open_end=decoded.open_end,
            timing=self.timing,
        )


@dataclass(slots=True)
class _Stored:
    """The bytes of a file as they are stored."""

    name: str
    file: BinaryIO
    size: int | None
    count: int = 0

    def chunks(self) -> Iterator[bytes]:
        """Up to the size seen first, as the file may still grow; files in /proc claim to be empty."""
        while step := min(STEP_BYTES, self.size - self.count) if self.size else STEP_BYTES:
            try:
                chunk = self.file.read(step)
            except (OSError, ValueError) as error:
                raise UnreadableInput(f"{self.name} cannot be read: {_reason(error)}.") from error
            if not chunk:
                return
            self.count += len(chunk)
            yield chunk
            if len(chunk) < step and isinstance(self.file, io.BufferedReader):
                return  # asking again would make a terminal wait for a second end of file


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
        _regular_size(os.fspath(timing))
        sources[:1] = [replace(source, timing=Path(timing)) for source in sources[:1]]
    return iter(sources)


def from_text(text: str, name: str = "<text>") -> Text:
    """The lines of a text that was decoded elsewhere (a notebook cell, the clipboard)."""
    stored = text.encode("utf-8", "backslashreplace")
    decoded = decode(name, [stored], line_bytes=Limits().line_bytes)
    return Text(name, decoded.lines, decoded.encoding, len(stored), decoded.notes, decoded.open_end)


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
    return Source(shown(name) if isinstance(name, str) else "<file>", partial(_left_open, file), budget)


def _stdin(budget: _Budget) -> Source:
    file = getattr(sys.stdin, "buffer", None)
    if file is None:
        raise UnreadableInput("-: there is no standard input here; name a file.")
    return Source("<stdin>", partial(_left_open, file), budget)


def _paths(given: str, budget: _Budget) -> Iterator[Source]:
    """A file, the files of a folder, or the matches of a pattern (unless a file has that very name)."""
    if "\n" in given:
        raise UnreadableInput("This is text and not the name of a file; read text with loads().")
    if glob.has_magic(given) and not os.path.lexists(given):
        paths = _matches(given)
    elif stat.S_ISDIR(_status(given).st_mode):
        paths = files_below(given)
    else:
        _regular_size(given)
        paths = [given]
    yield from (Source(shown(path), partial(_opened, path), budget) for path in paths)


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


def _is_regular(path: str | Path, *, follow_symlinks: bool) -> bool:
    try:
        return stat.S_ISREG(Path(path).stat(follow_symlinks=follow_symlinks).st_mode)
    except OSError:
        return True  # it is there, and reading it will say why it cannot be read


@contextmanager
def _opened(path: str) -> Iterator[_Opened]:
    size = _regular_size(path)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise UnreadableInput(f"{shown(path)} cannot be read: {_reason(error)}.") from error
        yield file, size


@contextmanager
def _left_open(file: BinaryIO) -> Iterator[_Opened]:
    yield file, None


def _status(path: str) -> os.stat_result:
    try:
        return Path(path).stat()
    except FileNotFoundError as error:
        raise UnreadableInput(f"{shown(path)}: there is no such file{hint(Path(path))}.") from error
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{shown(path)} cannot be read: {_reason(error)}.") from error


def _regular_size(path: str) -> int:
    """The size now; UnreadableInput unless it is a regular file (a pipe could block for ever)."""
    status = _status(path)
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableInput(f"{shown(path)}: this folder cannot be listed.")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(f"{shown(path)} is a pipe or a device; pipe its content in and name it '-'.")
    return status.st_size


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
