from __future__ import annotations

import random
import textwrap
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures, check_pair

from smianalyze.formats.log_sizes import mib, tensor_mib
from smianalyze.reading import read_rows
from smianalyze.source import from_text

CUTS = 150
NEW = (
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 428.00 MiB. GPU 3 has a total "
    "capacity of 79.15 GiB of which 301.62 MiB is free. Process 51877 has 11.02 GiB memory in use. Including "
    "non-PyTorch memory, this process has 67.83 GiB memory in use. Of the allocated memory 61.40 GiB is "
    "allocated by PyTorch, and 4.71 GiB is reserved by PyTorch but unallocated. If reserved but unallocated "
    "memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
)
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 1.53 GiB (GPU 2; 23.69 GiB total capacity; 18.27 GiB "
    "already allocated; 917.44 MiB free; 20.91 GiB reserved in total by PyTorch)"
)


def events_of(text: str) -> list[dict[str, object]]:
    """The events of a text without what is unknown and without the message itself."""
    events = read_rows([from_text(text)]).get("events", [])
    return [
        {key: value for key, value in row.items() if value is not None and key not in ("message", "source")}
        for row in events
    ]


def says_no_more(cut: dict[str, object], whole: dict[str, object]) -> bool:
    """Whether a cut event has no value that the whole one has not; its list of processes may be shorter."""
    others, all_others = (row.get("other_processes", []) for row in (cut, whole))
    rest = {key: value for key, value in cut.items() if key != "other_processes"}
    known = [[pair for pair in other.items() if pair[1] is not None] for other in others]
    return rest.items() <= whole.items() and all(
        set(pairs) <= set(other.items()) for pairs, other in zip(known, all_others, strict=False)
    )


@pytest.mark.parametrize("capture", captures("log_oom"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("log_oom"))
def test_cut_anywhere_gives_no_other_size(capture: Path) -> None:
    text = capture.read_text(encoding="utf-8")
    whole = {event["line"]: event for event in events_of(text)}
    places = random.Random(capture.name).choices(range(1, len(text)), k=CUTS)  # noqa: S311 - a fixed seed

    wrong = {
        place: event
        for place in places
        for event in events_of(text[:place])
        if not says_no_more(event, whole.get(event["line"], {}))
    }

    assert wrong == {}


@pytest.mark.parametrize("message", [NEW, OLD], ids=["new", "old"])
@pytest.mark.parametrize("width", [72, 80, 97, 100, 118, 132, 160])
def test_wrapped_message_is_one_event_with_the_same_sizes(message: str, width: int) -> None:
    (whole,) = events_of(f"{message}\nnext\n")
    hard = [message[at : at + width] for at in range(0, len(message), width)]

    for lines in (hard, textwrap.wrap(message, width)):
        assert events_of("\n".join([*lines, "next", ""])) == [whole]


def test_same_message_from_two_layers_counts_once_and_from_two_ranks_twice() -> None:
    again = NEW.replace("[rank3]: ", "")
    other = NEW.replace("rank3", "rank2").replace("GPU 3", "GPU 2")

    assert len(events_of(f"{again}\nTraceback (most recent call last):\n{again}\n")) == 1
    assert [event["rank"] for event in events_of(f"{NEW}\n{other}\n")] == [3, 2]


def test_absurd_size_is_unknown() -> None:
    (event,) = events_of(NEW.replace("67.83", "17179869184.00") + "\n")

    assert "process_mib" not in event
    assert event["allocated_mib"] == 61.4 * 1024


def test_unknown_words_between_sizes_change_nothing_else() -> None:
    (event,) = events_of(NEW.replace("of which", "of which 3.00 GiB is lent to a friend and") + "\n")

    assert (event["total_mib"], event["free_mib"]) == (79.15 * 1024, 301.62)


def test_many_processes_on_the_card_are_all_listed() -> None:
    many = " ".join(f"Process {pid} has 1.25 GiB memory in use." for pid in range(9000, 9008))
    (event,) = events_of(NEW.replace("Process 51877 has 11.02 GiB memory in use.", many) + "\n")

    assert event["other_processes"] == [{"pid": pid, "mib": 1280.0} for pid in range(9000, 9008)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.81 GiB", 2.81 * 1024),
        ("91.000244MB", 91.000244),
        ("0 bytes", 0.0),
        ("0.000000B", 0.0),
        ("5012349184 bytes", 5012349184 / 2**20),
        ("1,610,612,736 bytes", 1536.0),
        ("512.00 KiB", 0.5),
        ("17179869184.00 GiB", None),
    ],
)
def test_size_is_in_mib(text: str, expected: float | None) -> None:
    assert mib(text) == expected


def test_size_with_a_decimal_comma_is_unknown() -> None:
    (event,) = events_of(
        "RuntimeError: CUDA out of memory. Tried to allocate 1,50 GiB (GPU 0; 7,93 GiB total capacity)\n"
    )

    assert event == {"line": 1, "kind": "oom", "framework": "pytorch", "gpu_index": 0}


def test_tensor_has_the_size_of_its_shape_and_type() -> None:
    assert tensor_mib("[64,256,128,128]", "float") == 1024.0
    assert tensor_mib("[64,256,128,128]", "variant") is None


@pytest.mark.parametrize(
    "text",
    [
        "# RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 4.00 GiB total capacity)",
        '    raise RuntimeError("CUDA error: out of memory")',
        "If you run into `CUDA out of memory`, reduce --batch-size.",
        "If you see CUDA out of memory errors, lower the batch size",
        'fprintf(stderr, "CUDA error: out of memory\\n");',
        "- CUBLAS_STATUS_ALLOC_FAILED: the library could not allocate its workspace",
        "except torch.cuda.OutOfMemoryError:",
        "    // cudaErrorMemoryAllocation is not sticky",
        "Limit: 10",
        "allocating 3 buffers on device 1",
    ],
)
def test_prose_and_source_code_are_no_event(text: str) -> None:
    assert events_of(f"{text}\nnext\n") == []


def test_fixtures_hold_every_framework() -> None:
    frameworks = {
        event.get("framework")
        for path in (FIXTURES / "log_oom").glob("*.txt")
        for event in events_of(path.read_text(encoding="utf-8"))
    }

    assert {"pytorch", "tensorflow", "jax", "paddle", "llama.cpp", "nccl", "cupy", "cublas"} <= frameworks
