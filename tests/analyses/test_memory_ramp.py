"""Cards that take minutes for their first memory."""

from __future__ import annotations

import pytest
from recordings import Columns, over_time

from smianalyze.analyses.memory_ramp import memory_ramp_slow
from smianalyze.findings import Finding

WORK = 20


def card(filling: list[int], *, percent: int = 0, work: int = WORK) -> Columns:
    """A card that is empty, fills, and works."""
    return {
        "memory_used_mib": [3] * 5 + filling + [9000] * work,
        "utilization_gpu_pct": [0] * 5 + [percent] * len(filling) + [98] * work,
    }


def found(*cards: Columns, step_s: float = 2) -> list[Finding]:
    return memory_ramp_slow(over_time(*cards, step_s=step_s))


SLOWLY = list(range(10, 610, 5))


def test_a_card_that_fills_for_minutes() -> None:
    (finding,) = found(card(SLOWLY))

    assert finding.title == (
        "GPU 0 took 3 minutes to fill its first 500 MiB (2.5 MiB a second), before it did any work."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("medium", "medium", (0,))


def test_what_comes_at_once_before_and_behind_does_not_count() -> None:
    (finding,) = found(card([mib + 500 for mib in SLOWLY] + [8000] * 3))

    assert "its first 540 MiB" in finding.title


def test_without_work_it_is_less_sure() -> None:
    (finding,) = found(card(SLOWLY, work=0))

    assert (finding.severity, finding.confidence) == ("low", "low")


@pytest.mark.parametrize(
    ("why", "columns", "step_s"),
    [
        ("it is quick", card(SLOWLY), 0.2),
        ("it loads weights from a slow disk", card(list(range(10, 60010, 500))), 2),
        ("it waits between two jumps", card([300] * 60 + [600] * 60), 2),
        ("it works meanwhile", card(SLOWLY, percent=60), 2),
        ("it stays empty", card([3] * 120, work=0), 2),
        ("it was never empty", {"memory_used_mib": 600, "utilization_gpu_pct": [0] * 100}, 2),
    ],
)
def test_nothing_is_said_where(why: str, columns: Columns, step_s: float) -> None:
    assert found(columns, step_s=step_s) == [], why
