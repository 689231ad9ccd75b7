from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair
from training_logs import steps_of

from smianalyze import loads


@pytest.mark.parametrize("capture", captures("log_pairs"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_digit_in_a_key_decides_its_column() -> None:
    text = "Epoch: [0][ 10/50] Time 0.5 (0.5) Loss 1.5 (1.6) Acc@1 {} (9.0) Acc@5 {} (9.5)\n"

    rows = steps_of(text.format("48.50", "97.00") + text.format("48.51", "97.01"))

    assert [(row["acc_1"], row["acc_5"]) for row in rows] == [(48.5, 97.0), (48.51, 97.01)]


@pytest.mark.parametrize(
    ("amount", "mib"),
    [("5264", 5264), ("5545M", 5545), ("18963Mb", 18963), ("12106MB", 12106), ("64.5GiB", 66048), ("4GB", 4096)],
)
def test_memory_is_in_mib(amount: str, mib: float) -> None:
    (row,) = steps_of(f"step: 20  loss: 1.5  max_mem: {amount}\n")

    assert row["gpu_mem_mib"] == mib


@pytest.mark.parametrize(
    ("span", "seconds"),
    [("0:14:17", 857), ("1 day, 9:08:14", 119294), ("8 days, 18:30:53", 757853), ("04:48", 288)],
)
def test_time_left_is_in_seconds(span: str, seconds: float) -> None:
    (row,) = steps_of(f"Epoch [1][20/100]\tlr: 5.0e-03, eta: {span}, time: 0.5, memory: 5, loss: 0.7\n")

    assert row["eta_s"] == seconds


def test_milliseconds_are_exact_seconds() -> None:
    (row,) = steps_of("iter 20: loss 2.9636, time 662.21ms, mfu 22.53%\n")

    assert (row["step_time_s"], row["mfu"]) == (0.66221, 0.2253)


def test_unit_that_nobody_knows_gives_no_value() -> None:
    (row,) = steps_of("step: 20  loss: 1.5  time: 3 fortnights  max_mem: 7 pages\n")

    assert row == {"format": "generic", "step": 20, "loss": 1.5}


def test_loss_that_is_not_a_number_is_unknown() -> None:
    (row,) = steps_of("iter 20: loss nan, time 662.21ms, mfu 22.53%\n")

    assert "loss" not in row


def test_log_of_no_known_framework_is_generic() -> None:
    rows = steps_of("epoch=3 step=120 train_loss=0.53 lr=0.0001\nEpoch [3/10], Step [9/60], Loss: 0.15\n")

    assert rows == [
        {"format": "generic", "epoch": 3.0, "step": 120, "loss": 0.53, "lr": 0.0001},
        {"format": "generic", "epoch": 3.0, "total_epochs": 10, "step": 9, "total_steps": 60, "loss": 0.15},
    ]


def test_time_of_a_line_without_a_step_is_that_of_the_epoch() -> None:
    (row,) = steps_of("Epoch 1/10, Train Loss: 0.543, Val Loss: 0.612, Time: 12.5s\n")

    assert (row["epoch_time_s"], row["val_loss"]) == (12.5, 0.612)
    assert "step_time_s" not in row


def test_samples_that_only_count_thousands_are_scaled() -> None:
    (row,) = steps_of("iteration: 20 / 100 | tokens_per_sec: 64K | lm_loss: 9.1 | lr: 0.0003\n")

    assert row["tokens_per_s"] == 64000


@pytest.mark.parametrize(
    "line",
    [
        "Test: [ 10/196]\tTime 0.1 (0.1)\tLoss 1.2 (1.2)",
        "2023/05/06 23:57:02 - mmengine - INFO - Epoch(val) [1][50/625]  eta: 0:00:30  time: 0.05  loss: 0.5",
        "Averaged stats: lr: 0.0005  loss: 16.9 (21.7)",
        "step 250: train loss 1.65, val loss 1.84",
        "| epoch 001 | valid on 'valid' subset | valid_loss 7.4 | num_updates 600",
        "[2024-09-05 00:10:11,530] [INFO] [Rank 0] step=200, skipped=4, lr=[0.0002], mom=[(0.9, 0.999)]",
    ],
)
def test_line_of_validation_or_summary_is_no_record(line: str) -> None:
    assert steps_of(f"{line}\n") == []


def test_rank_and_time_stand_before_the_record() -> None:
    rows = steps_of(
        "[rank0]:[titan] 2025-10-09 03:14:17,814 - root - INFO - step: 20  loss:  5.09  tps: 4,921\n"
        "[rank1]:[titan] 2025-10-09 03:14:17,815 - root - INFO - step: 20  loss:  5.09  tps: 4,921\n"
    )

    assert [(row["rank"], row["tokens_per_s"], str(row["time"])[:19]) for row in rows] == [
        (0, 4921, "2025-10-09 03:14:17"),
        (1, 4921, "2025-10-09 03:14:17"),
    ]


def test_date_without_a_year_stays_as_printed() -> None:
    (row,) = steps_of("05/06 23:57:02 - mmengine - INFO - Iter(train) [10/20]  time: 0.5  loss: 0.8\n")

    assert row["printed_time"] == "05/06 23:57:02"
    assert "time" not in row


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step: 3, loss: 0.5, ms_per_step: 12.5", {"step_time_s": 0.0125}),
        ("| epoch   1 |   200/ 2983 batches | lr 5.00 | ms/batch 12.5 | loss  6.81", {"step_time_s": 0.0125}),
        ("Epoch 3/10 | Batch 120/1500 | Loss 0.4123 | 250 ms/batch | lr 0.0001", {"step_time_s": 0.25}),
        ("step: 3 loss: 0.5 gpu_mem_gb: 3.5", {"gpu_mem_mib": 3584}),
        ("step: 3 loss: 0.5 memory: 3.5", {"gpu_mem_mib": None, "memory": 3.5}),
        ("step   61/74 | loss 3.41 (+1.2z)| norm 1.2 (+0.1z)| lr 6.0e-04 | 50 ms", {"loss_avg": None}),
        ("epoch=3 step=120 loss=0.41 lr=1e-4 time=0.2s", {"format": "generic"}),
    ],
)
def test_units_are_those_of_the_key_and_never_guessed(text: str, expected: dict[str, object]) -> None:
    (row,) = steps_of(f"{text}\n")

    assert {key: row.get(key) for key in expected} == expected


@pytest.mark.parametrize("name", ["time", "rank", "line"])
def test_second_key_of_a_meaning_never_takes_a_column_of_ours(name: str) -> None:
    steps = loads(f"step 1 loss 2.0 step_time 0.1s time 0.5s {name} 0.7\nstep 2 loss 2.0 step_time 0.1s\n").steps

    assert steps["step_time_s"].tolist() == [0.1, 0.1]
    assert steps["time"].isna().all()
    assert steps["line"].tolist() == [1, 2]


def test_rates_in_brackets_behind_a_loss_are_no_average_of_it() -> None:
    (row,) = steps_of("2019-05-04 07:11:02.250000: step 70, loss = 2.31 (610.5 examples/sec; 0.210 sec/batch)\n")

    assert (row["loss"], row["samples_per_s"], row["step_time_s"]) == (2.31, 610.5, 0.21)
    assert "loss_avg" not in row


def test_two_counters_in_brackets_are_epoch_and_step() -> None:
    (row,) = steps_of("[Train][Epoch  2/20][Iter  40/500] lr: 0.00100, loss: 0.0125, batch_cost: 0.0150s\n")

    assert (row["epoch"], row["step"], row["total_steps"], row["step_time_s"]) == (2, 40, 500, 0.015)
    assert "epoch_time_s" not in row


def test_keys_in_brackets_are_read_like_others() -> None:
    (row,) = steps_of("[epoch 2] [iter 60 / 450 31.5s] [lr 0.005000] [train loss 0.6125 acc 71.20]\n")

    assert (row["epoch"], row["step"], row["total_steps"]) == (2, 60, 450)
    assert (row["lr"], row["loss"], row["acc"]) == (0.005, 0.6125, 71.2)


def test_key_of_no_known_column_keeps_its_unit_in_the_name() -> None:
    (row,) = steps_of("step: 40, loss: 1.5, gather_time_ms: 12, host_buffer_gb: 3.5\n")

    assert (row["gather_time_ms"], row["host_buffer_gb"]) == (12, 3.5)


def test_counter_in_a_bracket_of_its_own_is_no_quotation() -> None:
    (row,) = steps_of("[2024-02-11 09:30:00] (step=0000450) Train Loss: 0.1731, Train Steps/Sec: 2.05\n")

    assert (row["step"], row["loss"], row["steps_per_s"]) == (450, 0.1731, 2.05)


def test_time_since_the_epoch_began_is_no_step_time() -> None:
    (row,) = steps_of(
        "epoch 2 - iter 30/90 - loss 1.8125 - time (sec): 9.75 - samples/sec: 310.20 - lr: 0.00002\n"
    )

    assert (row["format"], row["elapsed_s"], row["samples_per_s"]) == ("flair", 9.75, 310.2)
    assert "step_time_s" not in row


def test_tensor_that_was_printed_as_it_is_is_its_number() -> None:
    (row,) = steps_of("epoch=3: train_ppl=tensor(1.2500, device='cuda:1') train_epoch_loss=tensor(0.2231)\n")

    assert (row["epoch"], row["train_ppl"], row["loss"]) == (3, 1.25, 0.2231)
    assert len(row) == 4


@pytest.mark.parametrize("loss", ["0,53", "0,530", "12,5", "0,5301"])
def test_number_with_a_decimal_comma_is_unknown(loss: str) -> None:
    (row,) = steps_of(f"Epoch 1/10, Step 20/100, loss: {loss}, lr: 0.1\n")

    assert row == {"format": "generic", "epoch": 1, "total_epochs": 10, "step": 20, "total_steps": 100, "lr": 0.1}
