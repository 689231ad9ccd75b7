"""The benchmark of fleets makes one dataset in all ways, and says what follows from what it measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_fleet import Row, compare, hosts, markdown, measured

pytest.importorskip("distributed")


@pytest.mark.slow
def test_all_ways_make_one_dataset(tmp_path: Path) -> None:
    hosts(tmp_path / "captures", count=2, size=20_000, kind="tables")

    rows = list(measured(tmp_path / "captures", tmp_path))
    compare(tmp_path / "captures", tmp_path / "pool-1")

    assert [row.workers for row in rows] == [1, 2, 2, 2]
    assert {row.rows for row in rows} == {rows[0].rows}


def test_a_day_of_a_machine_room_follows_from_rows_a_second() -> None:
    one = Row("one process", 1, 100.0, 100.0, 200, 6_912_000, 4_000_000_000)
    two = one._replace(label="two", workers=2, wall_s=60, cpu_s=125.0)

    text = markdown([one, two], count=40, kind="tables")

    assert "| two | 60.0 | 125.0 | 1.67 x | 83 % | 200 |" in text
    assert "One core reads 69,120 rows a second." in text
    assert "| 1 | 2.8 |\n| 8 | 0.4 |\n| 64 | 0.1 |" in text
    assert "does 80 % of what one process alone does" in text
