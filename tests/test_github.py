"""What GitHub reads: a workflow that is ``.ci/run``, forms that ask for redacted captures, hooks of ``make``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
WORKFLOW = (GITHUB / "workflows" / "ci.yml").read_text(encoding="utf-8")
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def test_workflow_runs_what_ci_runs_and_nothing_else() -> None:
    assert re.findall(r"^ *- run: (.*)", WORKFLOW, re.MULTILINE) == ["bash .ci/run"]


def test_workflow_has_no_permissions_but_reading_and_pinned_actions() -> None:
    actions = re.findall(r"uses: (\S+)", WORKFLOW)

    assert re.findall(r"^permissions: (.*)", WORKFLOW, re.MULTILINE) == ["{}"]
    assert re.findall(r"^ +permissions:\n +(.*)", WORKFLOW, re.MULTILINE) == ["contents: read"]
    assert [action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_form_asks_for_what_redact_prints(form: Path) -> None:
    assert "`smianalyze redact FILE`" in form.read_text(encoding="utf-8")


def test_hooks_are_checks_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace(" --quiet .", "").replace(".venv/bin/", "@")
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: (.*)", hooks)

    assert entries
    assert [entry for entry in entries if f"@@{entry.removesuffix(' --force-exclude')}" not in makefile] == []
