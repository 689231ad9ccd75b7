"""An input in blocks of lines: what can be read from many lines at once, and the lines that are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.smi_blocks import TableBlocks

BLOCK_LINES = 100_000  # some 8 MB of tables: more costs memory, less costs time


def read_blocks(blocks: Iterable[bytes], reading: BlockReading) -> None:
    """Add what blocks of whole lines hold, in UTF-8."""
    tables = TableBlocks(reading)
    rest = b""
    for block in blocks:
        data = rest + block
        rest = data[tables.read(data, is_last=False) :]
    tables.read(rest, is_last=True)


def blocks_of(lines: Sequence[str]) -> Iterator[bytes]:
    """Decoded lines as blocks."""
    for start in range(0, len(lines), BLOCK_LINES):
        yield "\n".join((*lines[start : start + BLOCK_LINES], "")).encode()
