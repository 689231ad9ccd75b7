"""Chinese texts by their English; a module for each part of the package that says them."""

from __future__ import annotations

from smianalyze.chinese import (
    columns,
    explanations,
    figures,
    findings,
    fleet,
    formats,
    memory_findings,
    message_findings,
    quantities,
    report,
    series_findings,
    words,
    xids,
)

PARTS = (
    *(columns, formats, quantities, words, report, figures, fleet),
    *(findings, memory_findings, series_findings, message_findings, xids, explanations),
)
TEXTS: dict[str, str] = {english: chinese for part in PARTS for english, chinese in part.TEXTS.items()}
"""Of all parts; a text stands in one of them only, as a test holds."""
