"""Times without a date or a year: completed where the input says it elsewhere, across midnight and New Year."""

from __future__ import annotations

import pandas as pd
import pytest

import smianalyze

RECORD = "Epoch(train) [1][{step}/500] lr: 1e-3 time: 0.5 data_time: 0.1 memory: 5000 loss: 0.5"


def times(*prefixes: str, head: str = "", tail: str = "") -> list[str | None]:
    """Times of records behind some prefixes."""
    lines = [f"{prefix} {RECORD.format(step=10 * (1 + place))}" for place, prefix in enumerate(prefixes)]
    text = "\n".join([*([head] if head else []), *lines, *([tail] if tail else []), ""])
    steps = smianalyze.loads(text).steps
    return [None if pd.isna(time) else str(time) for time in steps["time"]]


def test_date_without_a_year_is_unknown_alone() -> None:
    capture = smianalyze.loads(f"05/06 23:57:02 - mmengine - INFO - {RECORD.format(step=10)}\n")

    assert capture.steps["time"].isna().all()
    assert capture.steps["printed_time"].tolist() == ["05/06 23:57:02"]


def test_year_comes_from_a_full_date_in_the_input() -> None:
    found = times("05/06 23:57:02", "05/07 00:01:02", head="2022/05/06 23:50:00 - mmengine - INFO - start")

    assert found == ["2022-05-06 23:57:02", "2022-05-07 00:01:02"]


def test_new_year_begins_another_year() -> None:
    found = times("12/31 23:59:02", "01/01 00:01:02", head="[2025-12-30 08:00:00] start")

    assert found == ["2025-12-31 23:59:02", "2026-01-01 00:01:02"]


def test_year_that_follows_counts_too() -> None:
    assert times("05/06 23:57:02", tail="2022-05-07 01:00:00,123 done") == ["2022-05-06 23:57:02"]


def test_date_that_is_far_away_says_no_year() -> None:
    assert times("05/06 23:57:02", head="2022-08-01 00:00:00 start") == [None]


def test_clock_that_runs_across_midnight_is_of_the_next_day() -> None:
    found = times("[23:58:00]", "[23:59:30]", "[00:00:59]", "[12:00:00]", head="[2026-02-28 23:00:00] start")

    assert found == ["2026-02-28 23:58:00", "2026-02-28 23:59:30", "2026-03-01 00:00:59", "2026-03-01 12:00:00"]


def test_clock_without_any_date_is_unknown() -> None:
    assert times("[23:58:00]", "[00:00:59]") == [None, None]


def test_date_of_the_shell_counts() -> None:
    assert times("[19:36:00]", head="Mon Nov 30 19:35:52 UTC 2026") == ["2026-11-30 19:36:00"]


def test_date_inside_a_line_dates_nothing() -> None:
    assert times("[19:36:00]", head="built on 2019-03-01 12:00:00 by somebody") == [None]


def test_what_was_completed_is_said() -> None:
    text = f"[2026-02-28 23:00:00] start\n[23:58:00] {RECORD.format(step=10)}\n"

    assert "Times without a date follow line 1." in str(smianalyze.loads(text).inputs["note"].iloc[0])


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("I0303 07:00:10.250000 1383 metric_logger.py:226]", "2026-03-03 07:00:10.250000"),
        ("[rank0]:[E303 07:00:10.250000123 ProcessGroupNCCL.cpp:616]", "2026-03-03 07:00:10.250000"),
        ("[03/03 07:00:10 d2.utils.events]:", "2026-03-03 07:00:10"),
        ("INFO 03-03 07:00:10 metrics.py:345]", "2026-03-03 07:00:10"),
        ("Mar  3 07:00:10 node01 train[12]:", "2026-03-03 07:00:10"),
        ("2026-03-03T07:00:10.5Z [08:00:10]", "2026-03-03 07:00:10.500000"),
        ("2026-03-03T07:00:10.5Z 2026-03-03 08:00:10,123 - mmdet - INFO -", "2026-03-03 08:00:10.123000"),
        ("[13/45 07:00:10]", None),
        ("03/04/2026 07:00:10 - INFO - __main__ -", None),
        ("[02/30 07:00:10]", None),
        ("[25:61:10]", None),
    ],
)
def test_stamps_of_loggers_and_collectors(prefix: str, expected: str | None) -> None:
    assert times(prefix, head="2026-03-03 06:00:00 start") == [expected]


def test_event_without_a_year_keeps_what_it_prints() -> None:
    text = "Nov 30 22:48:31 node01 kernel: NVRM: Xid (PCI:0000:39:00): 43, pid=1046, name=python, Ch 8\n"

    alone, dated = (smianalyze.loads(head + text).events for head in ("", "2026-11-30 22:00:00 boot\n"))

    assert (alone["printed_time"].tolist(), alone["time"].isna().all()) == (["Nov 30 22:48:31"], True)
    assert dated["time"].tolist() == [pd.Timestamp("2026-11-30 22:48:31")]


def test_host_gets_the_date_of_the_shell() -> None:
    text = "Mon Nov 30 11:14:00 2026\ntop - 11:14:31 up 1 day,  3:07,  2 users,  load average: 1.12, 1.44, 1.09\n"

    assert smianalyze.loads(text).hosts["time"].tolist() == [pd.Timestamp("2026-11-30 11:14:31")]


@pytest.mark.parametrize(
    ("prefix", "rank"),
    [
        ("3: ", 3),
        ("[1,2]<stdout>:", 2),
        ("[default3]:", 3),
        ("[rank1]: ", 1),
        ("node01: ", None),
        ("10:00: ", None),
        ("(TrainWorker pid=1234, ip=10.0.0.3) ", None),
    ],
)
def test_rank_is_that_of_the_launcher_and_no_part_of_a_name(prefix: str, rank: int | None) -> None:
    (row,) = smianalyze.loads(f"{prefix}{RECORD.format(step=10)}\n").steps.to_dict("records")

    assert (None if pd.isna(row["rank"]) else row["rank"]) == rank


def test_json_line_says_its_time() -> None:
    text = '{"level": "info", "ts": "2026-03-03T07:00:10Z", "step": 47, "loss": 0.5, "lr": 0.1}\n'
    (row,) = smianalyze.loads(text).steps.to_dict("records")

    assert (row["format"], row["time"]) == ("generic", pd.Timestamp("2026-03-03 07:00:10"))


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_date_of_a_year_that_cannot_be_dates_no_other_line(year: str) -> None:
    text = f"{year}-12-31 23:59:59 started\n[00:00:01] step 1 loss 2.0\n[00:00:02] step 2 loss 1.9\n"

    assert smianalyze.loads(text).steps["time"].isna().all()
