"""One frame of a long recording as Parquet: it is gone through twice, and no more than a section of it is held."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from smianalyze.capture import fields_of
from smianalyze.columns import FRAMES, columns_of
from smianalyze.errors import OutputFailed
from smianalyze.export import NAMES, masked
from smianalyze.fleet.tables import Tables
from smianalyze.frames import Frames
from smianalyze.hints import columns_without_csv
from smianalyze.language import speaking
from smianalyze.masking import Masker
from smianalyze.private_fields import kind_of
from smianalyze.sections import LONG_BYTES, NotInSections, sections
from smianalyze.source import open_inputs

_NUMBERS = frozenset(("Int64", "Float64"))
_UNKNOWN = "object"
"""Type of a column in which nothing is known."""


def parquet_of_long(
    files: Sequence[str], frame: str, *, masker: Masker, csv_columns: str | None
) -> Iterator[bytes] | None:
    """The Parquet file that :func:`smianalyze.export.exported` makes of a frame, in chunks.

    Args:
        files: As the user gave them.
        frame: Name of the frame.
        masker: Hides names and paths; it learns them here.
        csv_columns: Fields in order, separated by commas, of CSV rows that no header names.

    Returns:
        None where the inputs are to be read as a whole: there are several, or it is short, or no recording that
        can be read in sections, or has no such rows.

    Raises:
        OutputFailed: The file changes meanwhile, or the disk for temporary files is full.
    """
    path = Path(files[0])
    if len(files) > 1 or not path.is_file() or path.stat().st_size < LONG_BYTES:
        return None
    long = _Long(str(path), frame, fields_of(csv_columns))
    try:
        long.go_through(masker)
    except NotInSections:
        return None
    return long.stored(masker) if long.count else None


@dataclass(slots=True)
class _Long:
    """A long recording.

    Attributes:
        path: Where it is.
        frame: The frame that is asked for.
        csv_columns: Names of its columns.
        count: How many rows of it there are.
        others: Type of each of its columns that nobody declared.
    """

    path: str
    frame: str
    csv_columns: tuple[str, ...] | None
    count: int = 0
    others: dict[str, str] = field(default_factory=dict)

    def go_through(self, masker: Masker) -> None:
        """Learn who is named, frame by frame as in a capture that is held, and what columns there are."""
        names: dict[str, dict[str, dict[str, None]]] = {name: {} for name in FRAMES}
        for frames in self._sections():
            for name, columns in names.items():
                _add_names(getattr(frames, name), columns)
            rows = getattr(frames, self.frame)
            self.count += len(rows)
            self._learn_types(rows)
            if self.csv_columns and columns_without_csv(frames.inputs):
                raise NotInSections
        for columns in names.values():
            for column, values in columns.items():
                for value in values:
                    masker.field(kind_of(column), value)  # type: ignore[arg-type] # only columns of a kind are there

    def stored(self, masker: Masker) -> Iterator[bytes]:
        """The file in chunks."""
        parts = (masked(self._typed(getattr(frames, self.frame)), masker) for frames in self._sections())
        first = next(parts)
        schema = _schema(first)
        with Tables({self.frame: schema.metadata}) as tables:
            try:
                for rows in chain([first], parts):
                    tables.add(self.frame, pa.Table.from_pandas(rows, schema=schema, preserve_index=False))
            except NotInSections:
                raise OutputFailed(f"{self.path} changed while it was read; nothing was written.") from None
            yield from tables.stored(self.frame)

    @speaking("en")
    def _sections(self) -> Iterator[Frames]:
        (source,) = open_inputs(self.path)
        yield from sections(source.read(), csv_columns=self.csv_columns)

    def _learn_types(self, rows: pd.DataFrame) -> None:
        declared = {column.name for column in columns_of(self.frame)}
        for name in map(str, rows):
            if name in declared:
                continue
            before = self.others.setdefault(name, _UNKNOWN)
            found = before if rows[name].isna().all() else str(rows[name].dtype)
            if before not in (_UNKNOWN, found) and not {before, found} <= _NUMBERS:
                raise NotInSections
            self.others[name] = found if before in (_UNKNOWN, found) else "Float64"

    def _typed(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the columns that the whole frame has."""
        declared = [column.name for column in columns_of(self.frame)]
        named = rows.reindex(columns=[*declared, *self.others]).astype(self.others)
        named.attrs = rows.attrs
        return named


def _schema(rows: pd.DataFrame) -> pa.Schema:
    """The types of some rows as pandas writes them, with what it needs to read them again."""
    empty = io.BytesIO()
    rows[:0].to_parquet(empty, index=False)
    return pq.read_schema(empty)


def _add_names(rows: pd.DataFrame, columns: dict[str, dict[str, None]]) -> None:
    """Add who is named in some columns, in the order in which they are."""
    for column in map(str, rows):
        if kind_of(column) in NAMES:
            columns.setdefault(column, {}).update(dict.fromkeys(map(str, rows[column].dropna().unique())))
