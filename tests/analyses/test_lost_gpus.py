"""GPUs that do not answer, or are not listed any more; and what only looks like it."""

from __future__ import annotations

import pytest
from text_tables import frames_of

from smianalyze.analyses.comparison import compare_run
from smianalyze.analyses.lost_gpus import MAX_PLACES, driver_mismatch, gpu_lost
from smianalyze.frames import Frames

TWO_CARDS = """
snapshot gpu_index pci_bus_id       memory_used_mib
0        0         00000000:3B:00.0 10
0        1         00000000:5E:00.0 10
"""


def said(frames: Frames) -> list[tuple[str, str, tuple[int, ...]]]:
    found = gpu_lost(frames, compare_run(frames))
    return [(finding.severity, finding.confidence, finding.gpus) for finding in found]


@pytest.mark.parametrize(
    "event",
    [
        "smi_error 0000:5E:00.0 Unable to determine the device handle for GPU 0000:5E:00.0: Unknown Error",
        "smi_error 0000:5E:00.0 Unable to determine the device handle: GPU is lost.",
        "gpu_lost 0000:5e:00 NVRM: Xid (PCI:0000:5e:00): 79, GPU has fallen off the bus.",
    ],
)
def test_message_names_the_gpu_by_its_bus_id(event: str) -> None:
    frames = frames_of(gpus=TWO_CARDS, events=f"kind pci_bus_id message\n{event}")

    assert said(frames) == [("high", "high", (1,))]


def test_gpu_that_no_print_lists_has_no_index() -> None:
    events = "kind pci_bus_id message\nsmi_error 0000:5E:00.0 GPU is lost"
    (finding,) = gpu_lost(frames_of(events=events), None)

    assert finding.title == "A GPU does not answer any more."
    assert finding.gpus == ()


def test_a_message_repeated_each_second_is_one_finding() -> None:
    events = "kind pci_bus_id message\n" + "smi_error 0000:5E:00.0 GPU is lost\n" * 500
    (finding,) = gpu_lost(frames_of(gpus=TWO_CARDS, events=events), None)

    assert finding.title == "GPU 1 does not answer any more (500 messages)."
    assert len(finding.evidence) == MAX_PLACES


@pytest.mark.parametrize(
    "event",
    [
        "smi_error - NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "smi_error - No devices were found",
        "oom - CUDA out of memory. the word lost does not count",
        "smi_error - -",
    ],
)
def test_other_messages_are_silent(event: str) -> None:
    assert said(frames_of(gpus=TWO_CARDS, events=f"kind pci_bus_id message\n{event}")) == []


def prints(*cards: str) -> Frames:
    """One print each with these cards, such as ``01``."""
    rows = [f"{number} {gpu} 10" for number, gpus in enumerate(cards) for gpu in gpus]
    heads = [f"{number} 580.159.04 none_found" for number in range(len(cards))]
    return frames_of(
        gpus="snapshot gpu_index memory_used_mib\n" + "\n".join(rows),
        snapshots="snapshot driver_version process_section\n" + "\n".join(heads),
    )


def test_gpu_that_a_series_lists_no_more_is_lost() -> None:
    frames = prints("01", "01", "01", "0", "0", "0")

    assert said(frames) == [("medium", "medium", (1,))]
    (finding,) = gpu_lost(frames, None)
    assert finding.title == "GPU 1 is missing from later prints."
    assert finding.evidence == (("gpus", 6),)


def test_last_print_of_a_series_may_be_cut() -> None:
    assert said(prints(*["01"] * 10, "0")) == []


def test_gpu_that_comes_back_is_not_lost() -> None:
    assert said(prints("01", "01", "01", "0", "0", "0", "01")) == []


def test_gpu_that_is_missing_from_the_second_of_two_prints_is_a_weak_case() -> None:
    assert said(prints("01", "0")) == [("medium", "low", (1,))]


def test_message_and_missing_card_are_one_finding() -> None:
    frames = frames_of(
        gpus=TWO_CARDS + "1 0 00000000:3B:00.0 10",
        snapshots="snapshot process_section\n0 none_found\n1 none_found",
        events="kind pci_bus_id message\nsmi_error 0000:5E:00.0 GPU is lost",
    )

    assert said(frames) == [("high", "high", (1,))]


def test_versions_that_differ_are_a_mismatch() -> None:
    events = "kind message\nsmi_error Failed to initialize NVML: Driver/library version mismatch\n"
    (finding,) = driver_mismatch(frames_of(events=events), None)

    assert (finding.id, finding.severity, finding.evidence) == ("driver-mismatch", "high", (("events", 1),))


def test_driver_that_is_not_loaded_is_no_mismatch() -> None:
    events = "kind message\nsmi_error Failed to initialize NVML: Driver Not Loaded\nsmi_error -"

    assert driver_mismatch(frames_of(events=events), None) == []
