"""The Markdown report: its order, its sentences, and that no text of an input becomes markup."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_contents import content_full_of, content_of
from scenes import (
    FIRST_PRINT,
    Print,
    Row,
    Scene,
    extra_context,
    gpu,
    idle,
    no_process_table,
    one_print,
    process,
    read,
    scene,
    unknown_values,
)

from smianalyze.analyses.comparison import compare_snapshots
from smianalyze.findings import Evidence, Finding
from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.report import Chart
from smianalyze.report.to_markdown import markdown

OVERHEAD = Finding(
    id="primary-card-overhead",
    severity="high",
    title="GPU 0 carries 619 MiB more than GPU 1, because PID 813 also opened a context on it (612 MiB).",
    why="A process opens its context on card 0 unless told otherwise.",
    next_step="Call `torch.cuda.set_device(local_rank)` before anything else that uses CUDA.",
    gpus=(0,),
    evidence=(Evidence("after_smi.txt", 25), Evidence("after_smi.txt", 27)),
)
MEMORY = Chart("memory.png", "GPU 0 also holds a context of PID 813: 612 MiB", b"a picture")


def report(one: Scene, findings: Sequence[Finding] = (), charts: Sequence[Chart] = ()) -> str:
    return markdown(content_of(one, findings, charts))


def rows(text: str, column: str) -> list[list[str]]:
    """The cells of the first table that has such a column, its header first."""
    tables = (block.splitlines() for block in text.split("\n\n") if block.startswith("|"))
    found = next(lines for lines in tables if f"| {column} |" in lines[0])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (found[0], *found[2:])]


def skeleton(text: str) -> list[str]:
    """The structure of a page: every tag that an independent reader of Markdown makes of it."""
    tokens = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").parse(text)
    return [inner.type + inner.tag for token in tokens for inner in (token, *(token.children or ()))]


def test_verdict_comes_first_with_its_place_and_next_step() -> None:
    blocks = report(extra_context(), [OVERHEAD]).split("\n\n")

    assert blocks[:2] == [
        "# GPU report: `before_smi.txt` → `after_smi.txt`",
        "**GPU 0 carries 619 MiB more than GPU 1, because PID 813 also opened a context on it (612 MiB).**\n"
        "A process opens its context on card 0 unless told otherwise. "
        "Call `torch.cuda.set_device(local_rank)` before anything else that uses CUDA. "
        "Evidence: `after_smi.txt:25`, `after_smi.txt:27`. "
        "Confidence: high. More: `smianalyze explain primary-card-overhead`.",
    ]


def test_a_series_and_a_log_are_no_before_and_after() -> None:
    series = scene(Print("l1.txt", [gpu(0)]), Print("l1.txt", [gpu(0)]))
    inputs = Frames.from_rows({"inputs": [read("l1.txt"), read("train.log")]}).inputs
    both = Scene(dataclasses.replace(series.frames, inputs=inputs), series.comparison)

    assert report(both).startswith("# GPU report: `l1.txt`, `train.log`\n")


def test_a_run_without_findings_gets_one_line() -> None:
    blocks = report(idle()).split("\n\n")

    assert blocks[1] == (
        "Nothing stands out: 2 cards, memory in use 0 MiB, utilization 0 %, temperature 33 to 34 °C."
    )


def test_a_remark_does_not_hide_that_nothing_stands_out() -> None:
    remark = Finding(id="sampling-too-coarse", severity="info", title="One print.", why="", next_step="")

    assert "Nothing stands out" in report(idle(), [remark])
    assert "Nothing stands out" not in report(extra_context(), [OVERHEAD])


def test_cards_stand_before_and_after() -> None:
    header, first, second = rows(report(extra_context()), "card")

    assert header[:4] == ["card", "memory before → after", "growth, MiB", "share (of 143,771 MiB)"]
    assert header[4:] == ["utilization", "power (of 700 W)", "temperature"]
    assert first[:4] == ["**0 `NVIDIA H200` (primary)**", "14,561 → 31,022 MiB", "**+16,461**", "22 %"]
    assert first[4:] == ["0 → 80 %", "122 → 491 W", "34 → 48 °C"]
    assert second[:4] == ["1 `NVIDIA H200`", "11,691 → 27,533 MiB", "+15,842", "19 %"]
    assert second[4:] == ["27 → 99 %", "346 → 511 W", "43 → 49 °C"]


def test_cards_of_one_print_stand_without_before() -> None:
    assert rows(report(one_print()), "card")[:2] == [
        ["card", "memory used", "share (of 11,264 MiB)", "utilization", "power (of 250 W)", "temperature"],
        ["0 `NVIDIA GeForce GTX 1080 Ti`", "4,692 MiB", "42 %", "45 %", "83 W", "54 °C"],
    ]


def test_unknown_values_are_marked_and_explained() -> None:
    text = report(unknown_values())
    first = rows(text, "card")[1]

    assert first == ["0 `NVIDIA H200`", "? → ? MiB", "?", "? %", "? → 50 %", "? → ? of 700 W", "? → ? °C"]
    assert "? = was not printed or could not be read" in text


def test_cards_with_different_totals_and_limits_name_them() -> None:
    cards = [gpu(0, memory_used_mib=10), gpu(1, memory_used_mib=20, memory_total_mib=40536, power_limit_w=250.0)]
    header, _, second = rows(report(scene(Print("smi.txt", cards))), "card")

    assert header == ["card", "memory used", "share", "utilization", "power", "temperature"]
    assert second[2:5] == ["<1 %", "0 %", "106 of 250 W"]


def test_a_card_without_values_does_not_take_the_limit_from_the_header() -> None:
    cards = [gpu(0), gpu(1, power_draw_w=None, power_limit_w=None)]

    assert "power (of 700 W)" in rows(report(scene(Print("smi.txt", cards))), "card")[0]


def test_processes_say_what_changed_and_where_else_they_are() -> None:
    assert rows(report(extra_context()), "PID")[1:] == [
        ["0", "609", "`python3`", "14,552", "14,552", "was there"],
        ["0", "812", "`python`", "–", "15,836", "started"],  # noqa: RUF001 - the mark of the report
        ["0", "813", "`python`", "–", "612", "started, **also on card 1**"],  # noqa: RUF001
        ["1", "610", "`python3`", "11,682", "11,682", "was there"],
        ["1", "813", "`python`", "–", "15,836", "started, also on card 0"],  # noqa: RUF001
    ]


def test_mig_instances_have_a_table() -> None:
    instance = {"snapshot": 0, "gpu_index": 0, "gpu_instance_id": 2, "memory_used_mib": 11091}
    text = report(scene(Print("smi.txt", [gpu(0)]), mig_devices=[{**instance, "sm_count": 60}]))

    assert rows(text, "GPU instance")[1] == ["0", "2", "?", "11,091 of ? MiB", "60"]


def test_memory_of_other_jobs_is_set_apart() -> None:
    text = report(extra_context())

    assert "did not change: 14,552 MiB of PID 609 on GPU 0; 11,682 MiB of PID 610 on GPU 1." in text
    assert "Without the extra context the job's cards grew by +15,842 to +15,849 MiB." in text
    assert "Held by no listed process: 22 MiB on card 0, 15 MiB on card 1" in text


def test_prints_between_which_nothing_changed_name_no_other_jobs() -> None:
    same = [Print(name, [gpu(0)], [process(0, 609, "python3", 14552)]) for name in ("a.txt", "b.txt")]

    text = report(scene(*same))

    assert "No process started or grew between the two prints. Both show 14,552 MiB of PID 609 on GPU 0." in text
    assert "Other jobs" not in text


def test_memory_that_nobody_is_named_for_is_set_apart() -> None:
    text = report(no_process_table())

    assert "no process list says by whom: 14,568 MiB on GPU 2; 11,497 MiB on GPU 3; 12,920 MiB on GPU 4." in text
    assert "## Processes" not in text


def test_an_empty_process_list_is_explained() -> None:
    assert "nvidia-smi found no running process." in report(idle())


def test_what_a_print_cannot_say_is_said_of_few_prints_only() -> None:
    many = scene(*(Print(f"{number}.txt", [gpu(0)]) for number in range(3)))

    assert "cannot say whether utilization swings" in report(extra_context())
    assert "cannot say whether utilization swings" not in report(many)


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [
        (27, "The second print was made 27 seconds after the first."),
        (-1, "The second print is 1 second older than the first: is the order right?"),
    ],
)
def test_time_between_prints_is_said(seconds: int, sentence: str) -> None:
    later = {"time": FIRST_PRINT + timedelta(seconds=seconds)}

    assert sentence in report(scene(Print("a.txt", [gpu(0)]), Print("b.txt", [gpu(0)], head=later)))


def test_prints_that_are_compared_are_named() -> None:
    series = scene(*(Print("l1.txt", [gpu(0, memory_used_mib=mib)]) for mib in (0, 9000, 50)))
    comparison = compare_snapshots(series.frames, 0, 1)

    assert "Print 1 and print 2 of 3 are compared." in report(Scene(series.frames, comparison))


def test_charts_stand_with_their_statement() -> None:
    text = report(extra_context(), charts=[MEMORY])

    assert "![GPU 0 also holds a context of PID 813: 612 MiB](memory.png)" in text


def test_where_the_lines_went_is_counted() -> None:
    inputs = [read("/data/maria/train.log", lines=12345, ignored=12340, problems=2)]
    text = report(scene(inputs=inputs))

    assert rows(text, "input")[1] == ["`train.log`", "smi_table", "utf-8", "12,345", "3", "12,340", "2", ""]


def test_lost_lines_are_a_fault() -> None:
    with pytest.raises(ValueError, match="lines read"):
        report(scene(inputs=[{**read("a.txt"), "used": 1}]))


def test_a_log_without_cards_makes_a_report() -> None:
    event: Row = {"kind": "oom", "source": "train.log", "line": 7, "message": "CUDA out of memory"}
    text = report(scene(inputs=[read("train.log")], events=[event, event]))

    assert "Nothing stands out: no card was read" in text
    assert rows(text, "kind")[1] == ["oom", "2", "`train.log:7`", "`CUDA out of memory`"]


def test_unreadable_text_is_listed_and_cut() -> None:
    problems = [{"source": "a.txt", "line": n, "what": "cut off", "text": "| 0 |"} for n in range(1, 31)]
    text = report(scene(inputs=[read("a.txt", problems=20)], problems=problems))

    assert "### 30 places could not be read" in text
    assert "| `a.txt:1` | cut off | `\\| 0 \\|` |" in text
    assert "`a.txt:20`" in text
    assert "`a.txt:21`" not in text
    assert "10 more are not shown." in text


def test_masking_thresholds_and_command_end_the_report() -> None:
    last = report(extra_context()).rstrip().split("\n\n")[-3:]

    assert last[0] == Masker().summary()
    assert last[1].startswith("Thresholds: a card stands out when it grew by 200 MiB and 2 % more than its peers")
    assert last[2] == "Reproduce: `smianalyze report before_smi.txt after_smi.txt`"


HARMLESS = skeleton(markdown(content_full_of("python")))


@settings(max_examples=30, deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("`|\\<>[]()!*_#@&~\n\r\t -=.:/ahtps显\u202e\x1b\x00"),
        min_size=1,
        max_size=30,
    )
)
@example("| a | b |\n| --- | --- |")
@example("<script>alert(1)</script>")
@example("![x](https://e.com) @maria #1 https://e.com")
@example("``` \\` `\\")
def test_no_text_of_an_input_becomes_markup(text: str) -> None:
    assert skeleton(markdown(content_full_of(text))) == HARMLESS


def test_a_sentence_of_ours_keeps_its_signs() -> None:
    finding = Finding(id="x", severity="low", title="a*b <c> [d] _e_ f_g `h*i | j`", why="", next_step="")
    html = MarkdownIt().render(report(idle(), [finding]))

    assert "<strong>a*b &lt;c&gt; [d] _e_ f_g <code>h*i | j</code></strong>" in html


def test_other_surroundings_give_the_same_report(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from scenes import extra_context\n"
        "from test_to_markdown import OVERHEAD, report\n"
        "from test_to_json import json_report\n"
        "text = report(extra_context(), [OVERHEAD]) + json_report(extra_context())\n"
        "sys.stdout.buffer.write(text.encode())"
    )
    folders = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
    surroundings = [
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8"},
    ]
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, *folders],
            env=os.environ | one,
            cwd=tmp_path,
            capture_output=True,
            check=True,
        ).stdout
        for one in surroundings
    ]

    assert printed[0] == printed[1] != b""
