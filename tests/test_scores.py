"""What is read and found in the shared corpora never gets worse than tests/scores.json.

The corpora lie beside the checkout (``../shared``, or where SMIANALYZE_SHARED says).
``pytest --update-scores`` raises the recorded scores and never lowers one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "tools"
SCORES = ROOT / "tests" / "scores.json"

# How each tool prints its numbers: more of these is better …
GOOD = {
    "score_corpus": re.compile(r"^(?P<what>\S+) +(?P<number>\d+) of +\d+ exact", re.MULTILINE),
    "score_watch": re.compile(r"^frames \d+, (?P<what>exact) (?P<number>\d+)", re.MULTILINE),
    "score_findings": re.compile(r"^scenes \d+, (?P<what>causes found) (?P<number>\d+)", re.MULTILINE),
}
# … and fewer of these.
BAD = {
    "score_watch": re.compile(r"^frames .*(?P<what>wrong or invented) (?P<number>\d+)$", re.MULTILINE),
    "score_findings": re.compile(r"^scenes .*(?P<what>false findings) (?P<number>\d+)$", re.MULTILINE),
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", GOOD)
def test_score_is_not_below_the_recorded_one(tool: str, update_scores: bool) -> None:
    if not (TOOLS / tool).exists():
        pytest.skip("the shared corpora are not beside this checkout")
    reached = measure(tool)
    recorded = json.loads(SCORES.read_text(encoding="utf-8"))
    if update_scores:
        better = {what: max(score, reached.get(what, score)) for what, score in recorded[tool].items()}
        recorded[tool] = reached | better
        SCORES.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    fallen = {what: (score, reached.get(what)) for what, score in recorded[tool].items()}
    fallen = {what: pair for what, pair in fallen.items() if pair[1] is None or pair[1] < pair[0]}

    assert fallen == {}, "recorded, reached now"


def measure(tool: str) -> dict[str, int]:
    """The tool's numbers by what they count; those of which fewer is better are negative."""
    run = subprocess.run([sys.executable, str(TOOLS / tool)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    good = {match["what"]: int(match["number"]) for match in GOOD[tool].finditer(run.stdout)}
    assert good, f"{tool} prints its score in another way than this test knows"
    if tool not in BAD:
        return good
    return good | {match["what"]: -int(match["number"]) for match in BAD[tool].finditer(run.stdout)}
