"""The samples of a card over all inputs: each moment counts once."""

from __future__ import annotations

from datetime import timedelta

from recordings import START, frames, prints

from smianalyze.analyses.card_series import Course, card_series


def course(*recordings: list[list[dict[str, object]]]) -> Course:
    (found,) = card_series(frames(*recordings)).courses("utilization_gpu_pct")
    return found


def test_of_two_recordings_of_the_same_time_the_denser_one_counts() -> None:
    sparse = prints({"utilization_gpu_pct": [90, 90, 90]}, source="l1.txt")
    dense = prints({"utilization_gpu_pct": [10] * 21}, step_s=0.1, source="fast.csv")

    assert course(sparse, dense).values.tolist() == [10] * 21


def test_a_whole_second_just_before_the_denser_recording_adds_nothing() -> None:
    times = [START + timedelta(seconds=second) for second in (0, 1, 2)]
    sparse = prints({"utilization_gpu_pct": [90, 90, 90]}, times=times, source="l1.txt")
    times = [START + timedelta(seconds=0.7 + number / 10) for number in range(10)]
    dense = prints({"utilization_gpu_pct": [10] * 10}, times=times, source="fast.csv")

    assert course(sparse, dense).values.tolist() == [10] * 10


def test_parts_of_a_recording_follow_one_another() -> None:
    late = [START + timedelta(seconds=10 + number) for number in range(2)]
    second = prints({"utilization_gpu_pct": [3, 4]}, times=late, source="b.csv")
    first = prints({"utilization_gpu_pct": [1, 2]}, source="a.csv")

    assert course(second, first).values.tolist() == [1, 2, 3, 4]


def test_a_sparse_recording_fills_the_time_that_the_denser_one_leaves() -> None:
    sparse = prints({"utilization_gpu_pct": [90] * 5}, step_s=10, source="slow.csv")
    dense = prints(
        {"utilization_gpu_pct": [10] * 9},
        times=[START + timedelta(seconds=15 + number) for number in range(9)],
        source="fast.csv",
    )

    assert course(sparse, dense).values.tolist() == [90, 90, *[10] * 9, 90, 90]


def test_an_input_that_does_not_print_the_quantity_leaves_it_to_others() -> None:
    other = prints({"power_draw_w": [1.0] * 9}, step_s=0.1, source="power.csv")
    ours = prints({"utilization_gpu_pct": [1, 2]}, source="use.csv")

    assert course(other, ours).values.tolist() == [1, 2]


def test_prints_without_times_stand_in_their_order() -> None:
    found = course(prints({"utilization_gpu_pct": [1, None, 3]}, times=[None] * 3))

    assert (found.at.tolist(), found.values.tolist(), found.timed) == ([0, 2], [1, 3], False)
    assert found.seconds is None


def test_a_print_without_a_time_has_no_place_among_timed_ones() -> None:
    times = [START, None, START + timedelta(seconds=1)]
    found = course(prints({"utilization_gpu_pct": [1, 2, 3]}, times=times))

    assert (found.values.tolist(), found.timed) == ([1, 3], True)


def test_a_capture_without_cards_has_none() -> None:
    assert card_series(frames()).courses("utilization_gpu_pct") == []
