from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

import smianalyze


@pytest.mark.parametrize("capture", captures("nvlink"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_other_sentences_about_links_are_no_links() -> None:
    capture = smianalyze.loads(
        "GPU 0: NVIDIA H200 (UUID: GPU-30a9b0ea-1d10-47a8-8ad0-25ae2f8ba5a4)\n"
        "\t Link 0: Replay Errors: 0\n"
        "\t Link 0: Remote Device 00000000:05:00.0: Link 1\n"
    )

    assert len(capture.links) == 0
    assert capture.devices["gpu_index"].tolist() == [0]
    assert len(capture.problems) == 0


def test_links_without_their_gpu_are_left_out() -> None:
    assert len(smianalyze.loads("\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n").links) == 0
