"""Whole runs in a few numbers, and what changed from one to another."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.run_comparison import Change, changes, headline
from smianalyze.analyses.run_numbers import RunNumbers, is_run, run_numbers, step_times

AVERAGED = """
source epoch step step_time_s step_time_avg_s data_time_s data_time_avg_s
a.log  0     0    3.0         3.0             2.0         2.0
a.log  0     9    1.0         1.2             0.5         0.6
a.log  1     0    1.0         1.0             0.5         0.5
a.log  1     29   0.2         0.4             0.1         0.2
"""


def times(table: str) -> tuple[float | None, float | None]:
    return step_times(frames_of(steps=table).steps)


def test_averages_of_the_log_count_by_their_steps() -> None:
    assert times(AVERAGED) == (
        pytest.approx((10 * 1.2 + 30 * 0.4) / 40),
        pytest.approx((10 * 0.6 + 30 * 0.2) / 40),
    )


def test_without_averages_the_records_are_averaged() -> None:
    assert times("step step_time_s data_time_s\n1 2.0 1.0\n2 4.0 2.0") == (3.0, 1.5)


def test_without_step_times_the_clock_tells() -> None:
    table = "step time\n10 2026-11-30T19:00:00\n30 2026-11-30T19:00:10"

    assert times(table) == (0.5, None)


def test_time_between_two_epochs_is_no_time_of_steps() -> None:
    table = """
    step epoch time
    10   0     2026-11-30T19:00:00
    30   0     2026-11-30T19:00:10
    30   0     2026-11-30T19:00:10
    10   1     2026-11-30T19:09:00
    30   1     2026-11-30T19:09:10
    """

    assert times(table) == (0.5, None)


def test_logs_of_two_jobs_have_no_step_time_in_common() -> None:
    table = "source step step_time_s data_time_s\n{} 1 2.0 1.8\n{} 2 2.0 1.8\n{} 1 {} 0.1\n{} 2 {} 0.1"

    assert times(table.format("a", "a", "b", 0.2, "b", 0.2)) == (None, None)
    assert times(table.format("a", "a", "b", 2.2, "b", 2.2)) == (pytest.approx(2.1), pytest.approx(0.95))


@pytest.mark.parametrize("table", ["step loss\n1 2.0\n2 1.0", "step step_time_s\n1 2.0", "step loss\n1 2.0"])
def test_unknown_step_time_stays_unknown(table: str) -> None:
    assert times(table) == (None, None)


def test_real_run_has_all_its_numbers() -> None:
    numbers = run_numbers(load(FIXTURES / "runs" / "starved").frames)

    assert numbers.gpus == (1,)
    assert numbers.step_time_s == 2.153
    assert numbers.data_share == pytest.approx(0.947, abs=0.001)
    assert numbers.utilization_pct == pytest.approx(2.6, abs=0.1)
    assert numbers.memory_peak_mib == 14923
    assert numbers.energy_per_step_j == pytest.approx(293, abs=1)


def test_moment_is_no_run_and_a_log_alone_is_one() -> None:
    assert not is_run(load(FIXTURES / "demo" / "smi_before.txt").frames)
    assert is_run(load(FIXTURES / "runs" / "fed" / "train.log").frames)


def test_log_alone_has_no_numbers_of_cards() -> None:
    numbers = run_numbers(load(FIXTURES / "runs" / "fed" / "train.log").frames)

    assert (numbers.step_time_s, numbers.power_w, numbers.energy_per_step_j, numbers.gpus) == (
        0.12,
        None,
        None,
        (),
    )


def test_only_what_one_of_them_tells_is_compared() -> None:
    found = changes(RunNumbers(step_time_s=2.0), RunNumbers(memory_peak_mib=100.0))

    assert [(change.name, change.delta, change.times) for change in found] == [
        ("step time", None, None),
        ("peak memory", None, None),
    ]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (2.0, 0.5, "The second run is 4 times as fast: 0.5 s a step in place of 2 s."),
        (0.5, 2.0, "The second run is 4 times as slow: 2 s a step in place of 0.5 s."),
        (1.0, 1.02, "Both runs are equally fast: 1.02 s a step in place of 1 s."),
        (1.0, None, "How long a step takes is not known of both runs."),
    ],
)
def test_headline_says_which_is_faster(before: float, after: float | None, sentence: str) -> None:
    assert headline(changes(RunNumbers(step_time_s=before), RunNumbers(step_time_s=after))) == sentence


def test_runs_of_other_batch_sizes_are_held_against_each_other_by_samples() -> None:
    small, large = RunNumbers(step_time_s=0.1, batch_size=64), RunNumbers(step_time_s=0.4, batch_size=512)

    assert headline(changes(small, large)) == (
        "The second run is 2 times as fast: 1,280 samples a second in place of 640."
    )


def test_samples_of_runs_on_more_cards_are_not_compared() -> None:
    one = RunNumbers(step_time_s=0.1, batch_size=64, gpus=(0,))
    two = RunNumbers(step_time_s=0.4, batch_size=512, gpus=(0, 1))

    assert "samples a second" not in [change.name for change in changes(one, two)]


def test_headline_says_nothing_of_a_waiting_that_is_the_same() -> None:
    pair = [RunNumbers(step_time_s=2.0, data_share=share) for share in (0.011, 0.012)]

    assert headline(changes(*pair)) == "Both runs are equally fast: 2 s a step in place of 2 s."


def test_headline_adds_what_happened_to_the_waiting() -> None:
    pair = (RunNumbers(step_time_s=2.0, data_share=0.9), RunNumbers(step_time_s=1.0, data_share=0.4))

    assert headline(changes(*pair)).endswith("the second waits for data in 40% of the time, less than 90% before.")


def test_shares_have_a_difference_and_no_ratio() -> None:
    share = Change("idle", "%", 0.4, 0.2, is_share=True)

    assert (share.delta, share.times) == (pytest.approx(-0.2), None)


def test_data_time_that_is_no_part_of_the_step_gives_no_share() -> None:
    frames = frames_of(steps="step step_time_s data_time_s\n1 0.1 0.5\n2 0.1 0.5")

    assert run_numbers(frames).data_share is None
