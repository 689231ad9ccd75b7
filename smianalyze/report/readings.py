"""What was read and what was not: inputs, prints, messages, and text that could not be read."""

from __future__ import annotations

import pandas as pd

from smianalyze import safe
from smianalyze.cards import records
from smianalyze.findings import Evidence, place
from smianalyze.language import say
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
    header = [
        say("input"),
        say("format"),
        say("encoding"),
        say("lines"),
        say("used"),
        say("ignored"),
        say("problems"),
        "",
    ]
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
    hosts = bool(snapshots["host"].notna().any())
    rows = []
    for source, prints in snapshots.groupby("source", sort=False):
        found = [[masker.host(host) for host in _each(prints["host"])]] if hosts else []
        found += [_each(prints[column]) for column in ("driver_version", "cuda_version")]
        cells = (", ".join(map(safe.cell, texts)) or UNKNOWN for texts in found)
        name = safe.cell(masker.source(str(source)))
        rows.append([name, f"{len(prints):,}", _times(prints["time"]), *cells])
    header = [say("input"), say("prints"), say("made at"), *([say("host")] if hosts else [])]
    return table([*header, say("driver"), "CUDA"], rows)


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
    return table([say("kind"), say("count"), say("first at"), say("first message")], rows)


def problem_table(problems: pd.DataFrame, *, masker: Masker) -> str:
    """The first places whose text looked like ours and could not be read, and how many more there are."""
    rows = [
        [_place(row, masker), prose(str(row["what"]), span=safe.cell), _quoted(row["text"], masker)]
        for row in records(problems.head(MOST_ROWS))
    ]
    left = len(problems) - MOST_ROWS
    more = "\n\n" + say("{left:,} more are not shown.", left=left) if left > 0 else ""
    return table([say("place"), say("why it could not be read"), say("text")], rows) + more


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
