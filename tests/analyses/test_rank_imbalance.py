"""Ranks of one job that are equally busy and draw unequal power."""

from __future__ import annotations

import pytest
from recordings import Columns, Row, frames, prints

from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.rank_imbalance import rank_imbalance
from smianalyze.findings import Finding

TWO_RANKS = [{"source": "train.log", "line": 1 + rank, "rank": rank, "step_time_s": 0.1} for rank in range(2)]
ONE_RANK = [{"source": "train.log", "line": 1, "kind": "rank", "world_size": 1}]


def card(watt: float, **columns: object) -> Columns:
    """A card that is empty at first and then works."""
    usual = {
        "memory_used_mib": [4] * 5 + [9000] * 40,
        "utilization_gpu_pct": [0] * 5 + [99] * 40,
        "power_draw_w": [60.0] * 5 + [watt] * 40,
        "clocks_current_sm_mhz": 1900,
        "name": "NVIDIA H200",
    }
    return {**usual, **columns}


def found(*cards: Columns, steps: list[Row] | None = None, **further: list[Row]) -> list[Finding]:
    return rank_imbalance(OverTime(frames(prints(*cards), steps=steps or [], **further)))


def test_a_cool_rank_waits_for_a_hot_one() -> None:
    (finding,) = found(card(350.0), card(190.0), steps=TWO_RANKS)

    assert finding.title == (
        "GPU 1 draws 190 W and GPU 0 350 W at the same utilization (99 %): GPU 1 waits for GPU 0."
    )
    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "high", (0, 1))


def test_many_ranks_may_wait_for_one() -> None:
    (finding,) = found(card(240.0), card(250.0), card(350.0), card(245.0))

    assert finding.title.startswith("GPU 0, 1 and 3 draw 240 to 250 W and GPU 2 350 W")
    assert finding.severity == "medium"


def test_memory_that_comes_and_goes_alike_makes_one_job_likely() -> None:
    (finding,) = found(card(350.0), card(190.0))

    assert finding.confidence == "medium"


LATE = [4] * 25 + [9000] * 20
OTHER = [4] * 5 + [5000] * 40
PAUSES = ([0] * 3 + [99] * 2) * 9


@pytest.mark.parametrize(
    ("why", "second"),
    [
        ("equal power", card(320.0)),
        ("another job came later", card(190.0, memory_used_mib=LATE)),
        ("another job holds other memory", card(190.0, memory_used_mib=OTHER)),
        ("it is another model", card(190.0, name="NVIDIA L40")),
        ("its limit is lower", card(190.0, power_limit_w=250.0)),
        ("its clock is held back", card(190.0, clocks_current_sm_mhz=900)),
        ("it has pauses of its own", card(190.0, utilization_gpu_pct=PAUSES)),
        ("its power is unknown", card(190.0, power_draw_w=None)),
    ],
)
def test_nothing_is_said_where(why: str, second: Columns) -> None:
    assert found(card(350.0), second) == [], why


def test_jobs_of_one_rank_each_do_not_wait_for_one_another() -> None:
    assert found(card(350.0), card(190.0), events=ONE_RANK) == []


def test_one_card_has_nobody_to_wait_for() -> None:
    assert found(card(350.0)) == []
