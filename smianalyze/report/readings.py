"""What was read and what was not: inputs, prints, messages, and text that could not be read."""

from __future__ import annotations

import pandas as pd

from smianalyze import safe
from smianalyze.cards import records
from smianalyze.findings import Evidence, place
from smianalyze.markup import prose, table
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN

MOST_ROWS = 20
"""Rows of a table of messages or of unreadable text: enough to see the pattern."""
QUOTED_LETTERS = 160
"""A quoted line is cut here; the place says where the rest is."""


def input_table(inputs: pd.DataFrame, *, masker: Masker) -> str:
    """One row an input, with where its lines went: every line is used, ignored or a problem.

    Args:
        inputs: The frame of that name.
        masker: Names the inputs.

    Raises:
        ValueError: the lines of an input do not add up, so some were lost on the way.
    """
    parts = inputs["used"] + inputs["ignored"] + inputs["problem_lines"]
    if (inputs["lines"] != parts).any():
        raise ValueError("lines read are not lines used + ignored + problems")
    header = ["input", "format", "encoding", "lines", "used", "ignored", "problems", ""]
    rows = [
        [
            safe.cell(masker.source(str(row["source"]))),
            _text(row["format"]),
            _text(row["encoding"]),
            *(f"{row[name]:,}" for name in ("lines", "used", "ignored", "problem_lines")),
            prose(str(row["note"]), span=safe.cell) if row["note"] else "",
        ]
        for row in records(inputs)
    ]
    return table(header, rows)


def print_table(snapshots: pd.DataFrame, *, masker: Masker) -> str:
    """One row an input that holds prints of nvidia-smi: how many, when, on which host, driver and CUDA."""
    named = {"host": masker.host} if snapshots["host"].notna().any() else {}
    versions = {"driver": "driver_version", "CUDA": "cuda_version"}
    rows = []
    for source, prints in snapshots.groupby("source", sort=False):
        found = [[alias(host) for host in _each(prints["host"])] for alias in named.values()]
        found += [_each(prints[column]) for column in versions.values()]
        cells = (", ".join(map(safe.cell, texts)) or UNKNOWN for texts in found)
        name = safe.cell(masker.source(str(source)))
        rows.append([name, f"{len(prints):,}", _times(prints["time"]), *cells])
    return table(["input", "prints", "made at", *named, *versions], rows)


def event_table(events: pd.DataFrame, *, masker: Masker) -> str:
    """One row a kind of message: how many, and the first one with its place."""
    rows = []
    for kind, found in events.groupby("kind"):
        first = records(found.head(1))[0]
        rows.append(
            [
                prose(str(kind), span=safe.cell),
                f"{len(found):,}",
                _place(first, masker),
                _quoted(first["message"], masker),
            ]
        )
    return table(["kind", "count", "first at", "first message"], rows)


def problem_table(problems: pd.DataFrame, *, masker: Masker) -> str:
    """The first places whose text looked like ours and could not be read, and how many more there are."""
    rows = [
        [_place(row, masker), prose(str(row["what"]), span=safe.cell), _quoted(row["text"], masker)]
        for row in records(problems.head(MOST_ROWS))
    ]
    left = len(problems) - MOST_ROWS
    more = f"\n\n{left:,} more are not shown." if left > 0 else ""
    return table(["place", "why it could not be read", "text"], rows) + more


def _each(column: pd.Series) -> list[str]:
    return [str(value) for value in column.dropna().unique()]


def _text(value: object) -> str:
    return prose(str(value), span=safe.cell) if value else UNKNOWN


def _quoted(text: object, masker: Masker) -> str:
    return safe.cell(safe.line(masker.text(str(text)), QUOTED_LETTERS)) if text else UNKNOWN


def _place(row: dict[str, object], masker: Masker) -> str:
    line = row["line"]
    return safe.cell(place(Evidence(str(row["source"]), line if isinstance(line, int) else 0), masker))


def _times(times: pd.Series) -> str:
    """The first and the last of some times."""
    known = times.dropna()
    ends = dict.fromkeys(f"{time:%Y-%m-%d %H:%M:%S}" for time in (known.min(), known.max()) if len(known))
    return " → ".join(ends) or UNKNOWN
