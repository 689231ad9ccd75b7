"""Times how a folder of many hosts becomes a dataset: one process, a pool, and clusters of Dask; writes Markdown.

    python benchmarks/bench_fleet.py --hosts 200 --size-mb 5 --output benchmarks/fleet_results.md

All must make the same dataset, byte for byte, and its rows must be those that ``smianalyze.load`` gives.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess  # noqa: TID251 - a cluster is started as a user would
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench import surroundings
from captures import CAPTURES, write
from measure import HERE, run

import smianalyze
from smianalyze.columns import columns_of
from smianalyze.fleet.scan import scan

WORKERS = 2
WAIT_S = 60  # for a scheduler to start
HOSTS = 200
SIZE_MB = 5
ROOM_HOSTS, ROOM_CARDS, DAY_S = 1_000, 8, 86_400
CLUSTERS = (1, 8, 64)
DASK = (sys.executable, "-m", "dask")
HOUR_S = 3_600
DASK_SETTINGS = {
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__MALLOC_TRIM_THRESHOLD_": "100000000",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""What docs/fleet.md advises: memory is kept from capture to capture, and workers are not sampled."""


class DatasetsDiffer(Exception):
    """Two ways gave two datasets."""


class Row(NamedTuple):
    """What one way took."""

    label: str
    workers: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    rows: int
    size: int


def hosts(folder: Path, *, count: int, size: int, kind: str) -> None:
    """Write a capture for each of some made up hosts."""
    for number in range(count):
        place = folder / f"node{number:04}"
        place.mkdir(parents=True)
        write(kind, size, place / "smi.txt", seed=number + 1)


def measured(folder: Path, place: Path) -> Iterator[Row]:
    """A row for each way; all make the same dataset."""
    with scheduler(place) as file:
        ways = (
            ("one process", 1, "pool", "1"),
            (f"pool of {WORKERS}", WORKERS, "pool", str(WORKERS)),
            (f"LocalCluster of {WORKERS}", WORKERS, "local", str(WORKERS)),
            (f"`dask scheduler` and {WORKERS} `dask worker`", WORKERS, "cluster", str(file)),
        )
        first = ""
        for label, workers, way, argument in ways:
            dataset = place / f"{way}-{workers}"
            command = [sys.executable, str(HERE / "fleet_run.py"), str(folder), str(dataset), way, argument]
            _, printed = run(command)
            first = first or content(dataset)
            if content(dataset) != first:
                raise DatasetsDiffer(label)
            yield Row(label, workers, **json.loads(printed))


@contextmanager
def scheduler(place: Path) -> Iterator[Path]:
    """A scheduler with workers, all started from the command line; gives the file with its address."""
    file = place / "scheduler.json"
    shared = ("--scheduler-file", str(file), "--no-dashboard")
    worker = (
        "worker",
        "--nworkers",
        "1",
        "--nthreads",
        "1",
        "--memory-limit",
        "0",
        "--local-directory",
        str(place),
    )
    commands = [(*DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", *shared)]
    commands += [(*DASK, *worker, *shared)] * WORKERS
    paths = filter(None, (str(HERE), os.environ.get("PYTHONPATH")))
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with ExitStack() as stack:
        for command in commands:
            process = stack.enter_context(
                subprocess.Popen(  # noqa: S603 - the same
                    command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            stack.callback(process.terminate)
            until = time.monotonic() + WAIT_S
            while not file.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
        yield file


def content(dataset: Path) -> str:
    """A digest of all files of a dataset and their names."""
    digest = hashlib.blake2b()
    for path in sorted(dataset.rglob("*.parquet")):
        digest.update(str(path.relative_to(dataset)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compare(folder: Path, dataset: Path) -> None:
    """Hold the rows of all captures against what is read one by one.

    Raises:
        DatasetsDiffer: They differ.
    """
    for path in sorted(folder.glob("*/*")):
        host = path.parent.name
        capture, part = smianalyze.load(path, host=host), scan(dataset).where(host=host)
        for frame in ("snapshots", "gpus", "processes"):
            columns = [column.name for column in columns_of(frame)]
            if not part.lazy(frame).to_pandas(columns).equals(getattr(capture, frame)[columns]):
                raise DatasetsDiffer(f"{path}: {frame}")


def markdown(rows: Sequence[Row], *, count: int, kind: str) -> str:
    """The table, what a machine room takes at that rate, and what that assumes."""
    one = rows[0]
    size = f"{one.size / 1e6 / count:,.1f} MB"
    lines = [
        f"{count:,} made up hosts with {ROOM_CARDS} cards, a capture of {size} ({kind}) each: {one.rows:,} rows of"
        f" `gpus`. All four make the same dataset, byte for byte. {surroundings()}, {os.cpu_count()} cores.",
        "",
        "| by | wall, s | CPU, s | against one process | for each worker | memory of a worker, MiB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += (
        f"| {row.label} | {row.wall_s:,.1f} | {row.cpu_s:,.1f} | {one.wall_s / row.wall_s:.2f} x |"
        f" {100 * one.wall_s / row.wall_s / row.workers:.0f} % | {row.peak_mib:,.0f} |"
        for row in rows
    )
    return "\n".join([*lines, "", *machine_room(rows), ""])


def machine_room(rows: Sequence[Row]) -> Iterator[str]:
    """How long a day of a machine room takes."""
    one, most = rows[0], rows[-1]
    total = ROOM_HOSTS * ROOM_CARDS * DAY_S
    rate = one.rows / one.cpu_s
    share = min(1.0, one.cpu_s / most.cpu_s)
    bytes_a_row = one.size / one.rows
    yield (
        f"One core reads {rate:,.0f} rows a second. {ROOM_HOSTS:,} hosts with {ROOM_CARDS} cards that print once a"
        f" second make {total / 1e9:.2f} billion rows a day ({total * bytes_a_row / 1e9:,.0f} GB of such text):"
    )
    yield ""
    yield "| workers | hours |"
    yield "|--:|--:|"
    for workers in CLUSTERS:
        yield f"| {workers} | {total / rate / workers / (1 if workers == 1 else share) / HOUR_S:,.1f} |"
    yield ""
    yield (
        f"Assumed: each worker has a core of its own, and does {100 * share:.0f} % of what one process alone does"
        " in the same CPU time, as measured above; a shared disk gives each of them"
        f" {one.size / one.cpu_s / 1e6:,.0f} MB/s; captures are as long as those above."
    )


def main() -> None:
    """Write the hosts, read them in all ways, and write the tables."""
    parser = argparse.ArgumentParser(description="Time a folder of many hosts into a dataset.")
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--size-mb", type=float, default=SIZE_MB)
    parser.add_argument("--kind", choices=CAPTURES, default="tables")
    parser.add_argument("--output", type=Path, help="a Markdown file; without it the tables are printed alone")
    chosen = parser.parse_args()
    os.environ.update(DASK_SETTINGS)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        hosts(place / "captures", count=chosen.hosts, size=int(chosen.size_mb * 1e6), kind=chosen.kind)
        rows = []
        for row in measured(place / "captures", place):
            rows.append(row)
            sys.stderr.write(f"{row.label}: {row.wall_s:.1f} s, {row.cpu_s:.1f} s of CPU time\n")
        compare(place / "captures", place / "pool-1")
    text = markdown(rows, count=chosen.hosts, kind=chosen.kind)
    sys.stdout.write(text)
    if chosen.output:
        chosen.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
