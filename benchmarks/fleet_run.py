"""Brings a dataset to what a folder holds, and prints as JSON what that took.

    python benchmarks/fleet_run.py FOLDER DATASET pool 2

The ways are ``pool`` with a number of processes (1: no pool), ``local`` with a number of workers of a
LocalCluster, and ``cluster`` with the file that ``dask scheduler --scheduler-file`` wrote.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from measure import MAXRSS_BYTES

from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import update
from smianalyze.fleet.scan import scan


class Used(NamedTuple):
    """CPU seconds, user and system, of some processes, and bytes of the largest of them."""

    cpu_s: float
    peak: int


def used(who: int = resource.RUSAGE_SELF) -> Used:
    """What this process, or its children that have ended, took so far."""
    usage = resource.getrusage(who)
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * MAXRSS_BYTES)


@contextmanager
def scheduler(way: str, argument: str) -> Iterator[str | None]:
    """The address of the scheduler; None where there is none."""
    if way == "local":
        from distributed import LocalCluster  # noqa: PLC0415 - costs others nothing

        with LocalCluster(
            n_workers=int(argument), threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster:
            yield cluster.scheduler_address
    else:
        yield json.loads(Path(argument).read_text(encoding="utf-8"))["address"] if way == "cluster" else None


def of_workers(address: str | None) -> list[Used]:
    """What the workers of a scheduler took so far, those of a pool that has ended, or this process alone."""
    if address is None:
        return [used(), used(resource.RUSAGE_CHILDREN)]
    from distributed import Client  # noqa: PLC0415 - the same

    with Client(address) as client:
        return [used(), *(Used(*one) for one in client.run(used).values())]


def main() -> None:
    """Do it."""
    folder, dataset, way, argument = sys.argv[1:]
    with scheduler(way, argument) as address:
        before, start = of_workers(address), time.perf_counter()
        engine = Engine(scheduler=address) if address else Engine(workers=int(argument))
        done = update(Path(folder), Path(dataset), layout="{host}/*", engine=engine)
        wall_s, after = time.perf_counter() - start, of_workers(address)
    cpu_s = sum(one.cpu_s for one in after) - sum(one.cpu_s for one in before)
    workers = [one.peak for one in after[1:] if one.peak] or [after[0].peak]
    rows = scan(dataset).lazy("gpus").count_rows()
    told = {"wall_s": wall_s, "cpu_s": cpu_s, "peak_mib": max(workers) / 2**20, "rows": rows, "size": done.size}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
