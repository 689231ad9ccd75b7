"""What a notebook shows: captures, comparisons, findings and reports as HTML, and no markup of an input in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

import smianalyze
from smianalyze import Capture

BEFORE, AFTER = (FIXTURES / "demo" / f"smi_{name}.txt" for name in ("before", "after"))
VERDICT = "GPU 0 grew by 619 MiB more than GPU 1"


@pytest.fixture(scope="module")
def capture() -> Capture:
    return smianalyze.load(BEFORE, AFTER)


def shown(thing: object) -> str:
    """What a notebook shows of a thing: its HTML, which must say what its Markdown says."""
    html, markdown = thing._repr_html_(), thing._repr_markdown_()

    assert html.startswith("<")
    assert not markdown.startswith("<")
    return html


def test_capture_shows_inputs_verdicts_cards_and_frames(capture: Capture) -> None:
    html = shown(capture)

    assert "<strong>2 inputs</strong>: <code>smi_before.txt</code>, <code>smi_after.txt</code>" in html
    assert f"<strong>medium</strong>: {VERDICT}" in html
    assert "<td>14,561 → 31,022 MiB</td>" in html
    assert "<code>processes</code> 7" in html


def test_capture_of_nothing_says_so() -> None:
    html = shown(smianalyze.loads("Nothing of ours."))

    assert "Nothing stands out: no card was read" in html
    assert "Rows: <code>inputs</code> 1; the other frames are empty." in html


def test_capture_counts_what_could_not_be_read() -> None:
    cut = AFTER.read_text(encoding="utf-8").replace("31022MiB", "31 22MiB")

    assert "could not be read" in shown(smianalyze.loads(cut))


def test_comparison_shows_cards_and_processes(capture: Capture) -> None:
    html = shown(capture.comparison)

    assert "<td>14,561 → 31,022 MiB</td>" in html
    assert "started, <strong>also on card 1</strong>" in html
    assert repr(capture.comparison) == "<Comparison: 2 cards, 5 process rows, primary GPU 0>"


def test_comparison_of_two_captures_shows_itself_too() -> None:
    found = smianalyze.compare(smianalyze.load(BEFORE), smianalyze.load(AFTER))

    assert "<td>14,561 → 31,022 MiB</td>" in shown(found)


def test_findings_show_what_to_do_one_by_one_and_together(capture: Capture) -> None:
    findings = capture.findings()

    assert f"<strong>{VERDICT}" in shown(findings)
    assert "<code>torch.cuda.set_device(local_rank)</code>" in shown(findings[0])
    assert shown(smianalyze.loads("Nothing of ours.").findings()) == "<p>Nothing stands out.</p>\n"


def test_report_shows_itself_with_its_pictures(capture: Capture, tmp_path: Path) -> None:
    report = capture.report(tmp_path / "out")

    assert shown(report).count('<img src="data:image/png;base64,') == 3
    assert f"<strong>{VERDICT}" in shown(report)
    assert repr(report) == f"<Report: {tmp_path / 'out'}, 1 finding>"


def tags(html: str) -> list[str]:
    return re.findall(r"<(/?[a-z0-9]+)", html)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "![x](https://e.com)", "`a` &amp; *b*", "a\u202eb"])
def test_no_text_of_an_input_becomes_markup(text: str, capture: Capture, tmp_path: Path) -> None:
    table = AFTER.read_text(encoding="utf-8")
    name = "/opt/torch/.venv/bin/python"
    (tmp_path / f"{text.replace('/', '')}.txt").write_text(table.replace(f"{name:28}", f"{text:28}"), "utf-8")
    hostile, harmless = smianalyze.load(BEFORE, tmp_path), smianalyze.load(BEFORE, AFTER)

    assert hostile.processes["process_name"].eq(text).any()
    assert tags(shown(hostile)) == tags(shown(harmless))
    assert tags(shown(hostile.comparison)) == tags(shown(harmless.comparison))
    assert tags(shown(hostile.findings())) == tags(shown(harmless.findings()))
