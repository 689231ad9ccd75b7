from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair
from training_logs import steps_of


@pytest.mark.parametrize("capture", captures("log_keras"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_time_without_a_label_is_what_is_left_until_the_end() -> None:
    draws = (" 1/52 ━━ 30s 603ms/step - loss: 0.7191", "52/52 ━━ 2s 11ms/step - loss: 0.3444")
    rows = steps_of("Epoch 1/3\n" + "\r".join(draws) + "\n")

    assert [(row["step"], row.get("eta_s"), row.get("elapsed_s")) for row in rows] == [
        (1, 30.0, None),
        (52, None, 2.0),
    ]


def test_bar_behind_a_whole_epoch_without_a_heading_is_evaluation() -> None:
    rows = steps_of(
        "Epoch 1/1\n52/52 [====] - 2s 11ms/step - loss: 0.3444\n"
        " 1/13 [>...] - ETA: 0s - loss: 0.5\n13/13 [====] - 0s 3ms/step - loss: 0.4\n"
    )

    assert [row["loss"] for row in rows] == [0.3444]
