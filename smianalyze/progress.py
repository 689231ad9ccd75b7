"""How far long work is, as one line on the terminal that is wiped at the end; silent anywhere else.

Who works says so to :func:`current`, whoever asked for it; who prints the result opens it with :func:`shown` and
closes it before.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

Item = TypeVar("Item")

QUIET_S = 1.0
"""Work that is done by then shows nothing."""
EVERY_S = 0.1
"""Between two states of the line; more often nobody can read it."""
MB = 1_000_000
MINUTE_S = 60
HOUR_S = 3600
LEAST_S = 0.001  # no rate is known of less


class Terminal(Protocol):
    """What a line is written to."""

    def write(self, text: str, /) -> object:
        """Write some text."""

    def flush(self) -> object:
        """Let it be seen."""


@dataclass(slots=True)
class Stage:
    """One part of the work: its name, when it began, how much there is (None: unknown), and how much is done."""

    name: str
    begun: float
    total: int | None = None
    unit: str = "MB"
    done: int = 0

    def text(self, now: float) -> str:
        """The line; the time left is what it would take at the rate so far."""
        seconds = max(now - self.begun, LEAST_S)
        scale = MB if self.unit == "MB" else 1
        end = "" if self.total is None else f" of {self.total / scale:,.0f}"
        if not self.unit:
            return f"{self.name} …"
        parts = [f"{self.done / scale:,.0f}{end} {self.unit}"]
        if self.unit == "MB":
            parts.append(f"{self.done / MB / seconds:,.1f} MB/s")
        if self.total and self.done:
            parts.append(f"{_span(max(self.total - self.done, 0) * seconds / self.done)} left")
        share = f" {100 * min(self.done / self.total, 1):.0f} %" if self.total else ""
        return f"{self.name}{share}: {', '.join(parts)}"


def _span(seconds: float) -> str:
    if seconds < MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    return f"{seconds / HOUR_S:.1f} h"


@dataclass(slots=True)
class Progress:
    """What is being done, how much of it is done, its rate, and the time left where the end is known.

    Attributes:
        terminal: Where the line is shown; nowhere if None.
    """

    terminal: Terminal | None = None
    _begun: float = field(init=False)
    _stage: Stage = field(init=False)
    _drawn: float = 0.0
    _width: int = 0

    def __post_init__(self) -> None:
        """Start the clock."""
        self._begun = time.monotonic()
        self._stage = Stage("", self._begun)

    def stage(self, name: str, total: int | None = None, *, unit: str = "MB") -> None:
        """Begin something else.

        Args:
            name: What is done now.
            total: How much of it there is; None if that is not known.
            unit: What is counted; MB stands for bytes, and nothing is counted if it is empty.
        """
        self._stage = Stage(name, time.monotonic(), total, unit)
        self._show()

    def advance(self, count: int = 1, *, name: str = "") -> None:
        """So much more is done.

        Args:
            count: How much.
            name: What the stage is called from now on; as before if not given.
        """
        self._stage.done += count
        self._stage.name = name or self._stage.name
        self._show()

    @property
    def done(self) -> int:
        """How much of this stage is done."""
        return self._stage.done

    def wipe(self) -> None:
        """Leave the terminal as it was."""
        if self._width:
            self._write("\r")
            self._width = 0

    def _show(self) -> None:
        if self.terminal is None:
            return
        now = time.monotonic()
        if now - self._begun >= QUIET_S and now - self._drawn >= EVERY_S:
            self._drawn = now
            self._write(self._stage.text(now)[: shutil.get_terminal_size().columns - 1])

    def _write(self, text: str) -> None:
        if self.terminal is not None:
            self.terminal.write(f"\r{' ' * self._width}\r{text}")
            self.terminal.flush()
            self._width = len(text)


_SILENT = Progress()
_current: ContextVar[Progress] = ContextVar("progress", default=_SILENT)


def current() -> Progress:
    """Where to say how far the work is."""
    return _current.get()


def each(stage: str, items: Iterable[Item], *, unit: str) -> Iterator[Item]:
    """The items one by one, each of them a step of a stage."""
    known = list(items)
    current().stage(stage, len(known), unit=unit)
    for item in known:
        yield item
        current().advance()


@contextmanager
def on_terminal(*, quiet: bool = False) -> Iterator[Progress]:
    """What shows on standard error, if that is a terminal, and is wiped in the end.

    Args:
        quiet: Show nothing.
    """
    progress = Progress(sys.stderr if not quiet and sys.stderr is not None and sys.stderr.isatty() else None)
    try:
        yield progress
    finally:
        progress.wipe()


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[None]:
    """Show how far all is that is done within.

    Args:
        quiet: Show nothing.
    """
    with on_terminal(quiet=quiet) as progress:
        token = _current.set(progress)
        try:
            yield
        finally:
            _current.reset(token)
