from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

from smianalyze.reading import read_rows
from smianalyze.source import from_text


def settings_of(text: str) -> list[tuple[object, object]]:
    events = read_rows([from_text(text)]).get("events", [])
    return [(row.get("batch_size"), row.get("workers")) for row in events if row["kind"] == "settings"]


@pytest.mark.parametrize("capture", captures("log_settings"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("batch_size=64 num_workers=8", (64, 8)),
        ("python train.py --batch-size 64 --workers 8", (64, 8)),
        ('{"train_batch_size": 64}', (64, None)),
        ("{'batch_size': 64, 'num_workers': 0}", (64, 0)),
        ("per_device_train_batch_size: 64", (64, None)),
        ("train_micro_batch_size=64", (64, None)),
        ("batch_size=64 batch_size=128", (64, None)),
        ("num_workers = 8", (None, 8)),
    ],
)
def test_way_to_print_a_setting_is_read(text: str, settings: tuple[object, object]) -> None:
    assert settings_of(f"{text}\n") == [settings]


@pytest.mark.parametrize(
    "text",
    [
        "eval_batch_size=64",
        "global_batch_size: 64",
        "val-batch-size 64",
        "batch_size=64.5",
        "batch_size=64,128",
        "batch_size=auto",
        "# batch_size=64",
        "a batch size of 64",
        "the batch_size was too large",
    ],
)
def test_other_sizes_and_prose_are_none(text: str) -> None:
    assert settings_of(f"{text}\n") == []


def test_number_that_may_be_cut_is_none() -> None:
    assert settings_of("batch_size=6") == []


def test_line_that_starts_the_job_has_them_in_its_launch() -> None:
    text = "INFO CUDA_VISIBLE_DEVICES=1 world_size=1 batch_size=256 num_workers=0\n"
    (row,) = read_rows([from_text(text)])["events"]

    assert (row["kind"], row["batch_size"], row["workers"]) == ("launch", 256, 0)


def test_line_of_a_record_stays_a_record() -> None:
    rows = read_rows([from_text("step: 3 loss: 2.1 batch_size: 64 lr: 0.1\n")])

    assert [row["step"] for row in rows["steps"]] == [3]
    assert [row["batch_size"] for row in rows["events"]] == [64]
