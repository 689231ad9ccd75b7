from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

import smianalyze


@pytest.mark.parametrize("capture", captures("smi_table"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_lost_gpu_of_a_line_alone_is_told() -> None:
    events = smianalyze.loads("|    3                    ERROR: GPU is lost                      |\n").events

    assert events[["kind", "gpu_index"]].to_numpy().tolist() == [["gpu_lost", 3]]
