"""CSV of ``nvidia-smi --query-gpu`` and its relatives, with any fields, header and units or not.

Rows go to ``gpus``, those of ``--query-compute-apps`` and ``--query-accounted-apps`` to ``processes``. The fields
come from the header line, else from a command line above the rows, else from :func:`format_for`. A row with more
or fewer cells than fields is a problem: its values would stand under the names of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.csv_header import MAY_BE_HEADER, Header, named
from smianalyze.formats.csv_reader import FOLLOWING, NUMBERS, UNIT, CsvReader, is_row_without_names, name_them
from smianalyze.formats.format import Format, Problem, Reading
from smianalyze.repair import Line


def _recognises(text: str, *, has_columns: bool) -> bool:
    return (
        has_columns
        or "--query-" in text
        or MAY_BE_HEADER.search(text) is not None
        or is_row_without_names(text)
        or NUMBERS.fullmatch(text.strip()) is not None
    )


def _read(lines: Sequence[Line], *, columns: Header | None, open_end: bool) -> Reading:
    reader = CsvReader(columns, lines[-1].number if open_end and lines else 0)
    for index, line in enumerate(lines):
        reader.read(line, partial(_following, lines, index))
    reader.close()
    reading = reader.reading
    texts = [line.text.strip() for line in lines if line.text.strip()]
    if not (reading.rows or reading.problems) and _are_all_numbers(texts):
        first = next(line for line in lines if line.text.strip())
        reading.problems.append(Problem(first.number, name_them(texts[0].count(", ") + 1), first.text))
    return reading


def _following(lines: Sequence[Line], index: int) -> str:
    return next((line.text for line in lines[index + 1 : index + 1 + FOLLOWING] if line.text.strip()), "")


def _are_all_numbers(texts: Sequence[str]) -> bool:
    """Whether the input holds nothing but numbers as nvidia-smi separates them, or prints them with their unit."""
    if not texts or not (", " in texts[0] or UNIT.search(texts[0])):
        return False
    return all(NUMBERS.fullmatch(text) and text.count(", ") == texts[0].count(", ") for text in texts)


def format_for(columns: Sequence[str] | None = None, *, open_end: bool = False) -> Format:
    """The format, told what an input does not say.

    Args:
        columns: Fields in order, as in ``--query-gpu``, for rows that no header line names.
        open_end: The text ends without a line end, so that its last value may be cut.
    """
    return Format(
        name="query_csv",
        title="CSV of any query",
        command="nvidia-smi --query-gpu=… --format=csv",
        sample="""\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W]
2026/11/30 19:36:19.728, 0, NVIDIA H200, 80 %, 31022 MiB, 480.66 W
""",
        recognises=partial(_recognises, has_columns=bool(columns)),
        read=partial(_read, columns=named(columns) if columns else None, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(told.csv_columns, open_end=told.open_end))
