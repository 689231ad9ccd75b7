"""How the cards of one job differ."""

from __future__ import annotations

import pandas as pd
import pytest
from recordings import over_time

WORKS = [0, *[9000] * 12, 0]


def test_equal_utilization_and_unequal_power() -> None:
    use = [0, *[100, 98] * 6, 0]
    over = over_time(
        {"memory_used_mib": WORKS, "utilization_gpu_pct": use, "power_draw_w": [90, *[690, 680] * 6, 90]},
        {"memory_used_mib": WORKS, "utilization_gpu_pct": use, "power_draw_w": [90, *[350, 360] * 6, 90]},
        {"memory_used_mib": 4, "utilization_gpu_pct": 0, "power_draw_w": 70.0},  # takes no part
    )
    rows = over.between_cards.set_index("quantity")

    assert rows.loc["utilization_gpu_pct", ["cards", "prints", "spread_mean"]].tolist() == [2, 12, 0]
    assert rows.loc["utilization_gpu_pct", "correlation_mean"] == pytest.approx(1)
    assert rows.loc["power_draw_w", ["spread_of_means", "spread_mean"]].tolist() == [330, 330]
    assert rows.loc["power_draw_w", ["lowest_gpu", "highest_gpu"]].tolist() == [1, 0]
    assert rows.loc["power_draw_w", "correlation_least"] == pytest.approx(-1)
    assert pd.isna(rows.loc["memory_used_mib", "correlation_mean"])  # it stands still


def test_a_job_on_one_card_has_nothing_to_compare() -> None:
    assert over_time({"memory_used_mib": WORKS}, {"memory_used_mib": 4}).between_cards.empty


def test_few_prints_have_no_correlation() -> None:
    over = over_time(*[{"memory_used_mib": [0, 9000, 9000, 0], "power_draw_w": [1, 2, 3, 4]}] * 2)

    assert over.between_cards["correlation_mean"].isna().all()
    assert over.between_cards["prints"].tolist() == [2, 2]
