"""What was found, written down: one file for each way to read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from smianalyze.report.content import Chart, ReportContent
from smianalyze.report.to_html import html_text
from smianalyze.report.to_json import json_text
from smianalyze.report.to_markdown import markdown

__all__ = ["HTML", "REPORTS", "Chart", "ReportContent", "ReportFile"]


class ReportFile(NamedTuple):
    """A file of the report and the function that writes its text."""

    file_name: str
    text: Callable[[ReportContent], str]


REPORTS = (
    ReportFile("report.md", markdown),
    ReportFile("report.json", json_text),
)
HTML = ReportFile("report.html", html_text)
"""One file that holds the pictures too; written where it is asked for."""
