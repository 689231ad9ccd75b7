"""One contender reads one capture: ``python benchmarks/contend.py regex_loop csv smi.csv [--sums]``."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main(contender: str, kind: str, path: str, *options: str) -> None:
    """Read the capture; with ``--sums`` also print the sum of each column."""
    module = import_module(f"contenders.{contender}")
    data = module.READERS[kind](path)
    if "--sums" in options:
        sys.stdout.write(json.dumps(module.sums(data)))


if __name__ == "__main__":
    main(*sys.argv[1:])
