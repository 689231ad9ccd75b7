"""JSON documents over many lines: records of the Trainer, what is no record, documents that break off."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze

STATE = (FIXTURES / "log_json" / "trainer_state.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("capture", captures("log_json"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_state_of_the_trainer_gives_its_records_alone() -> None:
    steps = smianalyze.loads(STATE).steps

    assert steps["step"].tolist() == [10, 20]
    assert steps["total_steps"].tolist() == [20, 20]
    assert steps["loss"].tolist() == [2.3127, 2.0127]


@pytest.mark.parametrize("end", range(1, len(STATE), 13))
def test_cut_anywhere_gives_the_first_records(end: int) -> None:
    cut = smianalyze.loads(STATE[:end]).steps

    assert cut["loss"].tolist() == [2.3127, 2.0127][: len(cut)]


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "loss": "cross_entropy",\n  "epoch": 3\n}\n',
        '[\n  {\n    "name": "a loss",\n    "epoch": 3\n  }\n]\n',
        '[\n  {\n    "eval_loss": 1.5,\n    "epoch": 3\n  }\n]\n',
        '"loss": 1.5,\n"step": 3\n',
        '{\n"a": {\n"loss": 1.5,\n"step": 3\n}\n}\n',
    ],
)
def test_other_documents_give_no_step(text: str) -> None:
    assert len(smianalyze.loads(text).steps) == 0


def test_deep_nesting_is_bounded() -> None:
    text = '[\n{\n"loss": 1.5,\n"step": 1\n},\n' + "[\n" * 5_000

    assert smianalyze.loads(text).steps["loss"].tolist() == [1.5]
