"""The front door: what load and loads give, what a report holds, and that it is the same each time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES

import smianalyze
from smianalyze import Capture, OutputExists, UnreadableInput
from smianalyze.columns import FRAMES, columns_of

BEFORE, AFTER = (FIXTURES / "demo" / f"smi_{name}.txt" for name in ("before", "after"))


@pytest.fixture(scope="module")
def capture() -> Capture:
    return smianalyze.load(BEFORE, AFTER)


@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_has_its_declared_columns_and_types(frame: str, capture: Capture) -> None:
    found = getattr(capture, frame)

    assert {column.name: column.dtype for column in columns_of(frame)} == {
        column.name: str(found[column.name].dtype) for column in columns_of(frame)
    }


def test_every_row_has_its_place_in_an_input(capture: Capture) -> None:
    for frame in ("snapshots", "gpus", "processes"):
        assert getattr(capture, frame)[["source", "line"]].notna().all(axis=None)


def test_source_names_map_back_to_nvidia_smi(capture: Capture) -> None:
    assert capture.gpus.attrs["source_names"]["memory_used_mib"] == "memory.used"


def test_host_is_taken_as_given() -> None:
    assert smianalyze.load(BEFORE, host="node7").gpus["host"].unique().tolist() == ["node7"]


def test_text_is_read_like_a_file() -> None:
    read = smianalyze.loads(AFTER.read_text(encoding="utf-8")).gpus.drop(columns="source")

    pd.testing.assert_frame_equal(read, smianalyze.load(AFTER).gpus.drop(columns="source"))


def test_open_file_is_read() -> None:
    with AFTER.open("rb") as file:
        assert len(smianalyze.load(file).gpus) == 2


def test_missing_value_is_na_and_not_0() -> None:
    jetson = smianalyze.load(FIXTURES / "smi_table" / "jetson_540.txt").gpus.iloc[0]

    assert all(jetson[name] is pd.NA for name in ("memory_used_mib", "utilization_gpu_pct", "power_draw_w"))


def test_nothing_recognised_gives_empty_frames() -> None:
    capture = smianalyze.loads("a text\nof two lines\n")
    (row,) = capture.inputs.to_dict("records")

    assert len(capture.gpus) == len(capture.snapshots) == 0
    assert (row["lines"], row["used"], row["ignored"], row["problem_lines"]) == (2, 0, 2, 0)


def test_unreadable_member_of_a_folder_is_a_problem_and_not_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(AFTER.read_bytes())
    (tmp_path / "b.bin").write_bytes(bytes(range(256)) * 20)
    capture = smianalyze.load(tmp_path)

    assert len(capture.gpus) == 2
    assert capture.problems["source"].str.endswith("b.bin").tolist() == [True]


def test_missing_input_says_which(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="nothing-here"):
        smianalyze.load(tmp_path / "nothing-here.txt")


def test_capture_shows_itself_in_one_line(capture: Capture) -> None:
    assert repr(capture) == ("<Capture: 2 inputs, 2 snapshots, 4 GPU rows, 7 process rows, 0 events, 0 problems>")


def test_compare_takes_two_captures() -> None:
    found = smianalyze.compare(smianalyze.load(BEFORE), smianalyze.load(AFTER))

    assert found is not None
    assert found.gpus["memory_used_mib_delta"].tolist() == [16461, 15842]


def test_report_is_written_once(tmp_path: Path, capture: Capture) -> None:
    written = capture.report(tmp_path / "out")

    assert [finding.id for finding in written.findings] == ["primary-card-overhead"]
    with pytest.raises(OutputExists):
        capture.report(tmp_path / "out")


def test_report_is_the_same_bytes_in_other_surroundings(tmp_path: Path) -> None:
    digests = []
    for number, (seed, zone, locale) in enumerate([("0", "UTC", "C"), ("7", "Asia/Shanghai", "C.UTF-8")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for path in (BEFORE, AFTER):
            (folder / path.name).write_bytes(path.read_bytes())
        surroundings = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        command = [sys.executable, "-m", "smianalyze.cli", "report", BEFORE.name, AFTER.name, "-q"]
        subprocess.run(command, cwd=folder, env=surroundings, check=True)
        files = sorted((folder / "smi-report").iterdir())
        digests.append({file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files})

    assert digests[0] == digests[1]
