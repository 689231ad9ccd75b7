"""Captures on as many cores or machines as there are: a pool of processes, or the workers of a Dask cluster.

Workers share the two folders and nothing else. What a killed worker had in hand is done again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from smianalyze.errors import OutputFailed
from smianalyze.fleet.convert import Converted, convert, give_up
from smianalyze.fleet.layout import CaptureFiles

ALONE = 2
"""A capture whose worker is killed so many times while it is the only one is given up."""
KILLED = "the process that read it was killed, twice: does it need more memory than there is?"
NO_DISTRIBUTED = "--scheduler needs distributed: pip install 'smianalyze[fleet]'."


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Where captures are read.

    Attributes:
        workers: Processes of the pool; as many as there are cores if None. With 1 nothing is started.
        scheduler: Address of a Dask scheduler, whose workers see all folders under the same paths.
    """

    workers: int | None = None
    scheduler: str | None = None


Task = Callable[[CaptureFiles], Converted]


def converted(
    folder: Path, captures: Sequence[CaptureFiles], dataset: Path, *, engine: Engine
) -> Iterator[Converted]:
    """Put captures into a dataset, each as it gets ready; their order and the engine change nothing in it.

    Args:
        folder: Where the captures are.
        captures: What is to be read.
        dataset: Where the rows go.
        engine: Where they are read.

    Raises:
        OutputFailed: The dataset cannot be written, or distributed is not installed.
    """
    task = partial(_convert, folder.absolute(), dataset.absolute())
    if engine.scheduler is not None:
        return _by_dask(task, captures, engine.scheduler)
    count = min(engine.workers or os.cpu_count() or 1, len(captures))
    return map(task, captures) if count <= 1 else _by_pool(task, captures, count)


def _convert(folder: Path, dataset: Path, capture: CaptureFiles) -> Converted:
    return convert(folder, capture, dataset)


def _by_pool(task: partial[Converted], captures: Sequence[CaptureFiles], count: int) -> Iterator[Converted]:
    left = {capture.name: capture for capture in captures}
    while left:
        with _pool(count) as pool:
            for result in _results(pool, task, left.values()):
                del left[result.capture]
                yield result
        # a pool breaks as a whole: who was in hand is tried alone
        suspects = [*left.values()][: 2 * count]
        for result in _one_by_one(task, suspects):
            del left[result.capture]
            yield result


def _results(pool: ProcessPoolExecutor, task: Task, captures: Iterable[CaptureFiles]) -> Iterator[Converted]:
    """What becomes of some captures, as far as the pool lives."""
    futures = [pool.submit(task, capture) for capture in captures]
    with suppress(BrokenProcessPool):
        for future in as_completed(futures):
            yield future.result()


def _one_by_one(task: partial[Converted], captures: Iterable[CaptureFiles]) -> Iterator[Converted]:
    """Each capture in a process that has nothing else in hand, so that it is known who kills it."""
    left = deque((capture, ALONE) for capture in captures)
    while left:
        with _pool(1) as pool, suppress(BrokenProcessPool):
            while left:
                capture, tries = left[0]
                yield pool.submit(task, capture).result()
                left.popleft()
            return
        left[0] = (capture, tries - 1)
        if tries == 1:
            left.popleft()
            folder, dataset = task.args
            give_up(folder, capture, dataset, KILLED)
            yield Converted(capture.name, 0, KILLED)


def _pool(count: int) -> ProcessPoolExecutor:
    # a forked process would share the locks of our threads and of the libraries'
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def _by_dask(task: Task, captures: Sequence[CaptureFiles], scheduler: str) -> Iterator[Converted]:
    if find_spec("distributed") is None:
        raise OutputFailed(NO_DISTRIBUTED)
    distributed = import_module("distributed")
    with distributed.Client(scheduler) as client:
        futures = client.map(task, captures, pure=False, retries=ALONE)
        for future in distributed.as_completed(futures):
            yield future.result()
            future.release()
