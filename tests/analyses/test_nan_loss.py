"""Losses that became NaN."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.nan_loss import nan_loss
from smianalyze.findings import Finding

STEPS = """
source line step loss
a.log  1    10   3.4121
a.log  2    20   3.0127
a.log  4    30   -
"""


def found(*rows: str, steps: str = STEPS) -> list[Finding]:
    return nan_loss(frames_of(steps=steps, events="source line kind message\n" + "\n".join(rows)), None)


def test_first_nan_is_told_with_the_last_good_step() -> None:
    (finding,) = found("a.log 4 nan_loss loss nan of alice")

    assert finding.title == "The loss became NaN or infinite after step 20 (the last loss was 3.013)."
    assert (finding.severity, finding.evidence) == ("high", (("a.log", 4), ("a.log", 2)))


def test_loss_that_recovers_is_less_severe() -> None:
    (finding,) = found("a.log 4 nan_loss x", steps=f"{STEPS}a.log 5 40 2.9")

    assert finding.severity == "medium"
    assert finding.title.endswith("and was a number again later.")


def test_overflows_before_it_point_to_fp16() -> None:
    (finding,) = found("a.log 3 loss_scale_overflow x", "a.log 4 nan_loss x", "b.log 1 loss_scale_overflow x")

    assert "gradients overflowed in 1 message." in finding.why
    assert finding.next_step.endswith("use bf16 in place of fp16.")


@pytest.mark.parametrize(
    ("steps", "when"),
    [
        ("source line step loss\nb.log 1 10 3.4", "infinite."),
        ("source line step loss\na.log 1 - 3.4", "infinite (it was 3.4 before)."),
    ],
)
def test_unknown_step_stays_out(steps: str, when: str) -> None:
    (finding,) = found("a.log 4 nan_loss x", steps=steps)

    assert finding.title.endswith(when)


def test_overflows_alone_are_how_fp16_finds_its_scale() -> None:
    assert found("a.log 3 loss_scale_overflow x", "a.log 4 skipped_iterations x") == []


def test_metric_lines_that_read_nan_are_told() -> None:
    (finding,) = nan_loss(load(FIXTURES / "log_failure" / "nan_metrics.txt").frames, None)

    assert finding.title == "The loss became NaN or infinite after step 20 (the last loss was 3.013)."
