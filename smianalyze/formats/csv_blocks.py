"""CSV of any query in blocks of lines; see :mod:`smianalyze.formats.mixed_blocks`."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.formats import query_csv, smi_error
from smianalyze.formats.block_reading import BlockReading
from smianalyze.formats.csv_cells import separator_of
from smianalyze.formats.csv_header import MAY_BE_HEADER, command_of, header_of, named
from smianalyze.formats.csv_reader import NUMBERS, is_row_without_names
from smianalyze.formats.csv_runs import RunReader
from smianalyze.formats.mixed_blocks import HEAD_BYTES, HEAD_LINES, MixedBlocks
from smianalyze.repair import Line


class CsvBlocks(MixedBlocks):
    """Reads one input block by block."""

    def __init__(self, reading: BlockReading) -> None:
        """Begin an input.

        Args:
            reading: Where to add what is found.
        """
        columns = named(reading.csv_columns) if reading.csv_columns else None
        super().__init__(reading, RunReader(columns, reading), query_csv.FORMAT)

    @staticmethod
    def takes(head: bytes) -> bool:
        """Whether an input begins with rows below a header or a command, or with rows that somebody may name."""
        lines = head[:HEAD_BYTES].decode(errors="replace").split("\n")
        for place, text in enumerate(lines[:HEAD_LINES]):
            separator = _separator(text, lines[place + 1 : place + 2])
            if separator:
                rows = [line for line in lines[place + 1 :] if line.strip()]
                return 2 * sum(line.count(separator) == rows[0].count(separator) for line in rows) >= len(rows) > 0
        return False

    def is_claimed(self, line: Line, before: Sequence[Line]) -> bool:
        """Whether it is a sentence in place of a table, or goes on with one."""
        error = smi_error.FORMAT
        return error.recognises(line.text) and line.number in error.read([*before, line]).used


def _separator(text: str, below: Sequence[str]) -> str:
    """What separates the cells of the rows below a line, if it says what they are, or is one itself."""
    plain = text.lstrip("> ").rstrip()
    header = header_of(plain, "".join(below)) if MAY_BE_HEADER.search(plain) else None
    if header is not None and header.is_checked:
        return header.separator
    if command_of(plain) or is_row_without_names(plain) or NUMBERS.fullmatch(plain):
        return separator_of("".join(below) if command_of(plain) else plain)
    return ""
