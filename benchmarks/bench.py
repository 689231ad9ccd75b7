"""Times everyone who reads the same captures, each in a process of its own, and writes Markdown.

    python benchmarks/bench.py --size-mb 200 --output benchmarks/results.md

Behind that stand who reads recordings of watch, what a whole report costs, and what is found in made-up runs.

Each contender first reads a small capture: its sums must be the truth, and what it costs (the imports, mostly) is
taken off what the big one costs.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from captures import CAPTURES, write
from made_up_training import Sums
from measure import HERE, run

SMALL = 50_000  # bytes of the capture of which a contender's fixed costs and sums are taken
SIZE_MB = 200
SLOW_SIZE_MB = 3  # for who would take minutes; a rate needs no more
LEAST_S = 0.001  # the clock of the system tells no less
SAME = 1e-9  # sums of floats differ by the order in which they are added
REPORT_SIZE_MB = 20
SHORT_RUNS = 5  # of which the quickest counts
SCREENS = 50_000  # seven hours of `watch -n 0.5`
RECORDINGS = ("tables", "csv", "dmon")  # of which a report shows a course in time
_CSV = frozenset({"csv", "csv-any-width"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Someone who reads captures.

    Attributes:
        label: What stands in the table.
        kinds: The captures that it can read.
        module: Its module among the contenders; "" for another program.
        needs: The package or program that must be installed.
        slow: Whether it gets a small file.
    """

    label: str
    kinds: frozenset[str]
    module: str = ""
    needs: str = ""
    slow: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether it can run here."""
        if self.module:
            return not self.needs or importlib.util.find_spec(self.needs) is not None
        return shutil.which(self.needs) is not None

    def command(self, kind: str, path: Path, *, sums: bool = False) -> list[str]:
        """The command that reads a capture, and prints its sums if they are wanted."""
        if self.module:
            options = ("--sums",) if sums else ()
            return [sys.executable, str(HERE / "contend.py"), self.module, kind, str(path), *options]
        program = shutil.which(self.needs) or self.needs
        if self.needs == "wc":
            return [program, "-l", str(path)]
        return [program, "-f", str(HERE / "awk" / f"{'csv' if kind in _CSV else kind}.awk"), str(path)]


OURS = Contender(label="smianalyze, to frames", kinds=frozenset(CAPTURES), module="ours")
LINES = Contender(label="`wc -l`", kinds=frozenset(CAPTURES), needs="wc")
CONTENDERS = (
    OURS,
    Contender(label="its grammar without memo", kinds=frozenset(CAPTURES), module="plain_lark", slow=True),
    Contender(label="loop with `re`", kinds=frozenset(CAPTURES), module="regex_loop"),
    Contender(label="`csv` module", kinds=_CSV, module="csv_module"),
    Contender(label="pandas, C engine", kinds=_CSV | {"dmon"}, module="pandas_c"),
    Contender(label="pyarrow", kinds=_CSV, module="pyarrow_csv", needs="pyarrow"),
    Contender(label="polars", kinds=_CSV, module="polars_csv", needs="polars"),
    Contender(label="`mawk`, sums only", kinds=_CSV | {"tables", "dmon"}, needs="mawk"),
    LINES,
)


class WrongSums(Exception):
    """A contender read something else than what the capture says."""


class Row(NamedTuple):
    """What one contender needed for one kind of capture, without its fixed costs."""

    kind: str
    contender: Contender
    bytes_a_second: float
    peak_mib: float
    grown_mib: float  # beyond what it needs for a small capture


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of the captures, and how often each is read; the quickest run counts."""

    big: int
    slow: int
    runs: int = 1


def measured(kind: str, sizes: Sizes, folder: Path) -> Iterator[Row]:
    """A row for each contender that is installed; the captures are written for it and removed again."""
    paths = {size: folder / f"{kind}-{size}" for size in (SMALL, sizes.slow, sizes.big)}
    sums = {size: write(kind, size, path) for size, path in paths.items()}
    for contender in contenders(kind):
        check(contender, kind, paths[SMALL], sums[SMALL])
        start = min(run(contender.command(kind, paths[SMALL]))[0] for _ in range(sizes.runs))
        big = paths[sizes.slow if contender.slow else sizes.big]
        cost = min(run(contender.command(kind, big))[0] for _ in range(sizes.runs))
        more = big.stat().st_size - paths[SMALL].stat().st_size
        seconds = max(cost.cpu_s - start.cpu_s, LEAST_S)
        yield Row(kind, contender, more / seconds, cost.peak_mib, cost.peak_mib - start.peak_mib)
    for path in paths.values():
        path.unlink()


def contenders(kind: str) -> list[Contender]:
    """Who can read such a capture here."""
    return [one for one in CONTENDERS if kind in one.kinds and one.is_installed]


def check(contender: Contender, kind: str, path: Path, truth: Sums) -> None:
    """Hold the sums of a contender against the truth.

    Raises:
        WrongSums: They differ, or a reader in Python leaves a column out.
    """
    _, printed = run(contender.command(kind, path, sums=True))
    if contender is LINES:
        found, truth = {"lines": int(printed.split()[0])}, {"lines": path.read_bytes().count(b"\n")}
    else:
        found = json.loads(printed)
    columns = truth if contender.module else found
    wrong = {
        column: (found.get(column), truth.get(column))
        for column in columns
        if not math.isclose(found.get(column, math.nan), truth.get(column, math.nan), rel_tol=SAME, abs_tol=SAME)
    }
    if wrong or not columns:
        raise WrongSums(f"{contender.label}, {kind}: {wrong}")


def markdown(rows: Sequence[Row], sizes: Sizes) -> str:
    """The table, and what it was measured on."""
    ours = {row.kind: row.bytes_a_second for row in rows if row.contender is OURS}
    lines = [
        f"Captures of {sizes.big / 1e6:g} MB each ({sizes.slow / 1e6:g} MB for the grammar without memo), read"
        " to all their columns, which is checked by the sums; `mawk` and `wc` keep nothing. MB per second of CPU"
        " time, user and system, of all threads, without start-up.",
        "",
        f"{surroundings()}.",
        "",
        "| capture | reader | MB/s | smianalyze is | peak, MiB | above its start, MiB |",
        "|---|---|--:|--:|--:|--:|",
    ]
    lines += (
        f"| {row.kind} | {row.contender.label} | {_figure(row.bytes_a_second / 1e6)} |"
        f" {_figure(ours[row.kind] / row.bytes_a_second)} x | {row.peak_mib:,.0f} | {row.grown_mib:,.0f} |"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def whole_reports(size: int, folder: Path) -> str:
    """A table of what the parts of a report cost, for each kind of recording."""
    lines = [
        f"From a recording of {size / 1e6:g} MB to its report, CPU seconds without imports:",
        "",
        "| capture | reading | findings | pictures and text | peak, MiB |",
        "|---|--:|--:|--:|--:|",
    ]
    for kind in RECORDINGS:
        path = folder / kind
        write(kind, size, path)
        cost, printed = run([sys.executable, str(HERE / "whole_report.py"), str(path)])
        parts = " | ".join(f"{seconds:.1f}" for seconds in json.loads(printed))
        lines.append(f"| {kind} | {parts} | {cost.peak_mib:,.0f} |")
    _, printed = run([sys.executable, str(HERE / "drawing.py")])
    drawn = json.loads(printed)
    all_s, timeline_s = sum(drawn.values()), drawn["timeline.png"]
    last = (
        f"Pictures of 100,000 prints of 8 cards: {all_s:.1f} s; the timeline alone is drawn in {timeline_s:.1f} s."
    )
    return "\n".join([*lines, "", last, ""])


def short_runs(folder: Path) -> str:
    """What is waited for at a prompt."""
    demo = HERE.parent / "fixtures" / "demo"
    prints = [str(demo / name) for name in ("smi_before.txt", "smi_after.txt")]
    command = [sys.executable, "-m", "smianalyze.cli"]
    report = min(
        run([*command, "report", *prints, "--quiet", "-o", str(folder / str(number))])[0]
        for number in range(SHORT_RUNS)
    )
    usage = min(run([*command, "--help"])[0] for _ in range(SHORT_RUNS))
    return (
        f"A report on two prints takes {report.cpu_s:.2f} s of CPU time and {report.peak_mib:,.0f} MiB, start-up"
        f" included; `--help` {usage.cpu_s:.2f} s.\n"
    )


def findings_matrix() -> str:
    """What is found in the made-up runs of the tests."""
    _, printed = run([sys.executable, str(HERE.parent / "tests" / "simulator.py")])
    return f"Findings (columns) in made-up runs with a known cause (rows):\n\n```text\n{printed}```\n"


def screens(count: int) -> str:
    """A table of who reads recordings of watch."""
    return run([sys.executable, str(HERE / "bench_screens.py"), "--screens", str(count)])[1]


def surroundings() -> str:
    """The machine and the versions, as far as they matter for speed."""
    packages = [
        name for name in ("lark", "numpy", "pandas", "pyarrow", "polars") if importlib.util.find_spec(name)
    ]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {versions}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.2g}"


def main() -> None:
    """Run all contenders and write the table."""
    parser = argparse.ArgumentParser(description="Time everyone who reads the same captures.")
    parser.add_argument("--size-mb", type=float, default=SIZE_MB)
    parser.add_argument("--slow-size-mb", type=float, default=SLOW_SIZE_MB)
    parser.add_argument("--report-size-mb", type=float, default=REPORT_SIZE_MB)
    parser.add_argument("--screens", type=int, default=SCREENS, help="of a recording of watch")
    parser.add_argument("--runs", type=int, default=1, help="of which the quickest counts")
    parser.add_argument("--kinds", nargs="+", choices=CAPTURES, default=list(CAPTURES))
    parser.add_argument("--output", type=Path, help="a Markdown file; without it the table is printed alone")
    chosen = parser.parse_args()
    sizes = Sizes(int(chosen.size_mb * 1e6), int(chosen.slow_size_mb * 1e6), chosen.runs)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in chosen.kinds:
            for row in measured(kind, sizes, Path(folder)):
                rows.append(row)
                sys.stderr.write(f"{kind}: {row.contender.label}, {_figure(row.bytes_a_second / 1e6)} MB/s\n")
        reports = whole_reports(int(chosen.report_size_mb * 1e6), Path(folder))
        short = short_runs(Path(folder))
    text = "\n".join([markdown(rows, sizes), screens(chosen.screens), reports, short, findings_matrix()])
    sys.stdout.write(text)
    if chosen.output:
        chosen.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
