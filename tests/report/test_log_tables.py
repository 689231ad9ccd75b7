"""The section on training logs: one row a log, only what is known, and how it lies on the recording."""

from __future__ import annotations

from datetime import timedelta

from fixture_pairs import FIXTURES
from recordings import START, frames, prints

from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.reading import read_inputs
from smianalyze.report.log_tables import MOST_LOGS, training_logs
from smianalyze.source import open_inputs

Row = dict[str, object]


def section(rows: list[Row]) -> list[str]:
    usual: Row = {"source": "train.log", "line": 1, "format": "generic"}
    return training_logs(Frames.from_rows({"steps": [{**usual, **row} for row in rows]}), Masker("none"))


def test_starved_run_is_one_row_with_what_its_log_knows() -> None:
    blocks = training_logs(read_inputs(open_inputs(FIXTURES / "runs" / "starved" / "train.log")), Masker())
    header, _, row = blocks[1].split("\n")

    assert blocks[0] == "## Training logs"
    assert "learning rate" not in header
    assert row == (
        "| `train.log` | `pytorch_imagenet` | 7 | step 0 to 12 | 2026-11-30 19:38:01 to 19:38:25 "
        "| 6.922 → 6.853 | 2.05 s | 97 % | 6,616 MiB |"
    )


def test_without_records_there_is_no_section() -> None:
    assert section([]) == []


def test_columns_that_no_log_knows_are_left_out_and_unknown_is_marked() -> None:
    blocks = section([{"step": 1, "loss": 2.0}, {"source": "b.log", "step": 1, "lr": 0.1}])

    assert blocks[1].split("\n")[0] == "| log | format | records | counter | loss | learning rate |"
    assert "| 2 → 2 | ? |" in blocks[1]
    assert "could not be read" in blocks[2]


def test_ranks_are_counted_and_their_records_too() -> None:
    assert (
        "| 4 of 2 ranks |" in section([{"step": step, "rank": rank} for step in range(2) for rank in range(2)])[1]
    )


def test_further_logs_are_counted() -> None:
    blocks = section([{"source": f"{number}.log", "step": 1, "loss": 1.0} for number in range(MOST_LOGS + 3)])

    assert len(blocks[1].split("\n")) == 2 + MOST_LOGS
    assert blocks[2] == "3 more logs are in the frame `steps`."


def test_log_in_another_zone_says_by_how_much_it_was_moved() -> None:
    recording = prints({"memory_used_mib": [500] * 60 + [40_000] * 600 + [500] * 60, "utilization_gpu_pct": 50})
    first = START + timedelta(seconds=80, hours=2)
    rows: list[Row] = [
        {"source": "train.log", "line": 1, "step": step, "loss": 1.0, "time": first + timedelta(seconds=10 * step)}
        for step in range(56)
    ]

    blocks = training_logs(frames(recording, steps=rows), Masker())

    assert blocks[-1] == (
        "`train.log`: its clock differs by +2 h from that of the recording, as another time zone does."
    )


def test_text_of_a_log_stays_in_its_cell() -> None:
    blocks = section([{"source": "a|b`.log", "format": "x | y", "step": 1, "loss": float("1e300")}])

    assert len({line.replace("\\|", "").count("|") for line in blocks[1].split("\n")}) == 1
