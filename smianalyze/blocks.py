"""An input in blocks of lines: what can be read from many lines at once, and the lines that are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.smi_blocks import TableBlocks

BLOCK_LINES = 100_000  # some 8 MB of tables: more costs memory, less costs time


class BlockReader(Protocol):
    """Reads the lines of one input that it knows many at once, and leaves all others as they are."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found, and the lines that are left.
        """

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether it is the one for an input that begins with this block of lines; a cheap test."""

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Read some whole lines in UTF-8; returns how many bytes were read: the others come again with more."""


class NoBlocks:
    """Leaves all lines: for an input that nobody can read in blocks."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input."""
        self._reading = reading

    @staticmethod
    def takes(head: bytes) -> bool:
        """Any input."""
        return True

    def read(self, data: bytes, *, is_last: bool) -> int:
        """Leave the lines."""
        self._reading.leave_block(data)
        return len(data)


BLOCK_READERS: tuple[type[BlockReader], ...] = (TableBlocks, NoBlocks)
"""The first one that takes the head of an input reads all of it."""


def block_reader(head: bytes) -> type[BlockReader]:
    """The reader for an input that begins with these lines."""
    return next(one for one in BLOCK_READERS if one.takes(head))


def read_blocks(blocks: Iterable[bytes], reading: BlockReading) -> None:
    """Add what blocks of whole lines hold, in UTF-8."""
    blocks = iter(blocks)
    rest = next(blocks, b"")
    reader = block_reader(rest)(reading)
    for block in blocks:
        rest = rest[reader.read(rest, is_last=False) :] + block
    reader.read(rest, is_last=True)


def blocks_of(lines: Sequence[str]) -> Iterator[bytes]:
    """Decoded lines as blocks."""
    for start in range(0, len(lines), BLOCK_LINES):
        yield "\n".join((*lines[start : start + BLOCK_LINES], "")).encode()
