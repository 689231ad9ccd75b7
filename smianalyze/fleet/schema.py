"""The Arrow schema of each frame of a dataset: one for all captures, whatever each of them holds."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from smianalyze.columns import Column, columns_of
from smianalyze.findings import Finding
from smianalyze.fleet.layout import CaptureFiles
from smianalyze.missing_files import shown

CAPTURE = "capture"
RUN = "run"
OTHER = "other"
"""Columns that the frame does not declare (the metrics of a log) as JSON; null where there are none."""

ARROW: dict[str, pa.DataType] = {
    "Int64": pa.int64(),
    "Float64": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "datetime64[us]": pa.timestamp("us"),
    "object": pa.string(),
}
FINDINGS = pa.schema(
    [
        (CAPTURE, pa.string()),
        ("host", pa.string()),
        (RUN, pa.string()),
        ("id", pa.string()),
        ("severity", pa.string()),
        ("confidence", pa.string()),
        ("title", pa.string()),
        ("why", pa.string()),
        ("next_step", pa.string()),
        ("gpus", pa.list_(pa.int64())),
        ("evidence", pa.list_(pa.struct([("source", pa.string()), ("line", pa.int64())]))),
    ]
)

_SUMS = [(name, pa.float64()) for name in ("recorded_s", "active_s", "held_idle_s", "utilization_s")]
_CARD = [(CAPTURE, pa.string()), ("host", pa.string()), (RUN, pa.string()), ("gpu_index", pa.int64())]
USAGE = {
    "card_usage": pa.schema(
        [
            *_CARD,
            ("uuid", pa.string()),
            ("name", pa.string()),
            ("first_time", pa.timestamp("us")),
            ("last_time", pa.timestamp("us")),
            *_SUMS,
            ("energy_wh", pa.float64()),
            ("peak_mib", pa.int64()),
            ("memory_total_mib", pa.int64()),
        ]
    ),
    "hour_usage": pa.schema([*_CARD, ("hour", pa.timestamp("us")), *_SUMS]),
    "process_usage": pa.schema([*_CARD[:3], ("process_name", pa.string()), ("user", pa.string()), *_SUMS]),
}


def schema_of(frame: str) -> pa.Schema:
    """The columns of a frame behind the name of the capture, its host and run; ``object`` columns are JSON."""
    declared = [column for column in columns_of(frame) if column.name != "host"]
    return pa.schema(
        [
            (CAPTURE, pa.string()),
            ("host", pa.string()),
            (RUN, pa.string()),
            *((column.name, ARROW[column.dtype]) for column in declared),
            (OTHER, pa.string()),
        ]
    )


def table_of(frame: str, rows: pd.DataFrame, capture: CaptureFiles, host: str | None) -> pa.Table:
    """A frame as a table of its schema.

    Args:
        frame: Its name.
        rows: The frame as :func:`smianalyze.load` gives it.
        capture: Names the rows.
        host: Of rows that name none.
    """
    schema = schema_of(frame)
    columns = {column.name: column for column in columns_of(frame)}
    host = _readable(host)
    hosts = rows["host"].fillna(host) if "host" in rows and host is not None else rows.get("host", host)
    shared: dict[str, object] = {
        **_named(capture),
        "host": hosts,
        OTHER: _others(rows, columns),
    }
    arrays = [
        _array(shared[name] if name in shared else _plain(rows[name]), schema.field(name), len(rows))
        for name in schema.names
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def usage_table(frame: str, rows: pd.DataFrame, capture: CaptureFiles, host: str | None) -> pa.Table:
    """Sums of :mod:`smianalyze.fleet.usage` as a table of :data:`USAGE`."""
    host = _readable(host)
    named = rows.assign(**_named(capture))
    named["host"] = named["host"].astype("string").fillna(host) if host is not None else named["host"]
    return pa.Table.from_pandas(named, schema=USAGE[frame], preserve_index=False)


def findings_table(findings: Sequence[Finding], capture: CaptureFiles, host: str | None) -> pa.Table:
    """Findings of a capture as a table of :data:`FINDINGS`."""
    return pa.Table.from_pylist(
        [
            {
                **_named(capture),
                "host": _readable(host),
                **{name: getattr(finding, name) for name in FINDINGS.names[3:9]},
                "gpus": list(finding.gpus),
                "evidence": [place._asdict() for place in finding.evidence],
            }
            for finding in findings
        ],
        schema=FINDINGS,
    )


def _named(capture: CaptureFiles) -> dict[str, str | None]:
    """The columns that say which capture a row is of."""
    return {CAPTURE: _readable(capture.name), RUN: _readable(capture.run)}


def _readable(name: str | None) -> str | None:
    """A name of a file or folder, which may be no UTF-8, as Parquet can hold it."""
    return None if name is None else shown(name)


def _array(values: object, field: pa.Field, length: int) -> pa.Array:
    if isinstance(values, pd.Series):
        return pa.Array.from_pandas(values, type=field.type)
    return pa.array([values] * length, type=field.type) if values is not None else pa.nulls(length, field.type)


def _plain(values: pd.Series) -> pd.Series:
    return values.map(_json, na_action="ignore") if values.dtype == "object" else values


def _others(rows: pd.DataFrame, declared: dict[str, Column]) -> pd.Series | None:
    names = [name for name in rows if name not in declared]
    if not names:
        return None
    records = json.loads(rows[names].to_json(orient="records", double_precision=15))
    known = [{name: value for name, value in record.items() if value is not None} for record in records]
    return pd.Series([_json(record) if record else None for record in known], index=rows.index, dtype="object")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
