from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

import smianalyze


@pytest.mark.parametrize("capture", captures("topo"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def links(text: str) -> dict[tuple[str, str], str]:
    rows = smianalyze.loads(text).links.to_dict("records")
    return {(row["device_a"], row["device_b"]): row["link"] for row in rows}


def test_last_cell_of_a_text_may_be_cut() -> None:
    whole = "        GPU0    GPU1    CPU Affinity\nGPU0     X      NV18    0-31\nGPU1    NV18     X      0-31\n"

    assert links(whole[: whole.index("V18    0-31") + 2]) == {("GPU0", "GPU0"): "X"}
    assert links(whole)["GPU0", "GPU1"] == "NV18"


def test_row_with_a_lost_cell_says_nothing() -> None:
    header = "        GPU0    GPU1    GPU2    CPU Affinity\n"
    text = header + "GPU0     X      NV4     0-31\nGPU1    NV4      X      PIX     0-31\n"

    assert {first for first, _ in links(text)} == {"GPU1"}


def test_device_that_was_split_in_the_header_moves_no_cell() -> None:
    text = "        GPU0    G PU1   CPU Affinity\nGPU0     X      NV4     0-31\nGPU1    NV4      X      0-31\n"

    assert links(text) == {}


def test_peer_to_peer_matrix_is_not_taken_for_links() -> None:
    assert links(" \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n") == {}
