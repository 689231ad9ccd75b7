"""Sections of a recording, one behind the other, are the recording."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from captures import write
from fixture_pairs import FIXTURES
from pandas.testing import assert_frame_equal

from smianalyze import decode, sections
from smianalyze.columns import FRAMES
from smianalyze.reading import read_inputs
from smianalyze.sections import NotInSections
from smianalyze.source import open_inputs

MB = 1_000_000


def whole_and_parts(path: Path, host: str | None = None) -> int:
    """Holds the sections of a file against the whole; returns how many there are."""
    (source,) = open_inputs(str(path))
    found = list(sections.sections(source.read(), host=host))
    whole = read_inputs(open_inputs(str(path)), host=host)
    for frame in FRAMES:
        filled = [rows for part in found if len(rows := getattr(part, frame))]
        expected = getattr(whole, frame)
        joined = pd.concat(filled, ignore_index=True) if filled else expected[:0]
        assert_frame_equal(joined, expected)
    return len(found)


@pytest.fixture
def small_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTION_ROWS", 500)
    monkeypatch.setattr(decode, "BLOCK_BYTES", 100_000)


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("host", [None, "node7"])
def test_sections_are_the_whole(tmp_path: Path, host: str | None) -> None:
    write("tables", 2 * MB, tmp_path / "smi.txt")

    assert whole_and_parts(tmp_path / "smi.txt", host) > 2


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("cut", [1, 700, 2_000, 4_000])
def test_recording_that_ends_in_a_print_is_the_whole(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "smi.txt"
    write("tables", MB, path)
    path.write_bytes(path.read_bytes()[:-cut])

    assert whole_and_parts(path) > 2


@pytest.mark.usefixtures("small_sections")
def test_damaged_print_in_the_midst_is_left_to_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "smi.txt"
    write("tables", MB, path)
    data = path.read_bytes()
    at = data.index(b"N/A", len(data) // 2)
    path.write_bytes(data[:at] + data[at + 9 :])

    with pytest.raises(NotInSections):
        whole_and_parts(path)


def test_other_inputs_are_left_to_the_whole() -> None:
    with pytest.raises(NotInSections):
        whole_and_parts(FIXTURES / "query_csv/series_200ms.csv")
