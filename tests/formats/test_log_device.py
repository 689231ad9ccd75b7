from __future__ import annotations

import random
from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

from smianalyze.formats.log_device import bus_id
from smianalyze.reading import read_rows
from smianalyze.source import from_text

CUTS = 150


def events_of(text: str) -> dict[object, dict[str, object]]:
    """The events of a text by line, without what is unknown and without the message itself."""
    events = read_rows([from_text(text)]).get("events", [])
    return {
        row["line"]: {key: value for key, value in row.items() if value is not None and key != "message"}
        for row in events
    }


@pytest.mark.parametrize("capture", captures("log_device"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("log_device"))
def test_cut_anywhere_gives_no_other_number(capture: Path) -> None:
    text = capture.read_text(encoding="utf-8")
    whole = events_of(text)
    places = random.Random(capture.name).choices(range(1, len(text)), k=CUTS)  # noqa: S311 - a fixed seed

    wrong = {
        place: event
        for place in places
        for line, event in events_of(text[:place]).items()
        if not event.items() <= whole.get(line, {}).items()
    }

    assert wrong == {}


@pytest.mark.parametrize(
    ("number", "address"),
    [
        ("39000", "0000:39:00.0"),
        ("201c0", "0000:20:1c.0"),
        ("f000", "0000:0f:00.0"),
        ("1000100000", "10001:00:00.0"),
    ],
)
def test_bus_number_of_nccl_is_a_pci_address(number: str, address: str) -> None:
    assert bus_id(number) == address


def test_start_and_end_of_the_same_communicator_count_once() -> None:
    start = "n:18:13 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 4 busId 39000 - Init START\n"

    assert len(events_of(start + start.replace("START", "COMPLETE"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Process 12, please wait",
        "# distributed init (rank 1): env://",
        "[PID: 12] started",
        "comm 0x12 is a pointer to the communicator",
        "The rank and nranks of a comm are printed by NCCL INFO",
        "Device 3: not found",
        "[Rank 1] (after 1 iterations) lunch (MB)",
    ],
)
def test_other_text_is_no_event(text: str) -> None:
    assert events_of(f"{text}\nnext\n") == {}
