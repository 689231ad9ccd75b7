"""Frames as CSV, JSON or Parquet bytes, with the same masking as the report."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib.util import find_spec

import pandas as pd

from smianalyze import safe
from smianalyze.errors import OutputFailed
from smianalyze.masking import Masker


def exported(frame: pd.DataFrame, file_format: str, *, masker: Masker) -> bytes:
    """A frame for another program.

    Args:
        frame: One frame of a capture.
        file_format: ``csv`` (text that a spreadsheet would take for a formula gets an apostrophe in front),
            ``json`` (a list of objects; unknown is null) or ``parquet`` (exact types).
        masker: Hides names and paths.

    Raises:
        OutputFailed: Parquet without pyarrow.
    """
    return _WRITERS[file_format](_masked(frame, masker))


def _masked(frame: pd.DataFrame, masker: Masker) -> pd.DataFrame:
    hide: dict[str, Callable[[str], str]] = {
        "process_name": masker.process_name,
        "command": masker.process_name,
        "user": masker.user,
        "source": masker.source,
        "host": masker.host,
        "vm_id": masker.host,
        "vm_name": masker.host,
        "uuid": masker.uuid,
        "gpu_uuid": masker.uuid,
        "serial": masker.serial,
        "message": masker.text,
        "what": masker.text,
        "text": masker.text,
    }
    columns = {name: frame[name].map(hide[name], na_action="ignore") for name in frame if name in hide}
    return frame.assign(**{name: column.astype(frame[name].dtype) for name, column in columns.items()})


def _csv(frame: pd.DataFrame) -> bytes:
    texts = [name for name in frame if frame[name].dtype == "string"]
    cells = {str(name): frame[name].map(safe.csv_text, na_action="ignore") for name in texts}
    return frame.assign(**cells).to_csv(index=False, lineterminator="\n").encode()


def _json(frame: pd.DataFrame) -> bytes:
    rows = json.loads(frame.to_json(orient="records", date_format="iso", date_unit="us"))
    return (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


def _parquet(frame: pd.DataFrame) -> bytes:
    if find_spec("pyarrow") is None:
        raise OutputFailed("Parquet needs pyarrow: pip install 'smianalyze[parquet]'.")
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {"csv": _csv, "json": _json, "parquet": _parquet}
FILE_FORMATS = tuple(_WRITERS)
