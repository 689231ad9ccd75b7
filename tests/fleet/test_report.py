"""The report on a fleet: what stands first, pages of the worst runs, and what a second run does again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

from smianalyze.fleet import pages
from smianalyze.fleet.engine import Engine
from smianalyze.fleet.report import About, write_report
from smianalyze.fleet.run import FleetRun, update
from smianalyze.masking import Masker

ALONE = Engine(workers=1)
ABOUT = {"command": ["smianalyze", "fleet"], "engine": ALONE}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    for host, fixture in (("node-a", "demo/smi_before.txt"), ("node-b", "log_oom/h200.txt")):
        (tmp_path / "captures" / host).mkdir(parents=True)
        shutil.copy(FIXTURES / fixture, tmp_path / "captures" / host / "1.txt")
    shutil.copy(FIXTURES / "demo/smi_after.txt", tmp_path / "captures/node-b/2.txt")
    (tmp_path / "captures/node-a/broken.gz").write_bytes(b"\x1f\x8b\x08 no gzip")
    update(tmp_path / "captures", tmp_path / "dataset", layout="{host}/{run}.*", engine=ALONE)
    return tmp_path / "dataset"


def report(dataset: Path, place: Path, mask: str = "none") -> str:
    about = About(masker=Masker(mask), **ABOUT)  # type: ignore[arg-type]
    write_report(dataset, place, run=FleetRun(), about=about, progress=lambda *_: None)
    return (place / "report.md").read_text()


def test_worst_run_has_a_page_that_names_its_host(dataset: Path, tmp_path: Path) -> None:
    text = report(dataset, tmp_path / "out")

    assert re.search(r"^\| `node-b` \| \[`1`\]\(run-1.html\) \| high \| `out-of-memory` \|$", text, re.MULTILINE)
    assert re.search("<h1>GPU report: .*node-b.*</h1>", (tmp_path / "out/run-1.html").read_text())


def test_host_has_one_alias_in_report_and_page(dataset: Path, tmp_path: Path) -> None:
    text = report(dataset, tmp_path / "out", "default")
    page = (tmp_path / "out/run-1.html").read_text()

    assert "node-b" not in text + page
    (alias,) = re.findall(r"^\| `(host-[0-9]+)` \| \[.*run-1.html", text, re.MULTILINE)
    assert re.search(f"<h1>GPU report: .*{alias}.*</h1>", page)


def test_damaged_input_is_named_with_its_host(dataset: Path, tmp_path: Path) -> None:
    assert re.search(r"^\| `node-a` \| .*broken.gz` \| .*gzip", report(dataset, tmp_path / "out"), re.MULTILINE)


def test_page_is_made_once(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = report(dataset, tmp_path / "out")
    monkeypatch.setattr(pages, "load", None)
    again = report(dataset, tmp_path / "again")

    assert again == first
    assert (tmp_path / "again/run-1.html").read_bytes() == (tmp_path / "out/run-1.html").read_bytes()
