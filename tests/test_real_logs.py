"""Logs of runs whose cause is known: what must be read from them."""

from __future__ import annotations

import ast
import re

import pandas as pd
import pytest
from fixture_pairs import FIXTURES

import smianalyze

RUNS = FIXTURES / "runs"


def test_starved_run_waits_for_data_most_of_its_time() -> None:
    steps = smianalyze.load(RUNS / "starved" / "train.log").steps

    last = steps.iloc[-1]
    assert len(steps) == 7
    assert last["data_time_avg_s"] / last["step_time_avg_s"] == pytest.approx(0.94, abs=0.01)
    assert steps["data_time_s"].sum() / steps["step_time_s"].sum() == pytest.approx(0.94, abs=0.01)


def test_fed_run_has_a_step_of_120_ms() -> None:
    steps = smianalyze.load(RUNS / "fed" / "train.log").steps

    assert steps["step_time_avg_s"].iloc[-1] == 0.120
    assert steps["data_time_s"].median() < 0.001


def test_starved_run_says_which_card_it_may_see() -> None:
    (launch,) = smianalyze.load(RUNS / "starved" / "train.log").events.to_dict("records")

    assert (launch["kind"], launch["visible_devices"], launch["world_size"]) == ("launch", "1", 1)


def test_leak_ends_in_its_out_of_memory() -> None:
    capture = smianalyze.load(RUNS / "leak" / "train.log")
    (oom,) = capture.events[capture.events["kind"].eq("oom")].to_dict("records")

    assert (oom["gpu_index"], oom["framework"]) == (0, "pytorch")
    assert oom["reserved_unallocated_mib"] == 32.58 * 1024
    assert capture.steps["gpu_mem_mib"].is_monotonic_increasing


def test_every_record_between_the_bars_of_the_trainer_is_read() -> None:
    text = (RUNS / "hf" / "train.log").read_bytes().decode("utf-8")
    printed = [ast.literal_eval(found) for found in re.findall(r"\{'loss'[^{}]*\}", text)]
    steps = smianalyze.load(RUNS / "hf" / "train.log").steps

    assert len(printed) == 30
    assert steps["loss"].tolist() == [float(record["loss"]) for record in printed]
    assert steps["lr"].tolist() == [float(record["learning_rate"]) for record in printed]
    assert steps["step"].tolist() == list(range(5, 151, 5))
    assert set(steps["format"]) == {"hf_trainer"}


def test_bar_of_lightning_in_a_terminal_gives_each_step_that_it_shows() -> None:
    raw = (RUNS / "lightning" / "train.raw").read_bytes().decode("utf-8")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw)
    shown = re.findall(r"Epoch ([01])/1 [^\r]*? ([0-9]+)/200 [^\r]*?train_loss: ([0-9.]+)", plain)
    last = {(int(epoch), int(step)): float(loss) for epoch, step, loss in shown}
    steps = smianalyze.load(RUNS / "lightning" / "train.raw").steps

    read = {(int(row.epoch), int(row.step)): row.loss for row in steps.itertuples() if pd.notna(row.loss)}
    assert read == last
    assert len(read) > 200
    assert set(steps["format"]) == {"lightning"}
