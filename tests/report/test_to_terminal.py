"""The findings in a terminal: at most 80 columns, nothing that steers it."""

from __future__ import annotations

import dataclasses
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from scenes import idle

from smianalyze.findings import Evidence, Finding
from smianalyze.masking import Masker
from smianalyze.report.to_terminal import terminal_text


def finding(*evidence: Evidence, severity: str = "high") -> Finding:
    return Finding(
        id="primary-card-overhead",
        severity=severity,
        title="GPU 0 carries 619 MiB more than GPU 1, because PID 813 also opened a context on it (612 MiB).",
        why="A process opens its context on card 0 unless told otherwise.",
        next_step="Call `torch.cuda.set_device(local_rank)` before anything else that uses CUDA.",
        gpus=(0, 2, 3, 4),
        evidence=evidence,
    )


def printed(*findings: Finding) -> str:
    return terminal_text(findings, idle().frames, masker=Masker())


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def test_a_finding_is_a_row_with_its_cause_next_step_and_places() -> None:
    assert printed(finding(Evidence("runs/after_smi.txt", 25), Evidence("runs/after_smi.txt", 27))) == (
        "severity  GPU      finding\n"
        "high      0, 2-4   GPU 0 carries 619 MiB more than GPU 1, because PID 813 also\n"
        "                   opened a context on it (612 MiB).\n"
        "                   \N{RIGHTWARDS ARROW} Call `torch.cuda.set_device(local_rank)` before anything\n"
        "                     else that uses CUDA.\n"
        "                   after_smi.txt:25\n"
        "                   after_smi.txt:27\n"
        "                   smianalyze explain primary-card-overhead\n"
    )


def test_findings_stand_under_one_header() -> None:
    first, second = printed(finding(), finding(severity="low")).split("\n\n")

    assert first.startswith("severity  GPU      finding\nhigh ")
    assert second.startswith("low       0, 2-4   GPU 0")


def test_many_cards_are_counted() -> None:
    even = dataclasses.replace(finding(), gpus=(0, 2, 4, 6, 8))

    assert "high      5 GPUs   GPU 0" in printed(even)


def test_nothing_found_gives_one_sentence_that_keeps_numbers_with_their_units() -> None:
    assert printed() == (
        "Nothing stands out: 2 cards, memory in use 0 MiB, utilization 0 %, temperature\n  33 to 34 °C.\n"
    )


def test_a_remark_comes_after_the_sentence_that_nothing_stands_out() -> None:
    first, second = printed(finding(severity="info")).split("\n\n")

    assert first.startswith("Nothing stands out")
    assert second.startswith("severity  GPU      finding\ninfo ")


def test_many_places_are_counted() -> None:
    places = [Evidence("a.txt", number) for number in range(1, 1241)]

    assert "  a.txt:2\n                   and 1,238 more places\n" in printed(finding(*places))


def test_the_line_number_of_a_long_name_is_kept() -> None:
    last = printed(finding(Evidence("显卡" * 100 + ".txt", 7))).splitlines()[-2]

    assert columns(last) <= 80
    assert last.endswith("显卡.txt:7")


@given(st.text(min_size=1))
def test_no_name_of_an_input_steers_the_terminal_or_breaks_the_lines(name: str) -> None:
    lines = printed(finding(Evidence(name, 1))).split("\n")

    assert all(line.isprintable() and columns(line) <= 80 for line in lines)
    assert len(lines) == 8
