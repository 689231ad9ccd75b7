"""The workers of a Dask cluster make the dataset that one process makes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import update

WAIT_S = 60
DASK = (sys.executable, "-m", "dask")


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with two workers, all started as a user would."""
    file = tmp_path / "scheduler.json"
    shared = ("--scheduler-file", str(file), "--no-dashboard")
    commands = [
        (*DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", *shared),
        (
            *DASK,
            "worker",
            "--nworkers",
            "2",
            "--nthreads",
            "1",
            "--local-directory",
            str(tmp_path / "local"),
            *shared,
        ),
    ]
    with ExitStack() as stack:
        for command in commands:
            process = stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            stack.callback(process.terminate)
            until = time.monotonic() + WAIT_S
            while not file.exists() and time.monotonic() < until:
                time.sleep(0.1)
        yield json.loads(file.read_text())["address"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_cluster_makes_the_dataset_of_one_process(tmp_path: Path, scheduler: str) -> None:
    folder = FIXTURES / "demo"
    for name, engine in (("cluster", Engine(scheduler=scheduler)), ("one", Engine(workers=1))):
        assert update(folder, tmp_path / name, engine=engine).faults == []

    made = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.parquet")}
        for name in ("cluster", "one")
    ]
    assert made[0] == made[1] != {}
