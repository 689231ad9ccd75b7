"""Work on as many cores or machines as there are: a pool of processes, or the workers of a Dask cluster.

Workers share the two folders and nothing else. What a killed worker had in hand is done again.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from threading import current_thread, main_thread
from typing import Protocol, TypeVar

from smianalyze.errors import OutputFailed

ALONE = 2
"""What kills its worker so many times while it is alone in it is given up."""
CONFIGURED = "scheduler-address"
"""Of Dask's configuration: a file of it, or the variable ``DASK_SCHEDULER_ADDRESS``."""
NO_DISTRIBUTED = "--scheduler needs distributed: pip install 'smianalyze[fleet]'."

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Where work is done.

    Attributes:
        workers: Processes of the pool; as many as there are cores if None. With 1 nothing is started.
        scheduler: Address of a Dask scheduler, whose workers see all folders under the same paths.
    """

    workers: int | None = None
    scheduler: str | None = None


EVERY_CORE = Engine()


class Pool(Protocol[Item, Result]):
    """Processes that take work."""

    def submit(self, task: Callable[[Item], Result], item: Item, /) -> Future[Result]:
        """Have something done."""


def chosen_engine(workers: int | None, scheduler: str | None) -> Engine:
    """The engine that a user wants: who chooses nothing gets the scheduler that Dask's configuration names."""
    if workers is None and scheduler is None and find_spec("dask"):
        scheduler = import_module("dask").config.get(CONFIGURED, None)
    return Engine(workers=workers, scheduler=scheduler)


def done(
    task: Callable[[Item], Result], items: Sequence[Item], *, lost: Callable[[Item], Result], engine: Engine
) -> Iterator[Result]:
    """What becomes of some items, each as it gets ready.

    Args:
        task: What is done with one; done twice it must do no harm.
        items: All of them.
        lost: Called in its place for one that kills whoever does it.
        engine: Where it is done.

    Raises:
        OutputFailed: distributed is not installed.
    """
    if engine.scheduler is not None:
        return _by_dask(task, items, lost, engine.scheduler)
    count = min(engine.workers or os.cpu_count() or 1, len(items))
    return map(task, items) if count <= 1 else _by_pool(task, items, lost, count)


def _by_pool(
    task: Callable[[Item], Result], items: Sequence[Item], lost: Callable[[Item], Result], count: int
) -> Iterator[Result]:
    left = dict(enumerate(items))
    while left:
        with _pool(count) as pool:
            for number, result in _results(pool, task, left):
                del left[number]
                yield result
        # a pool breaks as a whole: who was in hand is tried alone
        suspects = [*left][: 2 * count]
        yield from _one_by_one(task, [left.pop(number) for number in suspects], lost)


def _results(
    pool: Pool[Item, Result], task: Callable[[Item], Result], items: Mapping[int, Item]
) -> Iterator[tuple[int, Result]]:
    """What becomes of some items, as far as the pool lives."""
    futures = {_submitted(pool, task, item): number for number, item in items.items()}
    with suppress(BrokenProcessPool):
        for future in as_completed(futures):
            yield futures[future], future.result()


def _one_by_one(
    task: Callable[[Item], Result], items: Iterable[Item], lost: Callable[[Item], Result]
) -> Iterator[Result]:
    """Each item in a process that has nothing else in hand, so that it is known who kills it."""
    left = deque((item, ALONE) for item in items)
    while left:
        with _pool(1) as pool, suppress(BrokenProcessPool):
            while left:
                item, tries = left[0]
                yield _submitted(pool, task, item).result()
                left.popleft()
            return
        left[0] = (item, tries - 1)
        if tries == 1:
            left.popleft()
            yield lost(item)


@contextmanager
def _pool(count: int) -> Iterator[ProcessPoolExecutor]:
    # a forked process would share the locks of our threads and of the libraries'
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C or on a full disk, what waits is not begun


def _submitted(pool: Pool[Item, Result], task: Callable[[Item], Result], item: Item) -> Future[Result]:
    """Work for a pool, which starts its workers now; they leave Ctrl-C to us, and finish what is in hand."""
    if current_thread() is not main_thread():
        return pool.submit(task, item)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(task, item)
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def _by_dask(
    task: Callable[[Item], Result], items: Sequence[Item], lost: Callable[[Item], Result], scheduler: str
) -> Iterator[Result]:
    if find_spec("distributed") is None:
        raise OutputFailed(NO_DISTRIBUTED)
    distributed = import_module("distributed")
    with distributed.Client(scheduler) as client:
        # the scheduler itself does again what a killed worker had in hand, several times
        futures = {future: item for item, future in zip(items, client.map(task, items, pure=False), strict=True)}
        for future in distributed.as_completed(list(futures)):
            item = futures.pop(future)
            try:
                result = future.result()
            except distributed.KilledWorker:
                result = lost(item)
            yield result
