"""Frames for other programs: safe in a spreadsheet, exact in JSON."""

from __future__ import annotations

import json

import pandas as pd
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


@pytest.mark.parametrize(
    ("column", "value", "alias"),
    [
        ("serial", "1320220012345", "serial-1"),
        ("platform_chassis_serial_number", "1821723190123", "serial-1"),
        ("pdi", "0x353d3d09ebd066d5", "serial-1"),
        ("platform_gpu_fabric_guid", "0x8a7b6c5d4e3f2a1b", "serial-1"),
        ("fabric_clusteruuid", "6e3e273d-0110-6ee0-e2e2-7a7b649bc095", "uuid-a"),
        ("uuid", "GPU-6e3e273d-0110-6ee0-e2e2-7a7b649bc095", "gpu-a"),
        ("host", "node17", "host-1"),
        ("vm_name", "instance-0000004a", "host-1"),
        ("user", "joe", "user-1"),
        ("command", "/home/joe/bin/train --token abc", "train"),
        ("visible_devices", "GPU-5ebe9f43,GPU-ac33420d", "gpu-a,gpu-b"),
        ("own_job", "joe@node17:~/x", "user-1@host-1:~/…"),
        ("pstate", "P0", "P0"),
    ],
)
def test_column_that_names_somebody_is_masked(column: str, value: str, alias: str) -> None:
    frame = pd.DataFrame({column: pd.Series([value, None], dtype="string")})

    assert json.loads(exported(frame, "json", masker=Masker())) == [{column: alias}, {column: None}]


@pytest.mark.parametrize("dtype", ["Int64", "object"])
def test_serial_that_was_read_as_a_number_is_masked(dtype: str) -> None:
    frame = pd.DataFrame({"platform_chassis_serial_number": pd.Series([1821723190123], dtype=dtype)})

    assert json.loads(exported(frame, "json", masker=Masker()))[0] == {
        "platform_chassis_serial_number": "serial-1"
    }


def test_objects_that_are_no_text_stay() -> None:
    frame = pd.DataFrame({"other_processes": pd.Series([[{"pid": 1, "mib": 2.0}]], dtype="object")})

    assert json.loads(exported(frame, "json", masker=Masker())) == [{"other_processes": [{"pid": 1, "mib": 2.0}]}]
