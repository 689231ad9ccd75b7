"""Frames as CSV, JSON or Parquet bytes, with the same masking as the report."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from functools import partial
from importlib.util import find_spec

import pandas as pd

from smianalyze import safe
from smianalyze.errors import OutputFailed
from smianalyze.masking import Masker
from smianalyze.private_fields import Kind, kind_of

NAMES: tuple[Kind, ...] = ("host", "serial", "user", "uuid")
"""What is named in columns of these kinds may stand anywhere in a line."""
_Mask = Callable[[str], str]


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
    check_format(file_format)
    return _WRITERS[file_format](masked(frame, masker))


def check_format(file_format: str) -> None:
    """Whether frames can be written so; call it before the work starts.

    Raises:
        OutputFailed: Parquet without pyarrow.
    """
    if file_format == "parquet" and find_spec("pyarrow") is None:
        raise OutputFailed("Parquet needs pyarrow: pip install 'smianalyze[parquet]'.")


def learn_names(frames: Iterable[pd.DataFrame], masker: Masker) -> None:
    """Let a masker know who is named in frames, so that it finds the names in quoted lines too."""
    for frame in frames:
        for column in map(str, frame):
            kind = kind_of(column)
            if kind not in NAMES:
                continue
            for name in frame[column].dropna().unique():
                masker.field(kind, str(name))


def masked(frame: pd.DataFrame, masker: Masker) -> pd.DataFrame:
    """The frame without what the masker hides."""
    hide = {str(name): _mask_of(str(name), frame, masker) for name in frame}
    return frame.assign(**{name: _hidden(name, frame[name], mask) for name, mask in hide.items() if mask})


def _mask_of(column: str, frame: pd.DataFrame, masker: Masker) -> _Mask | None:
    """What hides the values of a column, None if they say nothing about anybody."""
    by_name: dict[str, _Mask] = {"command": masker.process_name, "source": masker.source}
    quoted = dict.fromkeys(("message", "what", "text"), masker.text)
    kind = kind_of(column)
    mask = (by_name | quoted).get(column) or (partial(masker.field, kind) if kind else None)
    # whatever else is text comes from a CSV or a log that may name its columns as it likes
    is_text = frame[column].dtype in ("string", "object")
    return masker.value if mask is None and is_text else mask


def _hidden(column: str, values: pd.Series, mask: _Mask) -> pd.Series:
    """The values of a column hidden; a serial may have been read as a number and becomes text."""
    if values.dtype == "object" and not kind_of(column):
        return values.map(lambda value: mask(value) if isinstance(value, str) else value, na_action="ignore")
    texts = values.astype("string")
    hidden = {text: mask(text) for text in texts.dropna().unique()}  # most texts repeat from print to print
    return texts.map(hidden, na_action="ignore").astype("string")


def _csv(frame: pd.DataFrame) -> bytes:
    texts = [name for name in frame if frame[name].dtype == "string"]
    cells = {str(name): frame[name].map(safe.csv_text, na_action="ignore") for name in texts}
    return frame.assign(**cells).to_csv(index=False, lineterminator="\n").encode()


def _json(frame: pd.DataFrame) -> bytes:
    rows = json.loads(frame.to_json(orient="records", date_format="iso", date_unit="us"))
    return (safe.json_text(json.dumps(rows, ensure_ascii=False, indent=1)) + "\n").encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {"csv": _csv, "json": _json, "parquet": _parquet}
FILE_FORMATS = tuple(_WRITERS)
