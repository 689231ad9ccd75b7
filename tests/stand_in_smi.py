"""Prints what nvidia-smi prints on a host with a GPU: a fixture, or made-up values of the fields asked for."""

from __future__ import annotations

import sys
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PRINTS = {
    "": "demo/smi_after.txt",
    "-L": "list_gpus/two_cards.txt",
    "-q": "smi_xml/mig_v12.xml",
    "dmon": "dmon/blocks_580.txt",
    "pmon": "pmon/names_with_blanks_591.txt",
}
# By the first part of a field's name.
VALUES = {
    "timestamp": "2026/11/30 19:51:38.991",
    "index": "0",
    "name": "NVIDIA H200",
    "gpu_uuid": "GPU-00000000-1111",
    "process_name": "python",
}
UNITS = {"memory": "MiB", "used_memory": "MiB", "utilization": "%", "power": "W", "clocks": "MHz"}


def table(fields: list[str]) -> str:
    units = [f" {UNITS[part]}" if (part := field.partition(".")[0]) in UNITS else "" for field in fields]
    names = [field + (f" [{unit.strip()}]" if unit else "") for field, unit in zip(fields, units, strict=True)]
    values = [VALUES.get(field, "10") + unit for field, unit in zip(fields, units, strict=True)]
    return f"{', '.join(names)}\n{', '.join(values)}\n"


def main(words: list[str]) -> None:
    asked = [word.partition("=")[2] for word in words if word.startswith("--query")]
    if asked:
        sys.stdout.write(table(asked[0].split(",")))
    else:
        sys.stdout.write((FIXTURES / PRINTS[words[0] if words else ""]).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
