"""Our grammars without the memo: Lark parses each line anew, and its tree becomes columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lark import Lark, Tree, UnexpectedInput

from contenders.columns import (
    BAR,
    CARD,
    DATE,
    DICT,
    DMON,
    IMAGENET,
    LOAD,
    MIG,
    PMON,
    PROCESS,
    QUERY,
    Columns,
    converted,
    sums,
)
from smianalyze.reader import grammar

__all__ = ["READERS", "sums"]

LAYOUTS = {
    "date": DATE,
    "gpu_identity": CARD,
    "gpu_load": LOAD,
    "gpu_mig": MIG,
    "process": PROCESS,
    "query": QUERY,
    "row": DMON,
    "process_row": PMON,
    "dict": DICT,
    "pairs": IMAGENET,
    "bar": BAR,
}
NO_VALUES = {"key", "unit"}
BAR_BEGINS = re.compile(r"Epoch ([0-9]+): +(?=[0-9]+%)")

Kept = tuple[str, list[str]] | None  # name of a layout, and the text of each column


def _values(tree: Tree, text: str) -> Iterator[tuple[str, str]]:
    """Rule and text of each value of a line."""
    for part in tree.children:
        if isinstance(part, Tree) and part.children and part.data not in NO_VALUES:
            yield str(part.data), text[part.children[0].start_pos : part.children[-1].end_pos]


def _table_line(line: Lark, text: str) -> Kept:
    tree = line.parse(text)
    values = dict(_values(tree, text))
    return tree.data, [values[column.partition(".")[2]] for column in LAYOUTS.get(tree.data, ())]


def _csv_line(line: Lark, text: str) -> Kept:
    if text.startswith("timestamp"):
        return None
    cells = text.replace(", ", "\t") + "\t"
    return "query", [value for _, value in _values(line.parse(cells), cells)]


def _dmon_line(line: Lark, text: str) -> Kept:
    tree = line.parse(f"{text}\n")
    if tree.data != "row":
        return None
    date, clock, *numbers = (value for _, value in _values(tree, text))
    return "row", [f"{date} {clock}", *numbers]


def _pmon_line(line: Lark, text: str) -> Kept:
    tree = line.parse(f"{text}\n")
    if tree.data != "row":
        return None
    date, clock, *cells = (value for _, value in _values(tree, text))
    return None if "-" in cells[1] else ("process_row", [f"{date} {clock}", *(one for one in cells if one != "-")])


def _log_line(dicts: Lark, pairs: Lark, bars: Lark, text: str) -> Kept:
    if text.startswith("{"):
        return "dict", [value for _, value in _values(dicts.parse(text), text)]
    begin = BAR_BEGINS.match(text)
    if begin is None:
        epoch, steps, *values = (value.strip("[]() ") for _, value in _values(pairs.parse(text), text))
        return "pairs", [epoch, *steps.split("/"), *values]
    body = text[begin.end() :]
    values = [value.removesuffix("it/s") for _, value in _values(bars.parse(body), body)]
    return "bar", [begin[1], *values]


def read(line_of: Callable[..., Kept], grammars: tuple[str, ...], path: str) -> Columns:
    """The columns of the lines that the grammar accepts.

    Args:
        line_of: Reads one line.
        grammars: Those that it takes.
        path: The capture.
    """
    read_line = partial(line_of, *(grammar(name, "line") for name in grammars))
    rows: dict[str, list[list[str]]] = {}
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            try:
                kept = read_line(line.rstrip("\n"))
            except UnexpectedInput:
                continue  # blank lines, and words that are no row
            if kept is not None:
                rows.setdefault(kept[0], []).append(kept[1])
    columns: Columns = {}
    for name, texts in rows.items():
        converted(columns, LAYOUTS.get(name, {}), texts)
    return columns


READERS = {
    "tables": partial(read, _table_line, ("smi_table.lark",)),
    "csv": partial(read, _csv_line, ("query_csv.lark",)),
    "csv-any-width": partial(read, _csv_line, ("query_csv.lark",)),
    "dmon": partial(read, _dmon_line, ("dmon.lark",)),
    "pmon": partial(read, _pmon_line, ("pmon.lark",)),
    **dict.fromkeys(
        ("log", "sparse-log"), partial(read, _log_line, ("log_dicts.lark", "log_pairs.lark", "log_bars.lark"))
    ),
}
