"""A loop over lines with compiled patterns, then column by column converted: what a careful script does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

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
    Layout,
    converted,
    sums,
)

__all__ = ["READERS", "sums"]

# in the order in which they are tried
TABLES = {
    r"\| \S+ +(\d+)C +P\d+ +(\d+)W / +(\d+)W \| +(\d+)MiB / +(\d+)MiB \| +(\d+)% +(\w+) \|": LOAD,
    r"\| +(\d+)  (\S+(?: \S+)*) +(On|Off) +\| +([0-9A-F:.]+) \w+ +\| +(\d+) \|": CARD,
    r"\| +\| +\| +(\w+) \|": MIG,
    r"\| +(\d+) +\S+ +\S+ +(\d+) +[CGM+]+ +(\S+(?: \S+)*) +(\d+)MiB \|": PROCESS,
    r"([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})": DATE,
}
CSV = {
    r"(\d[^,]+), (\d+), ([^,]+), ([^,]+), (P\d+), (\d+), (\d+) %, (\d+) %, (\d+) MiB, (\d+) MiB, ([\d.]+) W,"
    r" (\d+) MHz": QUERY
}
MONITOR = {r" (\d{8} +\d\d:\d\d:\d\d) +(\d+)" + r" +(\d+)" * 9: DMON}
PROCESSES = {r" (\d{8} +\d\d:\d\d:\d\d) +(\d+) +(\d+) +(\S+) +(\d+) +(\d+) +- +- +(\d+) +(\S.*\S)": PMON}
LOG = {
    r"\{'loss': ([^,]+), 'grad_norm': ([^,]+), 'learning_rate': ([^,]+), 'epoch': ([^}]+)\}": DICT,
    r"Epoch: \[(\d+)\]\[ *(\d+)/(\d+)\]"
    + "".join(rf"\t{key} +(\S+) \( *([^)]+)\)" for key in ("Time", "Data", "Loss", "Acc@1", "Acc@5")): IMAGENET,
    r"Epoch (\d+): +(\d+)%\|[^|]*\| (\d+)/(\d+) \[([\d:]+)<([\d:]+), ([\d.]+)it/s, loss=([^,]+),"
    r" lr=([^\]]+)\]": BAR,
}


def read(rules: Mapping[str, Layout], path: str) -> Columns:
    """The groups of each line by the first pattern that matches it."""
    rows: list[list[tuple[str, ...]]] = [[] for _ in rules]
    tries = [(re.compile(pattern).match, kept.append) for pattern, kept in zip(rules, rows, strict=True)]
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            for match, keep in tries:
                if found := match(line):
                    keep(found.groups())
                    break
    columns: Columns = {}
    for layout, kept in zip(rules.values(), rows, strict=True):
        converted(columns, layout, kept)
    return columns


READERS = {
    "tables": partial(read, TABLES),
    "csv": partial(read, CSV),
    "csv-any-width": partial(read, CSV),
    "dmon": partial(read, MONITOR),
    "pmon": partial(read, PROCESSES),
    "log": partial(read, LOG),
    "sparse-log": partial(read, LOG),
}
