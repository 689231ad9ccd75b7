"""The report as JSON for programs; its keys and their meaning are fixed, unknown is ``null``."""

from __future__ import annotations

import json

from smianalyze import safe
from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.primary_card import Primary
from smianalyze.analyses.utilization import ACTIVE
from smianalyze.cards import Card, Process, Reading, cards, processes, records
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.masking import Masker
from smianalyze.quantities import Number
from smianalyze.report.content import ReportContent

SCHEMA = 1
"""Raised when a key changes its meaning or goes away."""
DECIMALS = 3
"""nvidia-smi prints two; more are noise of the subtraction."""
TEXT_LETTERS = 1000
INPUT_COLUMNS = ("format", "lines", "used", "ignored", "problem_lines")


def json_text(content: ReportContent) -> str:
    """The whole report; the same content gives the same text."""
    report = {
        "schema": SCHEMA,
        "language": content.language,
        "inputs": inputs_of(content.frames, content.masker),
        "comparison": _comparison(content.frames, content.comparison) if content.comparison else None,
        "utilization": _utilization(content.frames, content.masker),
        "findings": [_finding(finding, content.masker) for finding in content.findings],
    }
    return json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def inputs_of(frames: Frames, masker: Masker) -> list[dict[str, object]]:
    """One entry an input: its name, its format, and where its lines went."""
    return [
        {"source": _source(str(row["source"]), masker), **{name: row[name] for name in INPUT_COLUMNS}}
        for row in records(frames.inputs)
    ]


def _comparison(frames: Frames, comparison: Comparison) -> dict[str, object]:
    return {
        "gpus": [_card(card) for card in cards(frames, comparison)],
        "processes": [_process(process) for process in processes(frames, comparison)],
        "primary": _primary(comparison.primary) if comparison.primary else None,
    }


def _card(card: Card) -> dict[str, object]:
    return {
        "gpu_index": card.gpu_index,
        "memory_used_mib": _reading(card.memory),
        "utilization_gpu_pct": _reading(card.utilization),
        "power_draw_w": _reading(card.power),
        "temperature_gpu_c": _reading(card.temperature),
    }


def _process(process: Process) -> dict[str, object]:
    return {
        "gpu_index": process.gpu_index,
        "pid": process.pid,
        "change": process.change,
        "used_gpu_memory_mib": _reading(process.memory),
    }


def _primary(primary: Primary) -> dict[str, object]:
    return {
        "gpu_index": primary.gpu_index,
        "overhead_mib": primary.overhead_mib,
        "basis": primary.basis,
        "mechanism": primary.mechanism,
        "extra_contexts": [context._asdict() for context in primary.extra_contexts],
    }


def _utilization(frames: Frames, masker: Masker) -> list[dict[str, object]]:
    """One row a card of a series; prints that were taken by hand say nothing about a course in time."""
    over = frames.once(OverTime)
    return [_card_over_time(row, masker) for row in records(over.utilization)] if over.is_series else []


def _card_over_time(row: dict[str, object], masker: Masker) -> dict[str, object]:
    values = {name: round(value, DECIMALS) if isinstance(value, float) else value for name, value in row.items()}
    host = values.pop("host")
    active = {name.removeprefix(ACTIVE): values.pop(name) for name in row if name.startswith(ACTIVE)}
    return {**({"host": masker.host(str(host))} if host else {}), **values, "active": active}


def _finding(finding: Finding, masker: Masker) -> dict[str, object]:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "title": safe.line(finding.title, TEXT_LETTERS),
        "why": safe.line(finding.why, TEXT_LETTERS),
        "next_step": safe.line(finding.next_step, TEXT_LETTERS),
        "gpus": list(finding.gpus),
        "evidence": [{"source": _source(place.source, masker), "line": place.line} for place in finding.evidence],
        "confidence": finding.confidence,
    }


def _reading(reading: Reading) -> dict[str, Number | None]:
    return {side: None if value is None else round(value, DECIMALS) for side, value in reading._asdict().items()}


def _source(name: str, masker: Masker) -> str:
    return safe.line(masker.source(name), TEXT_LETTERS)
