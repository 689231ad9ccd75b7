"""The workers of a Dask cluster make the dataset that one process makes, also when some of them are killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from fixture_pairs import FIXTURES

from smianalyze.cli import cli
from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import Work, update

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

WAIT_S = 60
DASK = (sys.executable, "-m", "dask")
Cluster = Callable[[Path], AbstractContextManager[str]]


@contextmanager
def started_by_hand(place: Path) -> Iterator[str]:
    """The address of a scheduler with two workers, all started as a user would."""
    file = place / "scheduler.json"
    shared = ("--scheduler-file", str(file), "--no-dashboard")
    worker = ("worker", "--nworkers", "2", "--nthreads", "1", "--local-directory", str(place / "local"))
    commands = [
        (*DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", *shared),
        (*DASK, *worker, *shared),
    ]
    with ExitStack() as stack:
        for command in commands:
            process = stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            stack.callback(process.terminate)
            until = time.monotonic() + WAIT_S
            while not file.exists() and time.monotonic() < until and process.poll() is None:
                time.sleep(0.1)
        yield json.loads(file.read_text())["address"]


@contextmanager
def in_this_process(_: Path) -> Iterator[str]:
    """The address of a LocalCluster, as in a notebook."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Captures of some hosts."""
    place = tmp_path / "captures"
    place.mkdir()
    for number in range(3):
        shutil.copy(FIXTURES / "demo/smi_before.txt", place / f"host{number}.txt")
        shutil.copy(FIXTURES / "query_csv/series_200ms.csv", place / f"host{number}.csv")
    return place


def content(dataset: Path) -> dict[Path, bytes]:
    return {path.relative_to(dataset): path.read_bytes() for path in dataset.rglob("*.parquet")}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cluster", [started_by_hand, in_this_process])
def test_cluster_makes_the_dataset_of_one_process(tmp_path: Path, folder: Path, cluster: Cluster) -> None:
    with cluster(tmp_path) as address:
        assert update(folder, tmp_path / "cluster", engine=Engine(scheduler=address)).faults == []
    update(folder, tmp_path / "one", engine=Engine(workers=1))

    assert content(tmp_path / "cluster") == content(tmp_path / "one") != {}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_workers_of_a_cluster_lose_nothing(tmp_path: Path, folder: Path) -> None:
    with started_by_hand(tmp_path) as address, distributed.Client(address) as client:

        def kill_one(work: Work) -> None:
            if work.captures in (1, 3):
                pids = client.run(os.getpid)
                os.kill(min(pids.values()), signal.SIGKILL)

        done = update(folder, tmp_path / "cluster", engine=Engine(scheduler=address), progress=kill_one)
    update(folder, tmp_path / "one", engine=Engine(workers=1))

    assert (done.read, done.faults) == (6, [])
    assert content(tmp_path / "cluster") == content(tmp_path / "one")


@pytest.mark.filterwarnings("ignore")
def test_scheduler_of_dasks_configuration_is_asked_unless_workers_are_named(tmp_path: Path, folder: Path) -> None:
    nobody = {"scheduler-address": "tcp://127.0.0.1:1", "distributed.comm.timeouts.connect": "100ms"}
    command = ("fleet", str(folder), "--to", str(tmp_path / "dataset"), "-o", str(tmp_path / "report"))

    with dask.config.set(nobody):
        asked = CliRunner().invoke(cli, command)
        alone = CliRunner().invoke(cli, (*command, "--workers", "1"), catch_exceptions=False)

    assert alone.exit_code == 0
    assert isinstance(asked.exception, OSError)
    assert "tcp://127.0.0.1:1" in str(asked.exception)
