"""Rows to DataFrames: the only place that builds a frame, with the declared columns and nullable dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

import pandas as pd

from smianalyze.columns import FRAMES, columns_of

Result = TypeVar("Result")


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
    def from_rows(cls, rows: Mapping[str, Iterable[Mapping[str, object]]]) -> Frames:
        """Build all frames; a frame that is not named is empty."""
        return cls(**{name: build(name, rows.get(name, ())) for name in FRAMES})


def build(frame: str, rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """A frame from its rows: declared columns first and typed, a missing key is ``pd.NA``.

    Args:
        frame: One of :data:`smianalyze.columns.FRAMES`.
        rows: One mapping a row; a key outside the declared columns becomes a further column after them.

    Raises:
        TypeError, ValueError: a value does not fit the declared dtype. Formats convert values before
            they get here, so this is a fault in a format and not in an input.
    """
    rows = list(rows)
    declared = columns_of(frame)
    known = {column.name for column in declared}
    extra = list(dict.fromkeys(key for row in rows for key in row if key not in known))
    data: dict[str, pd.Series] = {}
    for column in declared:
        data[column.name] = pd.Series([row.get(column.name) for row in rows], dtype=column.dtype)
    for name in extra:
        data[name] = pd.Series([row.get(name) for row in rows], dtype="object").convert_dtypes()
    result = pd.DataFrame(data)
    result.attrs["source_names"] = {c.name: c.smi_name for c in declared if c.smi_name}
    return result
