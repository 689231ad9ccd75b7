"""CSV of metrics: sparse rows of one step, headers of each framework, cuts, and tables of other things."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze

LIGHTNING = (FIXTURES / "log_csv" / "lightning.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("capture", captures("log_csv"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_rows_of_one_step_are_one_record() -> None:
    steps = smianalyze.loads(LIGHTNING).steps

    assert steps["step"].tolist() == [9, 19, 29, 39]
    assert steps[["loss", "lr", "val_loss"]].iloc[1].tolist() == [2.0625, 0.001, 2.25]
    assert pd.isna(steps["loss"].iloc[3])


def test_rates_that_differ_are_no_single_one() -> None:
    steps = smianalyze.load(FIXTURES / "log_csv" / "ultralytics_80.csv").steps

    assert steps["lr"].isna().all()
    assert steps["lr_pg0"].tolist() == [0.070226, 0.040159]
    assert steps["metrics_precision_b"].tolist() == [0.61112, 0.63902]


@pytest.mark.parametrize("end", range(1, len(LIGHTNING), 3))
def test_cut_anywhere_gives_a_prefix_or_an_unknown(end: int) -> None:
    whole, cut = smianalyze.loads(LIGHTNING).steps, smianalyze.loads(LIGHTNING[:end]).steps
    columns = [column for column in cut if column != "source"]
    wrong = [
        (place, column)
        for place, row in enumerate(cut[columns].to_dict("records"))
        for column, value in row.items()
        if not pd.isna(value) and value != whole[column].iloc[place]
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "epoch,latitude,longitude\n1,52.1,13.2\n",
        "step,description\n1,open the lid\n",
        "index,timestamp,loss of signal\n0,12,3\n",
        "batch,weight,batch\n1,2,3\n",
        "val_loss,epoch\n2.5,1\n",
        "epoch, step and loss are printed\n",
    ],
)
def test_other_tables_give_no_step(text: str) -> None:
    assert len(smianalyze.loads(text).steps) == 0


def test_row_with_other_cells_is_told() -> None:
    capture = smianalyze.loads("epoch,step,train_loss\n0,9,2.25\n0,19\n0,29,2.0\n")

    assert capture.steps["step"].tolist() == [9, 29]
    assert capture.problems["line"].tolist() == [3]


def test_two_files_in_one_text_are_read_with_their_own_names() -> None:
    capture = smianalyze.loads("epoch,loss,val_loss\n0,1.5,2.0\n\nstep,lr,loss\n7,0.25,1.25\n")

    assert capture.steps[["epoch", "step", "loss"]].astype(object).where(pd.notna, None).to_numpy().tolist() == [
        [0.0, None, 1.5],
        [None, 7, 1.25],
    ]


def test_column_of_ranks_is_the_rank() -> None:
    steps = smianalyze.loads("rank,step,loss\n0,1,2.0\n1,1,2.1\nall,2,2.0\n").steps

    assert steps["rank"].tolist() == [0, 1, pd.NA]
