"""The JSON report: its keys are a promise to programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from scenes import (
    Print,
    Scene,
    extra_context,
    gpu,
    no_process_table,
    one_print,
    process,
    read,
    scene,
    unknown_values,
)

from smianalyze.findings import Evidence, Finding
from smianalyze.masking import Masker
from smianalyze.report import ReportContent
from smianalyze.report.to_json import json_text


def json_report(one: Scene, findings: Sequence[Finding] = ()) -> str:
    content = ReportContent(
        frames=one.frames,
        comparison=one.comparison,
        findings=findings,
        masker=Masker(),
        command="smianalyze report",
    )
    return json_text(content)


def sides(before: float | None, after: float | None, delta: float | None) -> dict[str, float | None]:
    return {"before": before, "after": after, "delta": delta}


def test_two_prints_give_the_promised_keys() -> None:
    evidence = (Evidence("after_smi.txt", 25),)
    finding = Finding(
        id="xid", severity="low", title="One.", why="Two.", next_step="Three.", gpus=(0,), evidence=evidence
    )
    report = json.loads(json_report(extra_context(), [finding]))

    assert list(report) == ["schema", "language", "inputs", "comparison", "utilization", "findings"]
    assert report["schema"] == 1
    assert report["inputs"][0] == {
        "source": "before_smi.txt",
        "format": "smi_table",
        "lines": 28,
        "used": 28,
        "ignored": 0,
        "problem_lines": 0,
    }
    assert report["comparison"]["gpus"][0] == {
        "gpu_index": 0,
        "memory_used_mib": sides(14561, 31022, 16461),
        "utilization_gpu_pct": sides(0, 80, 80),
        "power_draw_w": sides(122.0, 491.0, 369.0),
        "temperature_gpu_c": sides(34, 48, 14),
    }
    assert report["comparison"]["processes"][2] == {
        "gpu_index": 0,
        "pid": 813,
        "change": "started",
        "used_gpu_memory_mib": sides(None, 612, 612),
    }
    assert report["comparison"]["primary"] == {
        "gpu_index": 0,
        "overhead_mib": 619,
        "basis": "delta",
        "mechanism": "extra-contexts",
        "extra_contexts": [{"pid": 813, "used_gpu_memory_mib": 612}],
    }
    assert report["utilization"] == []
    assert report["findings"] == [
        {
            "id": "xid",
            "severity": "low",
            "title": "One.",
            "why": "Two.",
            "next_step": "Three.",
            "gpus": [0],
            "evidence": [{"source": "after_smi.txt", "line": 25}],
            "confidence": "high",
        }
    ]


def test_directories_of_an_input_are_masked() -> None:
    assert json.loads(json_report(scene(inputs=[read("/data/maria/a.txt")])))["inputs"][0]["source"] == "a.txt"


def test_one_print_has_no_comparison() -> None:
    assert json.loads(json_report(one_print()))["comparison"] is None


def test_overhead_without_a_process_table_has_no_mechanism() -> None:
    primary = json.loads(json_report(no_process_table()))["comparison"]["primary"]

    assert primary == {
        "gpu_index": 2,
        "overhead_mib": 1088,
        "basis": "delta",
        "mechanism": "unknown",
        "extra_contexts": [],
    }


def test_unknown_is_null_and_a_whole_number_stays_whole() -> None:
    first = json.loads(json_report(unknown_values()))["comparison"]["gpus"][0]

    assert first["memory_used_mib"] == sides(None, None, None)
    assert first["utilization_gpu_pct"] == sides(None, 50, None)
    assert isinstance(first["utilization_gpu_pct"]["after"], int)


def test_a_difference_has_no_noise() -> None:
    power = scene(*(Print(f"{watt}.csv", [gpu(0, power_draw_w=watt)]) for watt in (0.1, 0.3)))

    assert json.loads(json_report(power))["comparison"]["gpus"][0]["power_draw_w"] == sides(0.1, 0.3, 0.2)


def test_rows_are_sorted() -> None:
    reverse = [gpu(1), gpu(0)], [process(1, 5, "a", 1), process(0, 9, "a", 1), process(0, 2, "a", 1)]
    comparison = json.loads(json_report(scene(Print("a.txt", *reverse), Print("b.txt", *reverse))))["comparison"]

    assert [card["gpu_index"] for card in comparison["gpus"]] == [0, 1]
    assert [(found["gpu_index"], found["pid"]) for found in comparison["processes"]] == [
        (0, 2),
        (0, 9),
        (1, 5),
    ]


def test_letters_stay_letters_and_controls_are_spelled() -> None:
    text = json_report(scene(inputs=[read("日志\x1b\u202e.txt")]))

    assert "日志\\\\x1b\\\\u202e.txt" in text
    assert json.loads(text)["inputs"][0]["source"] == "日志\\x1b\\u202e.txt"
