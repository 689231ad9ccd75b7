"""Files and streams as the bytes that are stored in them, as often as these are asked for."""

from __future__ import annotations

import io
import os
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from smianalyze.errors import UnreadableInput
from smianalyze.missing_files import hint, shown
from smianalyze.unpack import STEP_BYTES

SPOOL_BYTES = 8 * 1024 * 1024  # of a stream are kept in memory; more goes to a nameless file


class Opened(NamedTuple):
    """An open file, the size that it had then, and where to keep what is read of it."""

    file: BinaryIO
    size: int | None = None
    kept: BinaryIO | None = None


@contextmanager
def opened_file(path: str) -> Iterator[Opened]:
    """A regular file, opened for the time of a ``with``.

    Raises:
        UnreadableInput: It is gone, or cannot be read.
    """
    size = regular_size(path)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise UnreadableInput(f"{shown(path)} cannot be read: {_reason(error)}.") from error
        yield Opened(file, size)


@dataclass(slots=True, weakref_slot=True)
class Stream:
    """Standard input or an open file, which is left open; where it cannot go back, what was read is kept.

    Attributes:
        start: Where it was.
        kept: What was read of it.
    """

    name: str
    file: BinaryIO
    start: int | None = None
    kept: BinaryIO | None = None

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """The stream from its start."""
        if self.kept:
            self.kept.seek(0)
            yield Opened(self.kept)
        elif self._goes_back():
            yield Opened(self.file)
        else:
            kept = tempfile.SpooledTemporaryFile(SPOOL_BYTES)  # noqa: SIM115 - it is closed with the stream
            weakref.finalize(self, kept.close)
            self.kept = cast(BinaryIO, kept)
            yield Opened(self.file, kept=self.kept)

    def _goes_back(self) -> bool:
        try:
            if not self.file.seekable():
                return False
            self.start = self.file.tell() if self.start is None else self.start
            self.file.seek(self.start)
        except (OSError, ValueError) as error:
            raise UnreadableInput(f"{self.name} cannot be read: {_reason(error)}.") from error
        return True


@dataclass(slots=True)
class Stored:
    """The bytes of a file as they are stored."""

    name: str
    opened: Opened
    count: int = 0

    def chunks(self) -> Iterator[bytes]:
        """Up to the size seen first, as the file may still grow; files in /proc claim to be empty."""
        file, size, kept = self.opened
        while step := min(STEP_BYTES, size - self.count) if size else STEP_BYTES:
            try:
                chunk = file.read(step)
                if kept:
                    kept.write(chunk)
            except (OSError, ValueError) as error:
                raise UnreadableInput(f"{self.name} cannot be read: {_reason(error)}.") from error
            if not chunk:
                return
            self.count += len(chunk)
            yield chunk
            if len(chunk) < step and isinstance(file, io.BufferedReader):
                return  # asking again would make a terminal wait for a second end of file


def status_of(path: str) -> os.stat_result:
    """What the system says of a file; UnreadableInput where there is none."""
    try:
        return Path(path).stat()
    except FileNotFoundError as error:
        raise UnreadableInput(f"{shown(path)}: there is no such file{hint(Path(path))}.") from error
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{shown(path)} cannot be read: {_reason(error)}.") from error


def regular_size(path: str) -> int:
    """The size now; UnreadableInput unless it is a regular file (a pipe could block for ever)."""
    status = status_of(path)
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableInput(f"{shown(path)}: this folder cannot be listed.")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(f"{shown(path)} is a pipe or a device; pipe its content in and name it '-'.")
    return status.st_size


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
