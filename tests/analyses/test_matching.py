"""Which GPU a process runs on, where only a UUID was printed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from smianalyze.analyses.matching import with_index
from smianalyze.frames import Frames

Listed = tuple[int, int | None, str | None]


def frames(listed: Sequence[Listed], hosts: Sequence[str | None] = (None,)) -> Frames:
    """Processes as PID, GPU index, GPU UUID, each on every host."""
    return Frames.from_rows(
        {
            "processes": [
                {"snapshot": 0, "host": host, "pid": pid, "gpu_index": index, "gpu_uuid": uuid}
                for host in hosts
                for pid, index, uuid in listed
            ]
        }
    )


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([(812, 1, None), (812, None, "GPU-a")], {1}),
        ([(812, 0, None), (813, 0, None), (813, 1, None), (812, None, "GPU-a"), (813, None, "GPU-a")], {0}),
        ([(813, 0, None), (813, 1, None), (813, None, "GPU-a")], set()),
        ([(7, 0, None), (812, None, "GPU-a")], set()),
        ([(1, 0, None), (2, 0, None), (1, None, "GPU-a"), (2, None, "GPU-b")], set()),
    ],
    ids=["one PID", "an extra context tells the card", "on both cards", "unlisted", "two UUIDs on one card"],
)
def test_processes_tell_which_card_a_uuid_is(listed: list[Listed], expected: set[int]) -> None:
    capture = frames(listed)
    unplaced = capture.processes[capture.processes["gpu_uuid"].notna()]

    assert set(with_index(unplaced, capture)["gpu_index"].dropna()) == expected


def test_processes_of_several_hosts_tell_nothing() -> None:
    capture = frames([(812, 1, None), (812, None, "GPU-a")], hosts=("one", "two"))
    unplaced = capture.processes[capture.processes["gpu_uuid"].notna()]

    assert with_index(unplaced, capture)["gpu_index"].isna().all()
