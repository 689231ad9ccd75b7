from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair
from training_logs import steps_of


@pytest.mark.parametrize("capture", captures("log_dicts"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_bar_drawn_behind_a_record_gives_it_the_step() -> None:
    bar = "\r {}%|##        | {}/40 [00:01<00:02, 16.60it/s]"
    rows = steps_of(
        f"{bar.format(20, 8)}\r      \r{{'loss': 2.15, 'epoch': 0.5}}\n{bar.format(25, 10)}{bar.format(30, 12)}\n"
    )

    assert rows == [
        {"format": "hf_trainer", "step": 10, "total_steps": 40, "elapsed_s": 1.0, "epoch": 0.5, "loss": 2.15}
    ]


def test_bars_with_metrics_of_their_own_are_another_training() -> None:
    rows = steps_of("Epoch 0: 20%|##    | 8/40 [00:01<00:02, 16.6it/s, loss=7.01]\n{'loss': 2.15, 'epoch': 0.5}\n")

    assert [(row["format"], row.get("step"), row["loss"]) for row in rows] == [
        ("lightning", 8, 7.01),
        ("hf_trainer", None, 2.15),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{'eval_loss': 1.54, 'eval_runtime': 46.2, 'epoch': 1.68}",
        "{'train_runtime': 2485.3, 'train_samples_per_second': 1.3, 'train_loss': 1.57, 'epoch': 1.99}",
        '{"mode": "val", "epoch": 1, "iter": 100, "loss": 0.5}',
        "{'loss': 1.2895, 'learning_ra",
        '{"loss_type": "mse", "epochs": 3}',
    ],
)
def test_evaluation_summary_setting_or_piece_is_no_record(line: str) -> None:
    assert steps_of(f"{line}\n") == []


def test_numbers_as_text_are_numbers() -> None:
    (row,) = steps_of("{'loss': '3.61', 'learning_rate': '0.0002', 'epoch': '1'}\n")

    assert row == {"format": "hf_trainer", "epoch": 1.0, "loss": 3.61, "lr": 0.0002}
