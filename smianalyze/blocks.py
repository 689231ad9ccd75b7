"""An input in blocks of lines: what can be read from many lines at once, and the lines that are left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import RLock
from typing import Protocol

from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.csv_blocks import CsvBlocks
from smianalyze.formats.monitor_blocks import DmonBlocks, PmonBlocks
from smianalyze.formats.smi_blocks import TableBlocks
from smianalyze.log_at_once import LogBlocks

READING = RLock()
"""Held by the thread that reads: all inputs share the shapes that were met."""


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
        self._reading.leave(data)
        return len(data)


BLOCK_READERS: tuple[type[BlockReader], ...] = (
    TableBlocks,
    PmonBlocks,
    DmonBlocks,
    CsvBlocks,
    LogBlocks,
    NoBlocks,
)
"""The first one that takes the head of an input reads all of it."""


def read_blocks(
    blocks: Iterable[Sequence[bytes]], reading: BlockReading, readers: Sequence[type[BlockReader]] = BLOCK_READERS
) -> None:
    """Add what blocks of whole lines hold, each given as its pieces, in UTF-8.

    Args:
        blocks: All of an input.
        reading: Where to add it.
        readers: Who may read it.
    """
    blocks = iter(blocks)
    rest = b"".join(next(blocks, ()))
    reader = next(one for one in readers if one.takes(rest))(reading)
    for block in blocks:
        rest = rest[reader.read(rest, is_last=False) :]
        rest = b"".join((rest, *block))
    reader.read(rest, is_last=True)
