"""Columns of the frames that say what was read."""

from __future__ import annotations

from smianalyze.columns.column import (
    Column,
    integer,
    text,
)

OF_INPUTS: dict[str, tuple[Column, ...]] = {
    "problems": (
        text("format", "format that it looked like"),
        text("what", "why it could not be read"),
        text("text", "the text, cleaned and cut"),
    ),
    "inputs": (
        text("format", "formats found, joined by +"),
        text("encoding", "how the bytes were decoded"),
        integer("bytes", "size as stored"),
        integer("lines", "lines after decoding"),
        integer("used", "lines read"),
        integer("ignored", "lines that are not ours"),
        integer("problem_lines", "lines that look like ours and could not be read"),
        text("note", "repairs, fallbacks and limits that applied"),
    ),
}
