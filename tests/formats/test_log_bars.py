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


def test_draw_over_a_longer_one_shows_its_own_time() -> None:
    """The end of the draw before, which the last one did not cover, stands behind it."""
    head = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
    draw = "       3/50      2.00G       1.15      0.905       1.02         31        640: {}\n"

    running, done = steps_of(
        head
        + draw.format("40% ━━━━╸─────── 4/10 3.0it/s 1.3s<2.0s")
        + draw.format("100% ━━━━━━━━━━━━ 10/10 3.1it/s 3.4s0.3s")
    )

    assert (running["eta_s"], running.get("elapsed_s"), running["gpu_mem_mib"]) == (2.0, None, 2048)
    assert (done["elapsed_s"], done.get("eta_s"), done["gpu_mem_mib"]) == (3.4, None, 2048)


@pytest.mark.parametrize(
    ("postfix", "expected"),
    [
        ("Loss=0.0421, Depth Loss=0.0017", {"loss": 0.0421, "depth_loss": 0.0017}),
        ("loss=0.61, metrics={'acc': 0.71, 'f1': 0.6}", {"loss": 0.61}),
        ("acc=[0.25, 0.5], loss=0.61", {"loss": 0.61, "acc": None}),
        ("loss=tensor(0.7310, device='cuda:0', grad_fn=<NllLossBackward0>)", {"loss": 0.731}),
    ],
)
def test_one_metric_that_is_no_number_leaves_the_others(postfix: str, expected: dict[str, float | None]) -> None:
    (row,) = steps_of(f"Training progress:  20%|##        | 60/300 [00:12<00:48,  5.01it/s, {postfix}]\n")

    assert (row["step"], row["steps_per_s"]) == (60, 5.01)
    assert {name: row.get(name) for name in expected} == expected


def test_bar_that_a_notebook_lost_is_read_without() -> None:
    (row,) = steps_of("Epoch 2: 100% 45/45 [00:15<00:00,  2.95it/s, loss=0.315]\n")

    assert (row["epoch"], row["step"], row["total_steps"], row["loss"]) == (2, 45, 45, 0.315)
