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
from smianalyze.formats import csv_runs, monitor_blocks
from smianalyze.reading import read_inputs
from smianalyze.sections import NotInSections
from smianalyze.source import open_inputs

MB = 1_000_000
KINDS = ("tables", "csv", "csv-any-width", "dmon", "pmon")


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
    for module in (csv_runs, monitor_blocks):
        monkeypatch.setattr(module, "ENOUGH_ROWS", 500)


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("host", [None, "node7"])
@pytest.mark.parametrize("kind", KINDS)
def test_sections_are_the_whole(tmp_path: Path, kind: str, host: str | None) -> None:
    write(kind, 2 * MB, tmp_path / "smi.txt")

    assert whole_and_parts(tmp_path / "smi.txt", host) > 2


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("cut", [1, 50, 700, 2_000, 4_000])
@pytest.mark.parametrize("kind", KINDS)
def test_recording_that_ends_in_a_print_is_the_whole(tmp_path: Path, kind: str, cut: int) -> None:
    path = tmp_path / "smi.txt"
    write(kind, MB // 2, path)
    path.write_bytes(path.read_bytes()[:-cut])

    assert whole_and_parts(path) > 1


@pytest.mark.usefixtures("small_sections")
def test_damaged_print_in_the_midst_is_left_to_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "smi.txt"
    write("tables", MB, path)
    data = path.read_bytes()
    at = data.index(b"N/A", len(data) // 2)
    path.write_bytes(data[:at] + data[at + 9 :])

    with pytest.raises(NotInSections):
        whole_and_parts(path)


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("kind", KINDS)
def test_stretches_of_what_was_read_at_once_are_the_whole(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sections, "SECTION_ROWS", 100)
    write(kind, MB, tmp_path / "smi.txt")

    assert whole_and_parts(tmp_path / "smi.txt") > 2


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("row", ["{0} %, {1} MiB", "2026/11/30 10:{0:02}:{1:02}.000, {0} %, {1} MiB"])
def test_rows_that_name_no_card_are_stretches_of_one_run(tmp_path: Path, row: str) -> None:
    rows = [row.format(number // 60 % 60, number % 60) for number in range(3_000)]
    names = "timestamp, " * (row[0] == "2") + "utilization.gpu [%], memory.used [MiB]"
    (tmp_path / "smi.csv").write_text("\n".join([names, *rows, ""]))

    assert whole_and_parts(tmp_path / "smi.csv") > 2


@pytest.mark.usefixtures("small_sections")
def test_fragment_that_may_repeat_the_tick_before_is_left_to_the_whole(tmp_path: Path) -> None:
    ticks = ["0, 5 %, 10 MiB\n1, 6 %, 10 MiB\n"] * 2_000
    ticks[1_500] = "0, 5 %, 10 MiB\n"
    (tmp_path / "smi.csv").write_text("index, utilization.gpu [%], memory.used [MiB]\n" + "".join(ticks))

    with pytest.raises(NotInSections):
        whole_and_parts(tmp_path / "smi.csv")


@pytest.mark.usefixtures("small_sections")
@pytest.mark.parametrize("kind", ["csv", "dmon"])
def test_lost_cards_and_values_that_cannot_be_are_known_at_the_end(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "smi.txt"
    write(kind, MB, path)
    lines = path.read_text().split("\n")
    for place in range(500, len(lines) - 1, 900):
        lines[place] = lines[place].replace(" MiB", "000000000 MiB") if kind == "csv" else f"    0{'   -' * 20}"
    path.write_text("\n".join(lines))

    assert whole_and_parts(path) > 1


@pytest.mark.parametrize("name", ["log_dicts/liger.txt", "smi_query/damaged_580.txt", "topo/damaged.txt"])
def test_other_inputs_are_left_to_the_whole(name: str) -> None:
    with pytest.raises(NotInSections):
        whole_and_parts(FIXTURES / name)
