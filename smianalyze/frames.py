"""Rows to DataFrames: the only place that builds a frame, with the declared columns and nullable dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import is_extension_array_dtype

from smianalyze.columns import FRAMES, Column, Dtype, columns_of
from smianalyze.frame_parts import Part, flags, is_one_value, numbered
from smianalyze.offsets import Array, Cells
from smianalyze.shapes import Flags, Indexes

Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=np.generic)
STRETCH_ROWS = (
    5_040  # the rows of all cards of 720 prints or so, for any number of cards up to ten, and 12, 14, 15, 16
)
SMALL_MOST = 2**30
"""Whole numbers below it may be ``Int32`` in a compact frame: no sum or difference of two of them is cut off."""
_EMPTY = {"Float64": "f8", "datetime64[us]": "M8[us]"}
NO_PARTS: Mapping[str, Part] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Frames:
    """The frames of one capture: long, tidy, one row a thing; unknown is ``pd.NA``.

    Every frame has the columns of :mod:`smianalyze.columns`, also when it is empty. ``snapshot`` joins
    ``snapshots``, ``gpus``, ``processes``, ``mig_devices`` and ``vgpus``.
    """

    snapshots: pd.DataFrame
    gpus: pd.DataFrame
    processes: pd.DataFrame
    mig_devices: pd.DataFrame
    vgpus: pd.DataFrame
    devices: pd.DataFrame
    links: pd.DataFrame
    hosts: pd.DataFrame
    host_processes: pd.DataFrame
    steps: pd.DataFrame
    events: pd.DataFrame
    problems: pd.DataFrame
    inputs: pd.DataFrame
    _results: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, ask: Callable[[Frames], Result]) -> Result:
        """What a function says of these frames; findings, pictures and reports ask many things more than once."""
        if ask not in self._results:
            self._results[ask] = ask(self)
        return cast(Result, self._results[ask])

    @classmethod
    def from_rows(
        cls,
        rows: Mapping[str, Iterable[Mapping[str, object]]],
        parts: Mapping[str, Part] = NO_PARTS,
        *,
        compact: bool = False,
    ) -> Frames:
        """Build all frames; a frame that is not named is empty.

        Args:
            rows: Rows by frame.
            parts: Rows that are columns already, by frame; those of a snapshot are all here or all there.
            compact: Numbers that fit are ``Int32``, and a column of one value holds it once: no frame is to be
                written to. For a report on many millions of rows.
        """
        built = {name: build(name, rows.get(name, ()), parts.get(name), compact=compact) for name in FRAMES}
        return cls(**built)


def build(
    frame: str, rows: Iterable[Mapping[str, object]], part: Part | None = None, *, compact: bool = False
) -> pd.DataFrame:
    """A frame from its rows: declared columns first and typed, a missing key is ``pd.NA``.

    Args:
        frame: One of :data:`smianalyze.columns.FRAMES`.
        rows: One mapping a row; a key outside the declared columns becomes a further column after them.
        part: More rows, as columns; all are then in the order of their snapshots.
        compact: As of :meth:`Frames.from_rows`.

    Raises:
        TypeError, ValueError: a value does not fit the declared dtype. Formats convert values before
            they get here, so this is a fault in a format and not in an input.
    """
    rows = list(rows)
    declared = columns_of(frame)
    known = {column.name for column in declared}
    keys = [*(part.columns if part else ()), *(key for row in rows for key in row)]
    extra = [name for name in dict.fromkeys(keys) if name not in known]
    order = _order(part, rows) if part and rows else None
    if part:
        _add_unknown(part, declared, extra, compact=compact)
    data: dict[str, pd.Series] = {}
    for name, dtype in [*((column.name, column.dtype) for column in declared), *((name, None) for name in extra)]:
        column = _series(part.columns.pop(name), part.count, dtype, compact=compact) if part else None
        if rows or column is None:
            below = pd.Series([row.get(name) for row in rows], dtype=dtype or "object")
            column = below if column is None else pd.concat([column, below], ignore_index=True)
        column = column if dtype or is_extension_array_dtype(column.dtype) else column.convert_dtypes()
        data[name] = column if order is None else column.take(order).reset_index(drop=True)
    result = pd.DataFrame(data, copy=False)
    result.attrs["source_names"] = {c.name: c.smi_name for c in declared if c.smi_name}
    return result


def _order(part: Part, rows: Sequence[Mapping[str, object]]) -> Indexes:
    snapshots = [int(str(row["snapshot"])) for row in rows]
    return np.argsort(np.concatenate([part.columns["snapshot"].values, snapshots]), kind="stable")


def _add_unknown(part: Part, declared: Sequence[Column], extra: Sequence[str], *, compact: bool) -> None:
    """Add the columns of which nothing is known, in one piece of memory: what nobody touches takes none."""
    absent = [column for column in declared if column.name not in part.columns]
    unknown = np.broadcast_to(np.False_, part.count)
    shape = (len(absent), part.count)
    pieces = np.broadcast_to(np.int64(0), shape) if compact else np.zeros(shape, np.int64)
    for column, zeros in zip(absent, pieces, strict=True):
        values = zeros.view(_EMPTY.get(column.dtype, "i8"))
        part.columns[column.name] = Cells(values, unknown, [] if column.dtype == "string" else None)
    for name in extra:
        part.columns.setdefault(name, Cells(np.zeros(part.count, np.object_), unknown))


def _series(cells: Cells, count: int, dtype: Dtype | None, *, compact: bool) -> pd.Series:
    """A column of a part, as it is if nobody declared it; values that are not known are ``pd.NA``."""
    unknown, kind = _unknown(cells, count, compact=compact), cells.values.dtype.kind
    as_it_is = dtype is None and not unknown.all()
    if dtype == "string" or (as_it_is and cells.texts is not None):
        return _texts(numbered(cells), unknown)
    if as_it_is and kind == "f":
        return _numbers_as_they_are(cells.values, unknown)
    if dtype == "Int64" or (as_it_is and kind == "i"):
        whole: np.dtype[np.signedinteger] = np.dtype(np.int32 if compact and _is_small(cells.values) else np.int64)
        return pd.Series(pd.arrays.IntegerArray(_held(cells.values, whole, compact=compact), unknown), copy=False)
    if dtype == "Float64":
        decimals = _held(cells.values, np.dtype(np.float64), compact=compact)
        return pd.Series(pd.arrays.FloatingArray(decimals, unknown), copy=False)
    values = cells.objects()
    if unknown.any():
        values = np.where(unknown, np.datetime64("NaT") if dtype == "datetime64[us]" else np.array(None), values)
    plain = np.dtype(np.int64) if values.dtype.kind == "i" else values.dtype
    return pd.Series(_held(values, plain, compact=compact), dtype=dtype or "object", copy=False)


def _unknown(cells: Cells, count: int, *, compact: bool) -> Flags:
    if compact and (cells.known is None or is_one_value(cells.known)):
        return np.broadcast_to(np.False_ if cells.known is None else ~cells.known[:1], count)
    return ~flags(cells, count)


def _held(values: Array, dtype: np.dtype[Kind], *, compact: bool) -> npt.NDArray[Kind]:
    """The values of a column; they may be written to, unless they are to be compact."""
    if compact and is_one_value(values):
        return np.broadcast_to(values[:1].astype(dtype), len(values))
    held = values.astype(dtype, copy=False)
    return held if compact or held.flags.writeable else held.copy()


def _is_small(values: Array) -> bool:
    """Whether the sum of any two of some whole numbers has 32 bits."""
    if values.dtype.itemsize > np.dtype(np.int32).itemsize:
        return False
    least, most = (int(how(initial=0)) for how in (values.min, values.max))
    return max(-least, most) < SMALL_MOST


def _numbers_as_they_are(values: Array, unknown: Flags) -> pd.Series:
    """A column that nobody declared: of whole numbers if all of them are."""
    unknown = unknown | np.isnan(values)
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    if ((whole == values) | unknown).all():
        return pd.Series(pd.arrays.IntegerArray(np.where(unknown, 0, whole), unknown), copy=False)
    return pd.Series(pd.arrays.FloatingArray(values.astype(np.float64, copy=False), unknown), copy=False)


def _texts(cells: Cells, unknown: Flags) -> pd.Series:
    """A column of texts. Most of them repeat from print to print, and equal stretches share their memory."""
    codes = np.where(unknown, -1, cells.values).astype(np.int32, copy=False)
    texts: ExtensionArray = pd.array(cells.texts or [], dtype="string")
    shared: dict[bytes, ExtensionArray] = {}
    stretches = []
    for start in range(0, len(codes), STRETCH_ROWS):
        stretch = codes[start : start + STRETCH_ROWS]
        key = stretch.tobytes()
        if key not in shared:
            shared[key] = texts.take(stretch, allow_fill=True)
        stretches.append(shared[key])
    if stretches:  # as arrays, whose interface lacks a stub: a Series of each would take ten times as long to join
        texts = texts._concat_same_type(stretches)  # type: ignore[attr-defined]
    return pd.Series(texts, copy=False)
