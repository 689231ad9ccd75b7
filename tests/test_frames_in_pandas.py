"""Frames group, merge and join like any others: types stay, what is not known stays unknown, nothing warns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fixture_pairs import FIXTURES

import smianalyze
from smianalyze import Capture
from smianalyze.frame_parts import Part
from smianalyze.frames import build
from smianalyze.offsets import Cells

BEFORE, AFTER = (FIXTURES / "demo" / f"smi_{name}.txt" for name in ("before", "after"))
CARD = ["snapshot", "gpu_index"]


@pytest.fixture(scope="module")
def capture() -> Capture:
    return smianalyze.load(BEFORE, AFTER)


def test_groups_keep_types_and_sums(capture: Capture) -> None:
    held = capture.processes.groupby(CARD)["used_gpu_memory_mib"].sum()

    assert str(held.dtype) == "Int64"
    assert held.tolist() == [14552, 11682, 31000, 27518]


def test_mean_of_nothing_known_is_unknown_and_not_0() -> None:
    jetson = smianalyze.load(FIXTURES / "smi_table" / "jetson_540.txt").gpus
    means = jetson.groupby("gpu_index")[["memory_used_mib", "power_draw_w"]].mean()

    assert means.isna().all(axis=None)


def test_cards_merge_with_their_processes(capture: Capture) -> None:
    merged = capture.processes.merge(capture.gpus, on=CARD, suffixes=("", "_of_card"), validate="many_to_one")
    share = merged["used_gpu_memory_mib"] / merged["memory_total_mib"]

    assert len(merged) == len(capture.processes)
    assert share.between(0, 1).all()


def test_captures_join_to_what_is_read_together(capture: Capture) -> None:
    apart = [smianalyze.load(path).gpus for path in (BEFORE, AFTER)]
    joined = pd.concat(apart, ignore_index=True)

    pd.testing.assert_frame_equal(joined.drop(columns="snapshot"), capture.gpus.drop(columns="snapshot"))
    assert joined.attrs == capture.gpus.attrs


def test_table_of_cards_by_time_has_a_column_for_each(capture: Capture) -> None:
    table = capture.gpus.pivot(index="time", columns="gpu_index", values="memory_used_mib")

    assert table.columns.tolist() == [0, 1]
    assert table.index.is_monotonic_increasing
    assert table.iloc[-1].tolist() == [31022, 27533]


@pytest.fixture
def hours() -> pd.DataFrame:
    """Of eight cards, as blocks of lines give them: most columns are unknown."""
    rows = np.arange(80_000)
    names = np.array([f"GPU {row % 8}" for row in rows], np.object_)
    columns = {"snapshot": Cells(rows // 8), "gpu_index": Cells(rows % 8), "name": Cells(names, rows != 5)}
    return build("gpus", (), Part(len(rows), columns))


def test_texts_that_repeat_share_their_memory(hours: pd.DataFrame) -> None:
    stored = pa.chunked_array(hours["name"].array.__arrow_array__())

    assert stored.get_total_buffer_size() < 300_000  # in place of 80,000 times 13
    assert hours["name"].isna().sum() == 1
    assert hours["name"].value_counts().tolist() == [10_000] * 7 + [9_999]


def test_a_value_that_is_set_changes_no_other(hours: pd.DataFrame) -> None:
    hours.loc[11, "name"] = "another"
    hours.loc[11, "fan_speed_pct"] = 7

    assert (hours["name"] == "another").sum() == 1
    assert hours["fan_speed_pct"].dropna().to_dict() == {11: 7}
    assert hours["memory_free_mib"].isna().all()
