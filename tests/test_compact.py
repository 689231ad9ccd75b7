"""A compact capture says what a plain one says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
import simulator
from captures import write
from fixture_pairs import FIXTURES
from pandas.testing import assert_frame_equal

import smianalyze
from smianalyze import Capture, UnreadableInput
from smianalyze.columns import FRAMES
from smianalyze.masking import Masker
from smianalyze.report import REPORTS, ReportContent

PATHS = {
    **{name: [*(FIXTURES / name).iterdir()] for name in ("dmon", "log_dicts", "query_csv", "runs")},
    "smi_table": [*(FIXTURES / "smi_table").glob("generation_*.txt"), *(FIXTURES / "smi_table").glob("err_*.txt")],
}
SCENES = [scene for scene in simulator.scenes() if scene.strength == "strong"]
HELD = 0.5  # of what a plain frame of numbers holds


def both_ways(paths: Sequence[Path]) -> list[Capture]:
    return [smianalyze.load(*paths, compact=compact) for compact in (False, True)]


def texts(capture: Capture) -> list[str]:
    """The report without its pictures."""
    content = ReportContent(
        frames=capture.frames,
        comparison=capture.comparison,
        findings=capture.findings(),
        masker=Masker("default"),
        command="",
    )
    return [one.text(content) for one in REPORTS]


def check(paths: Sequence[Path]) -> None:
    plain, compact = both_ways(paths)
    for frame in FRAMES:
        assert_frame_equal(getattr(compact, frame), getattr(plain, frame), check_dtype=False, check_exact=True)
    if (compact.gpus.dtypes == plain.gpus.dtypes).all() and (
        compact.processes.dtypes == plain.processes.dtypes
    ).all():
        return  # all was read line by line
    assert compact.findings() == plain.findings()
    assert texts(compact) == texts(plain)


@pytest.mark.parametrize("paths", PATHS.values(), ids=[*PATHS])
def test_fixtures_give_the_same_report(paths: Sequence[Path]) -> None:
    assert paths
    for path in sorted(paths):
        if path.suffix != ".json" and path.is_file():
            try:
                check([path])
            except UnreadableInput:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, ids=[scene.name for scene in SCENES])
def test_made_up_runs_give_the_same_report(scene: simulator.Scene, tmp_path: Path) -> None:
    for name, text in scene.texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    check([tmp_path / name for name in scene.texts])


@pytest.mark.parametrize("kind", ["tables", "csv", "dmon"])
def test_pictures_are_the_same(kind: str, tmp_path: Path) -> None:
    write(kind, 500_000, tmp_path / "capture")
    plain, compact = both_ways([tmp_path / "capture"])

    for number, capture in enumerate((plain, compact)):
        capture.report(tmp_path / f"report{number}")

    written = [sorted((tmp_path / f"report{number}").iterdir()) for number in (0, 1)]
    assert len(written[0]) > len(REPORTS)
    assert [path.name for path in written[0]] == [path.name for path in written[1]]
    assert [path.read_bytes() for path in written[0]] == [path.read_bytes() for path in written[1]]


@pytest.mark.parametrize("kind", ["tables", "csv", "dmon"])
def test_plain_frame_can_be_written_to(kind: str, tmp_path: Path) -> None:
    write(kind, 100_000, tmp_path / "capture")
    gpus = smianalyze.load(tmp_path / "capture").gpus

    for name in gpus.select_dtypes(["number", "string", "datetime"]):
        gpus.loc[0, name] = gpus[name].dropna().iloc[-1] if gpus[name].notna().any() else pd.NA
        gpus.loc[1, name] = None

    assert gpus.loc[1].isna().all()
    assert gpus.loc[2:, "gpu_index"].notna().all()


def test_compact_numbers_take_half_the_memory(tmp_path: Path) -> None:
    write("csv", 1_000_000, tmp_path / "capture")

    held = []
    for capture in both_ways([tmp_path / "capture"]):
        arrays = [capture.gpus[name].array for name in capture.gpus.select_dtypes("number")]
        parts = [part for array in arrays for part in (array._data, array._mask) if part.strides != (0,)]
        held.append(sum(part.nbytes for part in parts))

    assert held[1] < HELD * held[0]
