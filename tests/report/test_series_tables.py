"""The part of the report about the run as a whole."""

from __future__ import annotations

import json

from markdown_it import MarkdownIt
from recordings import frames, prints

from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.report import ReportContent
from smianalyze.report.series_tables import over_the_run
from smianalyze.report.to_json import json_text
from smianalyze.report.to_markdown import markdown
from smianalyze.report.verdicts import nothing_stands_out

BURST = [90, 95, 0, 0, 0, 0, 0, 0]
WORKS = {
    "memory_used_mib": [0, 0, *[20000] * 80, 0, 0],
    "utilization_gpu_pct": [0, 0, *BURST * 10, 0, 0],
    "power_draw_w": [90.0, 90.0, *[360.0] * 80, 90.0, 90.0],
}
UNUSED = {"memory_used_mib": 4, "utilization_gpu_pct": None, "power_draw_w": None}
RUN = frames(prints(WORKS, UNUSED, step_s=0.5))


def content(capture: Frames) -> ReportContent:
    return ReportContent(
        frames=capture, comparison=None, findings=(), masker=Masker(), command="smianalyze report run.csv"
    )


def cells(blocks: list[str]) -> list[list[str]]:
    """The table of cards, its header first."""
    lines = next(block for block in blocks if block.startswith("|")).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def test_the_recording_and_the_time_of_the_job_come_first() -> None:
    assert over_the_run(RUN, Masker())[:3] == [
        "## Over the run",
        "`run.csv`: 84 prints in 42 s, one each 0.50 s.",
        "The job ran from 2026-11-30 19:00:01 to 19:00:40 (40 s): memory in use was higher than before and after.",
    ]


def test_each_card_has_its_numbers() -> None:
    header, first, second = cells(over_the_run(RUN, Masker()))

    assert dict(zip(header, first, strict=True)) == {
        "card": "0",
        "mean utilization": "23.1 %",
        "of all prints": "22.0 %",
        "median": "0 %",
        "95th percentile": "95 %",
        "idle": "75 %",
        "longest idle": "3.0 s",
        "cycle": "4.0 s",
        "peak memory": "20,000 MiB (25 %)",
        "mean power": "360 W",
        "energy": "4.04 ± 0.00 Wh",
    }
    assert second == ["1", *["? %"] * 5, "? s", "?", "4 MiB (<1 %)", "? W", "? ± ? Wh"]


def test_line_of_a_quiet_run_tells_of_the_run_and_not_of_its_last_print() -> None:
    assert nothing_stands_out(RUN, ()) == (
        "Nothing stands out: 2 cards, mean utilization while the job ran 23 %, peak memory 4 to 20,000 MiB, "
        "mean power while the job ran 360 W."
    )


def test_prints_by_hand_have_no_course_in_time() -> None:
    few = frames(prints({"memory_used_mib": [0, 9000], "utilization_gpu_pct": [0, 99]}))

    assert over_the_run(few, Masker()) == []
    assert json.loads(json_text(content(few)))["utilization"] == []
    assert "Over the run" not in markdown(content(few))


def test_a_report_of_a_series_has_the_section() -> None:
    text = markdown(content(RUN))

    assert text.index("## Over the run") < text.index("## What was read")


def test_hosts_and_inputs_stand_masked_and_inside_code() -> None:
    capture = frames(prints(WORKS, step_s=0.5, source="/home/maria/`|<b>.csv", host="maria|*pc*"))
    blocks = over_the_run(capture, Masker())
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render("\n\n".join(blocks))

    assert "maria" not in html
    assert "<b>" not in html
    assert cells(blocks)[0][:2] == ["host", "card"]


def test_prints_without_times_say_so() -> None:
    blocks = over_the_run(frames(prints(WORKS, times=[None] * 84)), Masker())

    assert blocks[1] == "`run.csv`: 84 prints without a time."
    assert blocks[2] == "The job's prints are those in which memory in use was higher than before and after."
    assert cells(blocks)[1][6:8] == ["? s", "?"]


def test_json_has_the_whole_recording_and_the_job() -> None:
    first, second = json.loads(json_text(content(RUN)))["utilization"]

    assert list(first)[:4] == ["gpu_index", "samples", "mean_pct", "std_pct"]
    assert (first["samples"], first["mean_pct"], first["idle_share"]) == (84, 22.024, 0.762)
    assert (first["switches"], first["period_s"]) == (20, 4.0)
    assert (first["active"]["samples"], first["active"]["mean_pct"]) == (80, 23.125)
    assert (second["gpu_index"], second["samples"], second["mean_pct"], second["period_s"]) == (1, 0, None, None)


def test_json_names_hosts_by_alias() -> None:
    capture = frames(prints(WORKS, host="a"), prints(WORKS, host="b"))

    assert [row["host"] for row in json.loads(json_text(content(capture)))["utilization"]] == ["host-1", "host-2"]
