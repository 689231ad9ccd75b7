"""Frames for other programs: safe in a spreadsheet, exact in JSON."""

from __future__ import annotations

import json

import pytest

from smianalyze.errors import OutputFailed
from smianalyze.export import exported
from smianalyze.frames import build
from smianalyze.masking import Masker

ROWS = [
    {"snapshot": 0, "gpu_index": 0, "pid": 1, "process_name": "=cmd|calc", "used_gpu_memory_mib": None, "line": 3},
    {
        "snapshot": 0,
        "gpu_index": 0,
        "pid": 2,
        "process_name": "/home/ann/训练.py",
        "used_gpu_memory_mib": 5,
        "line": 4,
    },
]
FRAME = build("processes", ROWS)


def test_text_that_looks_like_a_formula_gets_an_apostrophe_and_unknown_stays_empty() -> None:
    lines = exported(FRAME, "csv", masker=Masker("none")).decode().splitlines()

    assert lines[1].split(",")[8:12] == ["1", "", "'=cmd|calc", ""]


def test_json_keeps_names_and_says_null() -> None:
    first, second = json.loads(exported(FRAME, "json", masker=Masker("default")))

    assert first["used_gpu_memory_mib"] is None
    assert second["process_name"] == "训练.py"


def test_frame_is_left_as_it_is() -> None:
    exported(FRAME, "csv", masker=Masker("all"))

    assert FRAME["process_name"].tolist() == ["=cmd|calc", "/home/ann/训练.py"]


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smianalyze.export.find_spec", lambda _: None)

    with pytest.raises(OutputFailed, match="parquet"):
        exported(FRAME, "parquet", masker=Masker("default"))
