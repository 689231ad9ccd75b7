"""Every report fits the JSON schema that goes with the package, and the schema is strict."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from fixture_pairs import FIXTURES
from jsonschema import Draft202012Validator

import smianalyze
from smianalyze.masking import Masker
from smianalyze.report import ReportContent
from smianalyze.report.to_json import json_text

SCHEMA: dict[str, Any] = json.loads(
    (files("smianalyze.report") / "report.schema.json").read_text(encoding="utf-8")
)

CASES = {
    "before and after": ("demo/smi_before.txt", "demo/smi_after.txt"),
    "one print": ("smi_table/joined_boxes_530.txt",),
    "screens": ("watch/h200_40x120.raw",),
    "out of memory": ("smi_table/neighbour_580.txt", "log_oom/h200.txt"),
    "kernel log": ("log_failure/xid.txt",),
    "failures": ("log_failure/workers.txt", "log_failure/nccl.txt", "log_failure/host_memory.txt"),
    "lost GPU": ("smi_error/lost.txt",),
    "damaged": ("smi_table/damaged_columns.txt",),
}


@cache
def text_of(names: tuple[str, ...]) -> str:
    """The JSON report of some fixtures, without its pictures, which take most of the time."""
    capture = smianalyze.load(*(FIXTURES / name for name in names))
    content = ReportContent(
        frames=capture.frames,
        comparison=capture.comparison,
        findings=capture.findings(),
        masker=Masker(),
        command="smianalyze report",
    )
    return json_text(content)


def report_of(case: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text_of(CASES[case]))
    return report


def faults(report: object) -> list[str]:
    return [f"{fault.json_path}: {fault.message}" for fault in Draft202012Validator(SCHEMA).iter_errors(report)]


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", CASES)
def test_report_fits_the_schema(case: str) -> None:
    assert faults(report_of(case)) == []


def test_cases_fill_every_part() -> None:
    before_after, series = report_of("before and after"), report_of("screens")

    assert before_after["comparison"]["primary"]
    assert before_after["findings"]
    assert series["utilization"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("severity", "fatal"),
        ("gpus", [-1]),
        ("evidence", [{"source": "a", "line": 0}]),
        ("id", "Two words"),
        ("x", 1),
    ],
)
def test_schema_refuses_what_a_finding_never_is(key: str, value: object) -> None:
    report = report_of("before and after")
    report["findings"][0][key] = value

    assert len(faults(report)) == 1


@pytest.mark.parametrize("key", ["schema", "inputs", "comparison", "utilization", "findings"])
def test_schema_asks_for_every_part(key: str) -> None:
    report = report_of("one print")
    del report[key]

    assert len(faults(report)) == 1
