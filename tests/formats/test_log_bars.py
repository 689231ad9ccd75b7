from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair
from training_logs import steps_of


@pytest.mark.parametrize("capture", captures("log_bars"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_step_that_is_drawn_twice_counts_once_with_its_last_loss() -> None:
    draw = "Epoch 0:  11%|#         | 2/18 [00:08<01:12,  4.48s/it, loss={}]"

    (row,) = steps_of("\r".join([draw.format(9.007), draw.format(8.793)]) + "\n")

    assert (row["epoch"], row["step"], row["loss"], row["step_time_s"]) == (0, 2, 8.793, 4.48)


@pytest.mark.parametrize(
    "draw",
    [
        "model.safetensors:  45%|####      | 1.2G/2.6G [00:10<00:12, 120MB/s]",
        "Generating train split: 100%|##########| 1000/1000 [00:01<00:00, 900.1 examples/s]",
        "Loading checkpoint shards:  50%|#####     | 2/4 [00:01<00:01,  1.5it/s]",
        "Validation DataLoader 0: 100%|##########| 20/20 [00:01<00:00, 15.0it/s]",
        "Map (num_proc=4):  10%|#         | 100/1000 [00:01<00:09, 100.0 examples/s]",
        " 22%|##        | 4/18 [00:13<00:48,  3.44s/it]",
        "Epoch 0:   0%|          | 0/18 [00:00<?, ?it/s]",
    ],
)
def test_other_bar_is_no_record(draw: str) -> None:
    assert steps_of(f"{draw}\n") == []


def test_bar_whose_rate_is_unknown_has_none() -> None:
    (row,) = steps_of("Steps:   1%|          | 1/101 [00:04<?, ?it/s, lr=1e-5, step_loss=0.0853]\n")

    assert (row["loss"], row["lr"], row["elapsed_s"]) == (0.0853, 1e-5, 4.0)
    assert not row.keys() & {"steps_per_s", "step_time_s", "eta_s"}
