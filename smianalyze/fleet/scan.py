"""A dataset lazily: frames of the captures of some hosts, cards and times, without reading the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from smianalyze.columns import FRAMES
from smianalyze.errors import UnreadableInput
from smianalyze.fleet.dataset import COMMIT, SUFFIX, is_stem, may_hold
from smianalyze.fleet.schema import FINDINGS, USAGE, schema_of

SCHEMAS: dict[str, pa.Schema] = {
    **{frame: schema_of(frame) for frame in FRAMES},
    **USAGE,
    "findings": FINDINGS,
}
"""Schema of each frame of a dataset."""


class Lazy:
    """One frame of a dataset without Dask: nothing is read before :meth:`to_pandas`."""

    def __init__(self, dataset: ds.Dataset, condition: pc.Expression | None) -> None:
        self.dataset = dataset
        self.condition = condition

    def to_pandas(self, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """The rows as a DataFrame with nullable dtypes.

        Args:
            columns: Those that are wanted; all if not given.

        Raises:
            UnreadableInput: A file of the dataset is damaged.
        """
        wanted = None if columns is None else list(columns)
        with self._telling_damage():
            table = self.dataset.to_table(columns=wanted, filter=self.condition)
        rows: pd.DataFrame = table.to_pandas(types_mapper=_NULLABLE.get)
        return rows

    def count_rows(self) -> int:
        """How many rows there are."""
        with self._telling_damage():
            return int(self.dataset.count_rows(filter=self.condition))

    @contextmanager
    def _telling_damage(self) -> Iterator[None]:
        """Which file cannot be read, as a sentence."""
        try:
            yield
        except (OSError, pa.ArrowInvalid) as error:
            damaged = next(filter(_is_damaged, self.dataset.files), "A file of the dataset")
            raise UnreadableInput(
                f"{damaged} is damaged or gone: delete what is left of it and its namesake in {COMMIT}/, and run "
                "`smianalyze fleet` again."
            ) from error


_NULLABLE = {
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.string(): pd.StringDtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def _is_damaged(path: str) -> bool:
    try:
        pq.ParquetFile(path).read()
    except (OSError, pa.ArrowInvalid):
        return True
    return False


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset of many captures; its frames are attributes, such as ``dataset.gpus``.

    A frame is a Dask DataFrame where Dask is installed, else a :class:`Lazy`. The frames are those of a capture,
    each with ``capture``, ``host`` and ``run`` in front; ``findings``; and the sums ``card_usage``,
    ``hour_usage`` and ``process_usage``.

    Attributes:
        path: Its folder.
        hosts: Only these; None for all.
        gpu_indexes: Likewise.
        since: Only rows from this time on.
        until: Only rows before this time.
    """

    path: Path
    hosts: tuple[str, ...] | None = None
    gpu_indexes: tuple[int, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def where(
        self,
        *,
        host: str | Iterable[str] | None = None,
        gpu_index: int | Iterable[int] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> Dataset:
        """A part of it; what is not given stays as it is.

        Args:
            host: Files of other hosts are not opened.
            gpu_index: Rows of frames without one stay.
            since: Rows from this time on; rows of frames without times stay.
            until: Rows before this time.
        """
        return replace(
            self,
            hosts=self.hosts if host is None else (host,) if isinstance(host, str) else tuple(host),
            gpu_indexes=self.gpu_indexes if gpu_index is None else _integers(gpu_index),
            since=self.since if since is None else pd.Timestamp(since).to_pydatetime(),
            until=self.until if until is None else pd.Timestamp(until).to_pydatetime(),
        )

    def __getattr__(self, frame: str) -> Any:  # noqa: ANN401 - a Dask DataFrame, or a Lazy
        """A frame, lazily."""
        if frame not in SCHEMAS:
            raise AttributeError(frame)
        lazy = self.lazy(frame)
        return lazy if find_spec("dask") is None else _by_dask(lazy)

    def lazy(self, frame: str) -> Lazy:
        """A frame without Dask."""
        stems = {path.stem for path in (self.path / COMMIT).glob(f"*{SUFFIX}") if is_stem(path.stem)}
        files = [
            str(path)
            for path in sorted((self.path / frame).glob(f"*{SUFFIX}"))
            if path.stem in stems and (self.hosts is None or may_hold(path.stem, self.hosts))
        ]
        return Lazy(ds.dataset(files, schema=SCHEMAS[frame], format="parquet"), self._condition(frame))

    def _condition(self, frame: str) -> pc.Expression | None:
        names = SCHEMAS[frame].names
        conditions = []
        if self.hosts is not None:
            conditions.append(pc.field("host").isin(list(self.hosts)))
        if self.gpu_indexes is not None and "gpu_index" in names:
            conditions.append(pc.field("gpu_index").isin(list(self.gpu_indexes)))
        if self.since is not None and "time" in names:
            conditions.append(pc.field("time") >= pa.scalar(self.since, pa.timestamp("us")))
        if self.until is not None and "time" in names:
            conditions.append(pc.field("time") < pa.scalar(self.until, pa.timestamp("us")))
        whole = None
        for condition in conditions:
            whole = condition if whole is None else whole & condition
        return whole


def scan(path: str | Path) -> Dataset:
    """A dataset that ``smianalyze fleet`` has written.

    Args:
        path: Its folder.

    Raises:
        UnreadableInput: It is no dataset.
    """
    folder = Path(path)
    if not (folder / COMMIT).is_dir():
        raise UnreadableInput(f"{folder} is no dataset: `smianalyze fleet FOLDER --to {folder}` makes one.")
    return Dataset(folder)


def _integers(given: int | Iterable[int]) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


def _by_dask(lazy: Lazy) -> Any:  # noqa: ANN401 - a Dask DataFrame; Dask need not be installed
    """A Dask DataFrame with a partition a file; its rows are those of ``lazy``."""
    frames: Any = import_module("dask.dataframe")
    schema = lazy.dataset.schema
    meta = schema.empty_table().to_pandas(types_mapper=_NULLABLE.get)
    if not lazy.dataset.files:
        return frames.from_pandas(meta, npartitions=1)
    return frames.from_map(_read, lazy.dataset.files, schema=schema, condition=lazy.condition, meta=meta)


def _read(path: str, *, schema: pa.Schema, condition: pc.Expression | None) -> pd.DataFrame:
    return Lazy(ds.dataset([path], schema=schema, format="parquet"), condition).to_pandas()
