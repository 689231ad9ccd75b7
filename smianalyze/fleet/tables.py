"""The tables of one capture while they grow, as Parquet in nameless files: no more than a section is held."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from smianalyze.errors import OutputFailed

ROW_GROUP = 65_536
"""Rows that are read together: an hour of eight cards at one print a second has 28,800."""
SPOOL_BYTES = 1 << 20  # of a table are held in memory
CHUNK_BYTES = 1 << 20


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputFailed(f"{tempfile.gettempdir()}: a table cannot be kept there: {reason}.") from error


class Tables:
    """Tables by frame; a frame without rows has none. They are gone when it is left.

    Args:
        told: What the files of some frames say of themselves.
    """

    def __init__(self, told: Mapping[str, Mapping[bytes, bytes]]) -> None:
        self._told = told
        self._files: dict[str, IO[bytes]] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._open = ExitStack()

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._open.close()

    @property
    def frames(self) -> list[str]:
        """Those that have rows."""
        return list(self._files)

    def add(self, frame: str, table: pa.Table) -> None:
        """Append rows to a frame.

        Raises:
            OutputFailed: The disk for temporary files is full.
        """
        if len(table):
            with _failures():
                self._writer(frame, table.schema).write_table(table, row_group_size=ROW_GROUP)

    def stored(self, frame: str) -> Iterator[bytes]:
        """The Parquet file of a frame that has rows; nothing can be added to it any more."""
        self._writers[frame].close()
        file = self._files[frame]
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk

    def _writer(self, frame: str, schema: pa.Schema) -> pq.ParquetWriter:
        if frame not in self._writers:
            file = self._open.enter_context(tempfile.SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115 - the stack closes it
            self._files[frame] = file
            schema = schema.with_metadata(dict(self._told.get(frame, {})))
            self._writers[frame] = pq.ParquetWriter(file, schema, compression="zstd")
        return self._writers[frame]
