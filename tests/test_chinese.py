"""Reports in Chinese: all of them are made, nothing English is left in them, and what is drawn can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import smianalyze
from smianalyze.capture import Capture
from smianalyze.chinese import TEXTS
from smianalyze.cli import cli
from smianalyze.figures import fonts
from smianalyze.language import speaking
from smianalyze.masking import Masker
from smianalyze.report import ReportContent
from smianalyze.report.to_markdown import markdown
from smianalyze.report.to_terminal import terminal_text
from smianalyze.wrapping import COLUMNS, left, right, width, wrapped

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
DEMO = [str(FIXTURES / "demo" / name) for name in ("smi_before.txt", "smi_after.txt")]
CASES = sorted(path for path in FIXTURES.glob("*/*.json") if path.parent.name != "runs")
FOLDERS = sorted({path.parent for path in CASES})
HAN = "[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]"

CODE = re.compile(r"(`+).+?\1")
KNOWN = re.compile(
    r"\b(?:nvidia-smi|torchrun|DistributedDataParallel|DataParallel|DataLoader|PyTorch|NVIDIA|CUDA|GPU|PID)\b"
)
"""Names that no language says in another way."""
THREE_WORDS = re.compile(r"(?:\b[A-Za-z][a-z]+\b[ ,]+){2}\b[A-Za-z][a-z]+\b")


def inputs_of(folder: Path) -> list[Path]:
    return [
        path for case in sorted(folder.glob("*.json")) for path in folder.glob(f"{case.stem}.*") if path != case
    ]


def content_of(capture: Capture) -> ReportContent:
    """What a report holds but for its pictures, which have tests of their own."""
    return ReportContent(
        frames=capture.frames,
        comparison=capture.comparison,
        findings=capture.findings(),
        masker=Masker(),
        command="",
    )


def english_in(page: str) -> list[str]:
    """Three English words in a row, outside of code, of what frames hold, and of titles of charts.

    That is the last column of a table, and the table of problems, which is the first one below a heading of
    the third level.
    """
    before, _, problems = page.partition("\n### ")
    rows = [line.rpartition(" | ")[0] if line.startswith("|") else line for line in before.splitlines()]
    rows += [line for line in problems.splitlines() if not line.startswith("|")]
    said = (KNOWN.sub("", CODE.sub("", line)) for line in rows if not line.startswith("!["))
    return [found[0] for line in said for found in THREE_WORDS.finditer(line)]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_chinese_report_has_no_english_sentence(folder: Path) -> None:
    told = set()
    with speaking("zh"):
        for path in inputs_of(folder):
            capture = smianalyze.load(path)
            problems, notes = capture.problems["what"].tolist(), capture.inputs["note"].dropna().tolist()
            about = (*(finding.id for finding in capture.findings()), *problems, *notes)
            if about in told:  # another report with the same sentences
                continue
            told.add(about)
            content = content_of(capture)
            assert english_in(markdown(content)) == [], path.name
            printed = terminal_text(content.findings, content.frames, masker=content.masker)
            assert max(map(width, printed.splitlines())) <= COLUMNS, path.name


def test_findings_of_one_language_are_not_shown_in_the_other() -> None:
    capture = smianalyze.load(*DEMO)
    (english,), (chinese,) = capture.findings(), capture.findings(lang="zh")
    assert not re.search(HAN, english.title + english._repr_markdown_())
    assert re.search(HAN, chinese.title)
    assert "Confidence" not in chinese._repr_markdown_()
    assert capture.findings() == [english]


def test_report_is_written_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    capture = smianalyze.load(*DEMO)
    for language in ("zh", "en"):
        report = capture.report(tmp_path / language, html=True, lang=language)
        data = json.loads((tmp_path / language / "report.json").read_text(encoding="utf-8"))
        page = (tmp_path / language / "report.html").read_text(encoding="utf-8")
        shown = report._repr_markdown_()
        assert data["language"] == language
        assert (
            bool(re.search(HAN, shown)) == bool(re.search(HAN, data["findings"][0]["title"])) == (language == "zh")
        )
        assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page


def test_keys_and_words_of_the_json_are_the_same_in_both_languages(tmp_path: Path) -> None:
    capture = smianalyze.load(*DEMO)
    said = ("title", "why", "next_step")
    reports = []
    for language in ("zh", "en"):
        capture.report(tmp_path / language, lang=language)
        report = json.loads((tmp_path / language / "report.json").read_text(encoding="utf-8"))
        for finding in report["findings"]:
            finding.update(dict.fromkeys(said))
        reports.append(report | {"language": ""})
    assert reports[0] == reports[1]


def test_what_frames_hold_is_english_in_any_language() -> None:
    damaged = FIXTURES / "query_csv" / "damaged_rows.csv"
    with speaking("zh"):
        chinese = smianalyze.load(damaged)
    assert chinese.problems.equals(smianalyze.load(damaged).problems)


@pytest.mark.parametrize("arguments", [["explain", "primary-card-overhead"], ["formats"], ["compare", *DEMO]])
def test_commands_speak_chinese(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, [*arguments, "--lang", "zh"])
    assert result.exit_code == 0, result.output
    assert re.search(HAN, result.output)
    if arguments != ["formats"]:
        assert max(map(width, result.output.splitlines())) <= COLUMNS


def test_two_runs_are_compared_in_chinese(tmp_path: Path) -> None:
    runs = [str(FIXTURES / "runs" / name) for name in ("starved", "fed")]
    result = CliRunner().invoke(cli, ["compare", *runs, "--quiet", "-o", str(tmp_path / "out"), "--lang", "zh"])
    assert result.exit_code == 0, result.output
    assert english_in(result.output) == []
    assert english_in((tmp_path / "out" / "report.md").read_text(encoding="utf-8")) == []


def test_fleet_report_is_chinese_and_its_dataset_english(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    dataset, folder = tmp_path / "dataset", tmp_path / "out"
    captures = str(FIXTURES / "runs" / "starved")
    arguments = ["fleet", captures, "--to", str(dataset), "-o", str(folder), "--workers", "1", "--lang", "zh"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert english_in((folder / "report.md").read_text(encoding="utf-8")) == []
    assert '<html lang="zh-CN">' in (folder / "run-1.html").read_text(encoding="utf-8")
    titles = smianalyze.scan(dataset).lazy("findings").to_pandas()["title"]
    assert len(titles) > 0
    assert not titles.str.contains(HAN).any()


def test_language_of_a_command_is_that_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    arguments = ["explain", "primary-card-overhead"]
    assert re.search(HAN, CliRunner().invoke(cli, arguments).output)
    assert not re.search(HAN, CliRunner().invoke(cli, [*arguments, "--lang", "en"]).output)


def test_charts_are_english_where_no_font_is_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "chinese_family", lambda: None)
    with speaking("zh"):
        content = smianalyze.load(*DEMO).content(Masker())
    assert content.drawn_in == "en"
    assert not re.search(HAN, "".join(chart.title for chart in content.charts))
    assert TEXTS["No font here has the letters of this language, so the charts are in English."] in markdown(
        content
    )


def test_charts_are_chinese_where_a_font_is() -> None:
    if fonts.chinese_family() is None:
        pytest.skip("no font with Chinese letters is installed")
    with speaking("zh"):
        content = smianalyze.load(*DEMO).content(Masker())
    assert content.drawn_in == "zh"
    assert all(re.search(HAN, chart.title) for chart in content.charts)
    assert TEXTS["No font here has the letters of this language, so the charts are in English."] not in markdown(
        content
    )


def test_lines_break_between_wide_letters_and_not_before_a_mark() -> None:
    comma, stop = "\N{FULLWIDTH COMMA}", "\N{IDEOGRAPHIC FULL STOP}"
    letter = "\N{CJK UNIFIED IDEOGRAPH-5361}"
    lines = wrapped(f"{letter * 39}ab{comma}{letter * 60}{stop}", indent="  ").splitlines()
    assert max(map(width, lines)) <= COLUMNS
    assert [line for line in lines if line.strip()[0] in comma + stop] == []
    assert "".join(line.strip() for line in lines) == f"{letter * 39}ab{comma}{letter * 60}{stop}"


def test_texts_are_padded_by_the_columns_that_they_take() -> None:
    letter = "\N{CJK UNIFIED IDEOGRAPH-5361}"
    assert left(letter, 4) == letter + "  "
    assert right(letter, 4) == "  " + letter
