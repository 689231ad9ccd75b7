"""The screens of a recording by our own painter, for emulators that cannot tell when a screen is complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

HEIGHT, WIDTH = 60, 200
BLOCK = 256 * 1024  # bytes
REST = f"\x1b[{HEIGHT};{WIDTH}H"
_LOAD = re.compile(r"\| N/A +([0-9]+)C +P[0-9]+ +([0-9]+)W / +[0-9]+W \| +([0-9]+)MiB / +[0-9]+MiB \| +([0-9]+)%")


class Sums(NamedTuple):
    """What all cards of all screens show, added up."""

    screens: int = 0
    temperature: int = 0
    power: int = 0
    memory: int = 0
    utilization: int = 0


def blocks(path: Path) -> Iterator[str]:
    """The text of a recording, block by block."""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block.decode()


def screens(path: Path) -> Iterator[str]:
    """The text of each screen; only our painter ends all of them in the same way."""
    rest = ""
    for block in blocks(path):
        *whole, rest = (rest + block).split(REST)
        yield from (text + REST for text in whole)


def added(sums: Sums, rows: Iterable[str]) -> Sums:
    """The sums with those of one more screen."""
    loads = [load for load in map(_LOAD.match, rows) if load]
    return Sums(sums[0] + 1, *(sums[place] + sum(int(load[place]) for load in loads) for place in range(1, 5)))
