"""A frame of a long recording as Parquet, section by section, is the one that is exported as a whole."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from captures import write
from click.testing import CliRunner

from smianalyze import cli, decode, long_export, sections
from smianalyze.capture import load
from smianalyze.columns import FRAMES
from smianalyze.export import exported, learn_names
from smianalyze.formats import csv_runs, monitor_blocks
from smianalyze.masking import Level, Masker

MB = 1_000_000


@pytest.fixture(autouse=True)
def small_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_export, "LONG_BYTES", 0)
    monkeypatch.setattr(sections, "SECTION_ROWS", 500)
    monkeypatch.setattr(decode, "BLOCK_BYTES", 100_000)
    for module in (csv_runs, monitor_blocks):
        monkeypatch.setattr(module, "ENOUGH_ROWS", 500)


def in_sections(path: Path, frame: str, target: Path, *, mask: Level = "default") -> bool:
    """Whether the frame is written section by section; it is then held against the whole."""
    chunks = long_export.parquet_of_long([str(path)], frame, masker=Masker(mask), csv_columns=None)
    if chunks is None:
        return False
    target.write_bytes(b"".join(chunks))
    whole, masker = load(path), Masker(mask)
    learn_names([getattr(whole, name) for name in FRAMES], masker)
    target.with_suffix(".whole").write_bytes(exported(getattr(whole, frame), "parquet", masker=masker))
    found, expected = pd.read_parquet(target), pd.read_parquet(target.with_suffix(".whole"))
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    return True


@pytest.mark.parametrize("mask", ["default", "all", "none"])
@pytest.mark.parametrize(
    ("kind", "frame"),
    [("tables", "gpus"), ("tables", "processes"), ("csv", "gpus"), ("dmon", "snapshots"), ("pmon", "processes")],
)
def test_frame_is_that_of_the_whole(tmp_path: Path, kind: str, frame: str, mask: Level) -> None:
    write(kind, MB, tmp_path / "smi.txt")

    assert in_sections(tmp_path / "smi.txt", frame, tmp_path / "out.parquet", mask=mask)


def test_columns_that_nobody_declared_have_the_type_of_the_whole(tmp_path: Path) -> None:
    rows = [
        f"{number if number < 2_000 else f'{number}.5'}, {'' if number < 1_000 else 'a b'}, node{number % 3},"
        f" 2026/11/30 {number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000, 0, 5 %"
        for number in range(6_000)
    ]
    names = "wished, said, hostname, timestamp, index, utilization.gpu [%]"
    (tmp_path / "smi.csv").write_text("\n".join([names, *rows, ""]))

    assert in_sections(tmp_path / "smi.csv", "gpus", tmp_path / "out.parquet")


def test_other_inputs_are_read_as_a_whole(tmp_path: Path) -> None:
    write("log", MB, tmp_path / "train.log")
    write("csv", MB, tmp_path / "smi.csv")

    assert not in_sections(tmp_path / "train.log", "steps", tmp_path / "out.parquet")
    assert not in_sections(tmp_path / "smi.csv", "steps", tmp_path / "out.parquet")


def test_command_writes_it(tmp_path: Path) -> None:
    write("csv", MB, tmp_path / "smi.csv")
    target = tmp_path / "gpus.parquet"
    arguments = ["frames", str(tmp_path / "smi.csv"), "--frame", "gpus", "--format", "parquet", "-o", str(target)]

    assert CliRunner().invoke(cli.cli, arguments).exit_code == 0
    assert len(pd.read_parquet(target)) == len(load(tmp_path / "smi.csv").gpus)
