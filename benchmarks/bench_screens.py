"""Times everyone who can read a recording of `watch nvidia-smi`, each in a process of its own, as Markdown.

    python benchmarks/bench_screens.py --screens 170000 --output benchmarks/screens.md

The recording is a day of ``watch -n 0.5`` on a machine with eight cards. An emulator does not know when a screen
is complete and what it says: the others are told where each screen ends, and read only four values of each card.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from measure import Cost, run
from screen_readers.screens import HEIGHT, WIDTH, Sums
from watch_recording import Machine, Painter, Tick, recording

SCREENS = 170_000  # of a day; nvidia-smi takes a while too
FEW_SCREENS = 10_000  # for who would take minutes; a rate needs no more
START_SCREENS = 200  # of which the fixed costs are taken: imports, mostly
CARDS = 8


class Reader(NamedTuple):
    """Who reads: what stands in the table, its module, the package that it needs, and whether it gets less."""

    label: str
    module: str
    needs: str
    slow: bool = False


READERS = (
    Reader("smianalyze, all rows", "ours", "smianalyze"),
    Reader("pyavt, all screens as text", "pyavt", "avt"),
    Reader("pyte, changed rows as text", "pyte_rows", "pyte", slow=True),
)


def write(path: Path, screens: int) -> Sums:
    """A recording, and the sums that are the truth."""
    found: list[Tick] = []
    sums = [0] * len(Sums._fields)

    def counted() -> Iterator[Tick]:
        for tick in Machine(random.Random(1), cards=CARDS).ticks(screens):  # noqa: S311 - the same on every run
            if not found or tick.lines != found[-1].lines:  # else watch paints nothing
                sums[0] += 1
                for card in tick.readings:
                    for place, value in enumerate(
                        (card.temperature, card.power, card.memory, card.utilization), 1
                    ):
                        sums[place] += value
            found[:] = [tick]
            yield tick

    with path.open("w", encoding="ascii", newline="") as file:
        file.writelines(recording(counted(), Painter(HEIGHT, WIDTH)))
    return Sums(*sums)


def measured(reader: Reader, path: Path, screens: int) -> tuple[Cost, int]:
    """What a reader needs for a recording, and how many screens that has.

    Raises:
        ValueError: It has read something else than what is there.
    """
    truth = write(path, screens)
    cost, printed = run([sys.executable, __file__, "--read", reader.module, str(path)])
    if Sums(*json.loads(printed)) != truth:
        raise ValueError(f"{reader.label}: {printed}, and not {truth}")
    return cost, truth.screens


def table(screens: int, folder: Path) -> str:
    """Markdown: who reads how many screens in a second."""
    lines = [
        f"A recording of `watch nvidia-smi` with {CARDS} cards on {HEIGHT} x {WIDTH}: screens per second of CPU"
        " time without start-up. The emulators are told where a screen ends, and give four values of each card.",
        "",
        "| reader | screens | screens/s | peak, MiB | above its start, MiB |",
        "|---|--:|--:|--:|--:|",
    ]
    for reader in READERS:
        if importlib.util.find_spec(reader.needs) is None:
            continue
        start, few = measured(reader, folder / "start", START_SCREENS)
        cost, count = measured(reader, folder / "all", min(screens, FEW_SCREENS) if reader.slow else screens)
        rate = (count - few) / (cost.cpu_s - start.cpu_s)
        grown = cost.peak_mib - start.peak_mib
        lines.append(f"| {reader.label} | {count:,} | {rate:,.0f} | {cost.peak_mib:,.0f} | {grown:,.0f} |")
        sys.stderr.write(f"{lines[-1]}\n")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all readers and write the table."""
    parser = argparse.ArgumentParser(description="Time everyone who can read a recording of watch.")
    parser.add_argument("--screens", type=int, default=SCREENS)
    parser.add_argument("--output", type=Path, help="a Markdown file; without it the table is printed alone")
    parser.add_argument("--read", nargs=2, metavar=("READER", "FILE"), help="read one recording, print its sums")
    chosen = parser.parse_args()
    if chosen.read:
        module, path = chosen.read
        sys.stdout.write(json.dumps(import_module(f"screen_readers.{module}").read(Path(path))))
        return
    with tempfile.TemporaryDirectory() as folder:
        text = table(chosen.screens, Path(folder))
    sys.stdout.write(text)
    if chosen.output:
        chosen.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
