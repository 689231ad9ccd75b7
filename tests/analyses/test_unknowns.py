"""What a capture cannot tell, and why."""

from __future__ import annotations

import pytest
from recordings import Columns, Row, frames, prints

from smianalyze.analyses.unknowns import cannot_tell
from smianalyze.frames import Frames

JOB: Columns = {"memory_used_mib": [4] + [9000] * 19, "utilization_gpu_pct": 60, "power_draw_w": 200.0}
BUSY: Columns = {**JOB, "utilization_gpu_pct": 99}
LOG: list[Row] = [{"source": "train.log", "line": 1, "step_time_s": 0.5}]
TIMED_LOG: list[Row] = [{**LOG[0], "data_time_s": 0.1}]
PYTHON: list[Row] = [{"snapshot": 1, "gpu_index": 0, "pid": 7, "used_gpu_memory_mib": 8900}]


def asked(*cards: Columns, processes: list[Row] = PYTHON, steps: list[Row] | None = None) -> str:
    """The beginnings of the sentences."""
    told = cannot_tell(frames(prints(*cards) if cards else [], processes=processes, steps=steps or []))
    return "; ".join(sentence.partition(" cannot")[0] for sentence in told)


def test_a_whole_capture_leaves_nothing_open() -> None:
    assert asked(JOB, JOB, steps=TIMED_LOG) == ""
    assert cannot_tell(Frames.from_rows({})) == []


@pytest.mark.parametrize(
    ("cards", "question"),
    [
        ([{**JOB, "time": None}], "How long anything took"),
        ([{**JOB, "utilization_gpu_pct": None}], "Whether the cards were busy"),
        ([{**JOB, "power_draw_w": None}] * 2, "Whether one rank waits for another"),
        ([{**JOB, "power_draw_w": None}], ""),
    ],
)
def test_a_recording_that_lacks_a_quantity(cards: list[Columns], question: str) -> None:
    assert asked(*cards) == question


def test_no_list_of_processes() -> None:
    assert asked(JOB, processes=[]) == "Who holds the memory"
    assert asked({"memory_used_mib": [4] * 20, "utilization_gpu_pct": 0}, processes=[]) == ""


def test_a_log_without_data_time() -> None:
    assert asked(steps=LOG, processes=[]) == "Whether the job waits for data"
    assert asked(JOB, steps=LOG) == "Whether the job waits for data"
    assert asked(BUSY, steps=LOG) == ""
