"""Pairs of a capture and what must be read from it: fixtures/NAME/CASE.txt and fixtures/NAME/CASE.json.

A test file of a format needs no more than this:

    @pytest.mark.parametrize("capture", captures("smi_table"))
    def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
        check_pair(capture, update=update_fixtures)

The JSON holds every frame that has rows. A row is one line; a value that is not in it is unknown (``pd.NA``).
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import smianalyze
from smianalyze.columns import FRAMES

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def captures(name: str) -> list[pytest.param]:
    """The captures in ``fixtures/NAME`` as test parameters whose ids are the file names; none is an error."""
    found = [path for path in sorted((FIXTURES / name).iterdir()) if path.suffix != ".json"]
    if not found:
        raise FileNotFoundError(f"fixtures/{name} holds no capture")
    if len({path.stem for path in found}) < len(found):
        raise ValueError(f"fixtures/{name} holds two captures of one stem; they would share their JSON")
    return [pytest.param(path, id=path.name) for path in found]


def check_pair(capture: Path, *, update: bool) -> None:
    """Assert that the capture is read as its JSON says; with ``update`` write the JSON first."""
    expected = capture.with_suffix(".json")
    actual = read(capture)
    if update:
        expected.write_text(as_text(actual), encoding="utf-8")
    assert actual == json.loads(expected.read_text(encoding="utf-8"))


def read(capture: Path) -> dict[str, list[dict[str, object]]]:
    """What is known of the capture, by frame and row; without ``source``, which is the file's own name."""
    loaded = smianalyze.load(capture)
    rows = {frame: known(getattr(loaded, frame)) for frame in FRAMES}
    return {frame: found for frame, found in rows.items() if found}


def known(frame: pd.DataFrame) -> list[dict[str, object]]:
    records = json.loads(frame.to_json(orient="records", date_format="iso", date_unit="ms", double_precision=15))
    return [{key: value for key, value in row.items() if value is not None and key != "source"} for row in records]


def as_text(frames: dict[str, list[dict[str, object]]]) -> str:
    """JSON with one row a line, so that a diff shows rows."""
    parts = []
    for frame, rows in frames.items():
        lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
        parts.append(f"{json.dumps(frame)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"
