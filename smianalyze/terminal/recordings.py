"""What is known about a recording of a terminal: its text block by block, and what holds from which place on.

A recording of a day does not fit into memory, so what holds is kept for the last blocks only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

BLOCK = 256 * 1024  # characters; smaller ones take longer, and larger ones only more memory
_Value = TypeVar("_Value")


class Size(NamedTuple):
    """The size of a terminal from one place in a recording on; None is unknown."""

    start: int
    height: int | None
    width: int | None


@dataclass(slots=True)
class Steps(Generic[_Value]):
    """A value that changes from place to place."""

    starts: list[int]
    values: list[_Value]

    def add(self, start: int, value: _Value) -> None:
        """From this place on it is this value."""
        self.starts.append(start)
        self.values.append(value)

    def at(self, position: int) -> _Value:
        """The value at a place."""
        return self.values[max(bisect_right(self.starts, position) - 1, 0)]

    def forget(self, position: int) -> None:
        """Nobody will ask for a place before this one."""
        unused = bisect_right(self.starts, position) - 1
        if unused > 0:
            del self.starts[:unused], self.values[:unused]


@dataclass(slots=True)
class Recording:
    """What a terminal was sent.

    Attributes:
        blocks: The text in pieces; lines of the input still end at LF.
        lines: The 1-based line of the input.
        clock: Seconds since the start; None where nobody took the time.
        sizes: The sizes that the container tells, in order.
        term: TERM of the session, "" if unknown.
    """

    blocks: Iterator[str] = field(default_factory=lambda: iter(()))
    lines: Steps[int] = field(default_factory=lambda: Steps([0], [1]))
    clock: Steps[float] | None = None
    sizes: list[Size] = field(default_factory=list)
    term: str = ""

    def seconds_at(self, position: int) -> float | None:
        """When a place of the text was written, in seconds since the start."""
        return self.clock.at(position) if self.clock else None

    def size_at(self, position: int) -> Size:
        """The size that the container has told for a place."""
        return next((size for size in reversed(self.sizes) if size.start <= position), Size(0, None, None))

    def forget(self, position: int) -> None:
        """Nobody will ask for a place before this one."""
        self.lines.forget(position)
        if self.clock:
            self.clock.forget(position)
        while len(self.sizes) > 1 and self.sizes[1].start <= position:
            del self.sizes[0]


def text_blocks(pieces: Iterable[str]) -> Iterator[str]:
    """A text in larger blocks, without the end of its last line."""
    held: list[str] = []
    length = 0
    for piece in pieces:
        if length >= BLOCK:
            yield "".join(held)
            held, length = [], 0
        held.append(piece)
        length += len(piece)
    yield "".join(held).removesuffix("\n")
