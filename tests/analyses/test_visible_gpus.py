"""GPUs that a job may see and does not use; and what only looks like it."""

from __future__ import annotations

import pytest
from out_of_memory_rows import PRIVATE, Row, capture, cards, launch, old_wording

from smianalyze.analyses.visible_gpus import visible_gpu_unused
from smianalyze.frames import Frames


def said(frames: Frames) -> list[tuple[str, tuple[int, ...]]]:
    return [(finding.severity, finding.gpus) for finding in visible_gpu_unused(frames, None)]


def test_visible_card_beside_a_used_one_is_unused() -> None:
    (finding,) = visible_gpu_unused(capture([launch("2,3")], cards(4692, 4650, 9240, 0)), None)

    assert finding.title == (
        "GPU 3 is visible to the job and unused: it holds less than 256 MiB in every print, "
        "while the job uses GPU 2."
    )
    assert (finding.severity, finding.gpus) == ("medium", (3,))
    assert finding.evidence == (("train.log", 1), ("smi.txt", 21))
    assert PRIVATE not in f"{finding.title}{finding.why}{finding.next_step}"


def test_prints_without_the_job_leave_the_card_that_ran_out_as_a_witness() -> None:
    frames = capture([launch("2,3"), old_wording()], cards(4692, 4650, 0, 0))

    assert said(frames) == [("low", (3,))]


@pytest.mark.parametrize(
    "start",
    [
        launch("2,3", message="CUDA_VISIBLE_DEVICES=2,3 torchrun train.py"),
        launch("2,3", nproc_per_node="2"),
    ],
)
def test_launcher_may_have_used_all_of_them_before_the_prints(start: Row) -> None:
    assert said(capture([start, old_wording()], cards(4692, 4650, 0, 0))) == []


@pytest.mark.parametrize(
    ("devices", "used"),
    [
        ("2,3", (0, 0, 9240, 9240)),
        ("3", (0, 0, 0, 9240)),
        ("2,3", (0, 0, 9240, None)),
        ("2,3", (9240, 0, 0, 0)),
        ("2,7", (0, 0, 9240, 0)),
        ("", (0, 0, 9240, 0)),
    ],
)
def test_used_single_unknown_and_unlisted_cards_are_silent(devices: str, used: tuple[int | None, ...]) -> None:
    assert said(capture([launch(devices)], cards(*used))) == []


def test_card_that_is_used_in_one_print_is_used() -> None:
    gpus = [*cards(9240, 0), *cards(9240, 9240, snapshot=1)]

    assert said(capture([launch("0,1")], gpus)) == []


def test_without_prints_nothing_is_said() -> None:
    assert said(capture([launch("2,3"), old_wording()])) == []
