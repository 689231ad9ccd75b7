"""Batch sizes that would fit, and where nothing can be said."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.batch_headroom import batch_headroom
from smianalyze.findings import Finding
from smianalyze.frames import Frames

CARD = "snapshot gpu_index memory_total_mib\n0 0 {}"


def logs(*runs: tuple[int, int | None, float], total: int | None = 80000, failed: tuple[int, ...] = ()) -> Frames:
    """Logs of runs: batch size, peak, and seconds of a step; some of them ran out."""
    steps, events = ["source line gpu_mem_mib step_time_s"], ["source line kind batch_size total_mib"]
    for batch, peak, seconds in runs:
        name = f"bs{batch}.log"
        events.append(f"{name} 1 settings {batch} -")
        steps += [f"{name} {line} {'-' if peak is None else peak} {seconds}" for line in (2, 3)]
        events += [f"{name} 9 oom - -"] if batch in failed else []
    tables = {"steps": "\n".join(steps), "events": "\n".join(events)}
    return frames_of(**tables, **({} if total is None else {"gpus": CARD.format(total)}))


def found(
    *runs: tuple[int, int | None, float], total: int | None = 80000, failed: tuple[int, ...] = ()
) -> list[Finding]:
    return batch_headroom(logs(*runs, total=total, failed=failed), None)


def test_runs_of_several_sizes_tell_what_fits() -> None:
    (finding,) = found((64, 2000, 0.02), (128, 3600, 0.03))

    assert finding.title == "Batch size 128 takes 3,600 MiB of 80,000 MiB, and about 2,800 would fit."
    assert "a sample takes 25.0 MiB on top of 400 MiB" in finding.why
    assert finding.next_step.startswith("Try 256,")
    assert (finding.severity, finding.confidence) == ("info", "medium")
    assert finding.evidence[0] == ("bs128.log", 1)


def test_larger_batch_that_is_no_faster_is_not_advised() -> None:
    (finding,) = found((64, 2000, 0.02), (128, 3600, 0.04))

    assert "Samples a second: +0% from batch size 64 to 128." in finding.why
    assert finding.next_step == "Stay at 128: a larger batch makes nothing faster here."


def test_run_that_ran_out_is_told_what_would_have_fit() -> None:
    (finding,) = found((64, 2000, 0.02), (128, 3600, 0.03), (4096, None, 0.5), failed=(4096,))

    assert finding.title.startswith(
        "Batch size 4,096 ran out of memory; batch size 128 takes 3,600 MiB of 80,000 MiB"
    )
    assert finding.title.endswith("and about 2,800 would fit.")
    assert finding.severity == "low"


@pytest.mark.parametrize(
    "runs",
    [
        [(64, 2000, 0.02)],
        [(64, 2000, 0.02), (64, 2100, 0.02)],
        [(64, 2000, 0.02), (128, 2000, 0.03)],
        [(64, 2000, 0.02), (128, 9000, 0.03)],
        [(64, 2000, 0.02), (128, 3600, 0.03), (256, 3700, 0.03)],
        [(64, None, 0.02), (128, None, 0.03)],
    ],
    ids=["one run", "one size", "no growth", "below nothing", "no line", "no memory"],
)
def test_runs_that_tell_nothing_are_silent(runs: list[tuple[int, int | None, float]]) -> None:
    assert found(*runs) == []


def test_run_that_ran_out_although_it_should_fit_makes_the_line_doubtful() -> None:
    assert found((64, 2000, 0.02), (128, 3600, 0.03), (256, None, 0.5), failed=(256,)) == []


def test_unknown_card_gives_no_advice() -> None:
    assert found((64, 2000, 0.02), (128, 3600, 0.03), total=None) == []


def test_full_card_has_no_room() -> None:
    assert found((64, 2000, 0.02), (128, 3600, 0.03), total=4000) == []


def test_real_runs_take_25_mib_a_sample() -> None:
    capture = load(FIXTURES / "runs" / "batch_sizes", FIXTURES / "demo" / "smi_before.txt")
    (finding,) = batch_headroom(capture.frames, None)

    assert finding.title == "Batch size 512 takes 12,935 MiB of 143,771 MiB, and about 5,200 would fit."
    assert "By 4 runs a sample takes 24.6 MiB on top of 319 MiB" in finding.why
    assert finding.confidence == "high"


def test_one_run_says_what_it_left_free() -> None:
    (finding,) = batch_headroom(load(FIXTURES / "runs" / "fed").frames, None)

    assert finding.title == "Batch size 256 leaves 128,846 MiB of 143,771 MiB free on GPU 1 at the fullest moment."
    assert (finding.severity, finding.gpus) == ("info", (1,))


def test_empty_capture_is_silent() -> None:
    assert batch_headroom(Frames.from_rows({}), None) == []
