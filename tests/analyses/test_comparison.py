"""Two snapshots side by side: which card is which, what changed, and what cannot be told."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pandas.testing
import pytest
from text_tables import frames_of

from smianalyze.analyses.comparison import Comparison, compare, compare_run, compare_snapshots
from smianalyze.analyses.moment import moment_of
from smianalyze.frames import Frames

# corpus case of the project: three cards of one job, other people's jobs on them before
A100 = """
snapshot gpu_index pci_bus_id       memory_used_mib utilization_gpu_pct power_draw_w temperature_gpu_c
0        2         00000000:39:00.0 14568           0                   37           26
0        3         00000000:3D:00.0 11497           26                  39           25
0        4         00000000:9C:00.0 12920           32                  104          35
1        2         00000000:39:00.0 35653           72                  236          42
1        3         00000000:3D:00.0 31506           42                  226          42
1        4         00000000:9C:00.0 32905           72                  214          47
"""

H200 = """
snapshot gpu_index memory_used_mib
0        0         14561
0        1         11691
1        0         31022
1        1         27533
"""
H200_PROCESSES = """
snapshot gpu_index pid type used_gpu_memory_mib process_name
0        0         609 C    14552               python3
0        1         610 C    11682               python3
1        0         609 C    14552               python3
1        0         812 C    15836               /opt/torch/.venv/bin/python
1        0         813 C    612                 /opt/torch/.venv/bin/python
1        1         610 C    11682               python3
1        1         813 C    15836               /opt/torch/.venv/bin/python
"""


def column(frame: pd.DataFrame, name: str) -> list[object]:
    """A column as plain values, unknown as None."""
    return frame[name].astype(object).where(frame[name].notna(), None).tolist()


def table(frame: pd.DataFrame, *names: str) -> list[tuple[object, ...]]:
    return list(zip(*(column(frame, name) for name in names), strict=True))


def cards(comparison: Comparison) -> list[tuple[object, ...]]:
    return table(comparison.gpus, "gpu_index", "change", "memory_used_mib_delta")


def processes(comparison: Comparison) -> list[tuple[object, ...]]:
    return table(comparison.processes, "gpu_index", "pid", "change", "used_gpu_memory_mib_delta")


def pair(gpus: str, processes: str | None = None, sections: Sequence[str] = ("listed", "listed")) -> Comparison:
    """The comparison of snapshots 0 and 1 of whole prints."""
    heads = "\n".join(f"{number} 580.159.04 {section}" for number, section in enumerate(sections))
    tables = {"gpus": gpus, "snapshots": f"snapshot driver_version process_section\n{heads}"}
    if processes is not None:
        tables["processes"] = processes
    return compare_snapshots(frames_of(**tables), 0, 1)


def test_deltas_are_after_minus_before() -> None:
    gpus = compare_snapshots(frames_of(gpus=A100), 0, 1).gpus

    assert column(gpus, "memory_used_mib_delta") == [21085, 20009, 19985]
    assert column(gpus, "utilization_gpu_pct_delta") == [72, 16, 40]
    assert column(gpus, "power_draw_w_delta") == [199, 187, 110]
    assert column(gpus, "temperature_gpu_c_delta") == [16, 17, 12]
    assert column(gpus, "change") == ["matched"] * 3


def test_values_of_both_sides_keep_their_place() -> None:
    gpus = compare_snapshots(frames_of(gpus=A100), 0, 1).gpus

    assert table(gpus, "memory_used_mib_before", "memory_used_mib_after", "line_before", "line_after") == [
        (14568, 35653, 1, 4),
        (11497, 31506, 2, 5),
        (12920, 32905, 3, 6),
    ]


def test_delta_of_an_unknown_value_is_unknown() -> None:
    found = pair("snapshot gpu_index memory_used_mib\n0 0 -\n1 0 31022")

    assert table(found.gpus, "memory_used_mib_before", "memory_used_mib_delta", "used_by_job") == [(None,) * 3]


def test_growth_beyond_noise_marks_the_cards_of_the_job() -> None:
    found = pair("snapshot gpu_index memory_used_mib\n0 0 4\n0 1 4\n1 0 29\n1 1 620")

    assert column(found.gpus, "used_by_job") == [False, True]


def test_bus_id_matches_in_any_spelling_though_the_index_moved() -> None:
    found = pair("""
        snapshot gpu_index pci_bus_id       memory_used_mib
        0        0         0000:3d:00.0     10
        0        1         0000:9c:00.0     20
        1        1         00000000:3D:00.0 11
        1        0         00000000:9C:00.0 22
    """)

    assert cards(found) == [(0, "matched", 2), (1, "matched", 1)]


def test_uuid_is_stronger_than_the_slot() -> None:
    found = pair("""
        snapshot gpu_index uuid  pci_bus_id       memory_used_mib
        0        0         GPU-a 00000000:3D:00.0 10
        1        0         GPU-b 00000000:3D:00.0 11
    """)

    assert cards(found) == [(0, "vanished", None), (0, "appeared", None)]


def test_card_that_went_missing_does_not_lend_its_index() -> None:
    found = pair("""
        snapshot gpu_index pci_bus_id       memory_used_mib
        0        0         00000000:3D:00.0 10
        0        1         00000000:9C:00.0 20
        1        0         00000000:9C:00.0 22
    """)

    assert cards(found) == [(0, "matched", 2), (0, "vanished", None)]


def test_card_outside_a_print_that_may_be_cut_has_not_vanished() -> None:
    found = pair("snapshot gpu_index memory_used_mib\n0 0 10\n0 1 20\n1 0 11", sections=("listed", "absent"))

    assert cards(found) == [(0, "matched", 1), (1, "unknown", None)]


def test_card_outside_a_print_without_its_head_has_not_vanished() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 10\n0 1 20\n1 1 21",
        snapshots="snapshot driver_version process_section\n0 580.159.04 listed\n1 - listed",
    )

    assert cards(compare_snapshots(frames, 0, 1)) == [(0, "unknown", None), (1, "matched", 1)]


def test_cards_with_nothing_in_common_are_unknown() -> None:
    found = pair("snapshot uuid gpu_index memory_used_mib\n0 GPU-a - 10\n1 - 0 11")

    assert cards(found) == [(0, "unknown", None), (None, "unknown", None)]


def test_cards_that_share_an_index_are_not_matched() -> None:
    found = pair("snapshot gpu_index memory_used_mib\n0 0 10\n0 0 20\n1 0 11\n1 0 22")

    assert {change for _, change, _ in cards(found)} == {"unknown"}


def test_processes_that_come_and_go_are_named() -> None:
    found = pair(H200, H200_PROCESSES)

    assert processes(found) == [
        (0, 609, "unchanged", 0),
        (0, 812, "started", 15836),
        (0, 813, "started", 612),
        (1, 610, "unchanged", 0),
        (1, 813, "started", 15836),
    ]


def test_process_that_grows_shrinks_or_ends_is_named() -> None:
    found = pair(
        H200,
        """
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         1   100                 python
        0        0         2   100                 python
        0        0         3   100                 python
        1        0         1   150                 python
        1        0         2   70                  python
        """,
    )

    assert processes(found) == [(0, 1, "grown", 50), (0, 2, "shrunk", -30), (0, 3, "ended", -100)]


def test_pid_of_another_program_is_another_process() -> None:
    found = pair(
        H200,
        """
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         7   100                 /usr/bin/blender
        1        0         7   150                 python
        """,
    )

    assert sorted(processes(found)) == [(0, 7, "ended", -100), (0, 7, "started", 150)]
    assert sorted(column(found.processes, "process_name")) == ["/usr/bin/blender", "python"]


def test_name_cut_by_one_print_is_the_same_program() -> None:
    found = pair(
        H200,
        """
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         7   100                 ...torch/.venv/bin/python
        1        0         7   150                 /opt/torch/.venv/bin/python
        """,
    )

    assert processes(found) == [(0, 7, "grown", 50)]


def test_without_a_process_list_before_nobody_has_started() -> None:
    found = pair(H200, H200_PROCESSES.replace("\n0 ", "\n9 "), sections=("absent", "listed"))

    assert {change for _, _, change, _ in processes(found)} == {"unknown"}
    assert set(column(found.processes, "used_gpu_memory_mib_delta")) == {None}


def test_an_empty_list_beside_used_memory_is_hidden() -> None:
    found = pair(H200, H200_PROCESSES.replace("\n0 ", "\n9 "), sections=("none_found", "listed"))

    assert {change for _, _, change, _ in processes(found)} == {"unknown"}


def test_an_empty_list_on_an_idle_machine_can_be_believed() -> None:
    idle = H200.replace("14561", "0").replace("11691", "4")
    found = pair(idle, H200_PROCESSES.replace("\n0 ", "\n9 "), sections=("none_found", "listed"))

    assert {change for _, _, change, _ in processes(found)} == {"started"}


def test_a_list_with_a_line_that_could_not_be_read_may_miss_processes() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index line memory_used_mib\n0 0 9 14561\n1 0 109 16000",
        processes="snapshot gpu_index pid used_gpu_memory_mib\n0 0 609 14552\n1 0 610 700",
        problems="source line what\ngpus 120 cut in the middle of a cell",
    )
    found = compare_snapshots(frames, 0, 1)

    assert processes(found) == [(0, 609, "unknown", None), (0, 610, "unknown", None)]


def test_processes_without_sizes_cannot_be_compared() -> None:
    found = pair(
        H200,
        """
        snapshot gpu_index pid type used_gpu_memory_mib process_name
        0        0         1   C+G  -                   explorer.exe
        1        0         1   C+G  -                   explorer.exe
        1        0         2   C    -                   python.exe
        """,
    )

    assert processes(found) == [(0, 1, "unknown", None), (0, 2, "unknown", None)]


def test_process_listed_twice_is_counted_once() -> None:
    found = pair(
        H200,
        """
        snapshot gpu_index gpu_instance_id compute_instance_id pid type used_gpu_memory_mib process_name
        0        0         -               -                   1   C    100                 python
        0        0         -               -                   1   G    100                 python
        0        1         3               0                   2   C    40                  python
        0        1         3               1                   2   C    50                  python
        1        0         -               -                   1   C    130                 python
        1        1         3               0                   2   C    40                  python
        1        1         3               1                   2   C    -                   python
        """,
    )

    assert processes(found) == [(0, 1, "grown", 30), (1, 2, "unknown", None)]
    assert column(found.processes, "used_gpu_memory_mib_before") == [100, 90]


def test_processes_follow_a_card_whose_index_moved() -> None:
    found = pair(
        """
        snapshot gpu_index pci_bus_id       memory_used_mib
        0        0         00000000:3D:00.0 10
        0        1         00000000:9C:00.0 200
        1        0         00000000:9C:00.0 200
        """,
        "snapshot gpu_index pid used_gpu_memory_mib\n0 1 5 190\n1 0 5 190",
    )

    assert processes(found) == [(0, 5, "unchanged", 0)]


MODELS = """
snapshot gpu_index memory_used_mib memory_total_mib name
0        0         4               {} {}
0        1         4               {} {}
1        0         21000           81559 NVIDIA H100 80GB HBM3
1        1         20000           81559 NVIDIA H100 80GB HBM3
"""


@pytest.mark.parametrize(
    ("size", "name", "is_one_host"),
    [
        (40960, "NVIDIA A100-SXM4-40GB", False),
        (81920, "NVIDIA A100-SXM...", False),
        (81251, "NVIDIA H100 80G...", True),
        (81251, "H100 80GB HBM3", True),
        (81559, "NVlDIA H100 80GB HBM3", True),
        ("-", "-", True),
    ],
)
def test_cards_of_another_model_are_those_of_another_host(size: object, name: str, *, is_one_host: bool) -> None:
    found = compare_snapshots(frames_of(gpus=MODELS.format(size, name, size, name)), 0, 1)

    assert (found.primary is not None) is is_one_host
    assert column(found.gpus, "used_by_job") == [True if is_one_host else None] * 2


def test_print_that_shows_utilization_alone_is_neither_before_nor_after() -> None:
    frames = frames_of(
        gpus="""
        snapshot gpu_index memory_used_mib utilization_gpu_pct
        0        0         -               7
        1        0         10              0
        2        0         20              50
        3        0         -               60
        """
    )
    found = compare_run(frames)

    assert found is not None
    assert (found.before, found.after) == (1, 2)


def test_print_of_a_lost_card_is_the_last_one() -> None:
    found = compare_run(frames_of(gpus="snapshot gpu_index memory_used_mib\n0 0 10\n1 0 20\n2 0 -"))

    assert found is not None
    assert (found.before, found.after) == (0, 2)


def test_two_hosts_have_no_job_in_common() -> None:
    frames = frames_of(
        snapshots="snapshot host process_section\n0 node1 listed\n1 node2 listed",
        gpus=H200,
        processes=H200_PROCESSES,
    )
    found = compare_snapshots(frames, 0, 1)

    assert found.primary is None
    assert set(column(found.gpus, "used_by_job")) == {None}
    assert {change for _, _, change, _ in processes(found)} == {"unknown"}


SERIES = """
snapshot time                    process_section
0        2026-11-30T19:35:55.688 -
1        2026-11-30T19:36:19.728 -
10       2026-11-30T19:35:56.100 -
11       2026-11-30T19:36:19.813 -
"""
"""Cards in snapshots 0 and 1, process lists of their own beside them in 10 and 11."""


def test_process_list_taken_at_the_same_moment_belongs_to_the_cards() -> None:
    listed = H200_PROCESSES.replace("\n0 ", "\n10 ").replace("\n1 ", "\n11 ")
    frames = frames_of(snapshots=SERIES, gpus=H200, processes=with_times(listed))

    assert processes(compare_snapshots(frames, 0, 1)) == processes(pair(H200, H200_PROCESSES))


def test_process_list_of_another_moment_does_not() -> None:
    listed = with_times(H200_PROCESSES.replace("\n0 ", "\n10 ").replace("\n1 ", "\n11 "))
    frames = frames_of(snapshots=SERIES, gpus=H200, processes=listed.replace("19:36:19", "19:37:19"))

    assert {change for _, _, change, _ in processes(compare_snapshots(frames, 0, 1))} == {"unknown"}


def with_times(listed: str) -> str:
    """The table with the times of snapshots 10 and 11 before the rest of each row."""
    times = {"snapshot": "time", "10": "2026-11-30T19:35:56.100", "11": "2026-11-30T19:36:19.813"}
    split = [line.split(maxsplit=1) for line in listed.splitlines() if line.strip()]
    return "\n".join(f"{number} {times[number]} {rest}" for number, rest in split)


BY_UUID = """
snapshot gpu_uuid pid used_gpu_memory_mib process_name
0        GPU-a    609 14552               python3
0        GPU-b    610 11682               python3
"""


def test_list_by_uuid_is_placed_by_the_uuids_of_the_cards() -> None:
    frames = frames_of(gpus=H200, processes=BY_UUID, devices="gpu_index uuid\n0 GPU-b\n1 GPU-a")

    assert processes(compare_snapshots(frames, 0, 0)) == [(0, 610, "unchanged", 0), (1, 609, "unchanged", 0)]


def test_list_by_uuid_is_placed_by_the_only_memory_that_fits() -> None:
    frames = frames_of(gpus=H200, processes=BY_UUID)

    assert processes(compare_snapshots(frames, 0, 0)) == [(0, 609, "unchanged", 0), (1, 610, "unchanged", 0)]


def test_list_by_uuid_stays_unplaced_where_two_cards_fit() -> None:
    frames = frames_of(gpus=H200.replace("11691", "14570"), processes=BY_UUID)

    assert column(compare_snapshots(frames, 0, 0).processes, "gpu_index") == [None, None]


def test_elapsed_time_needs_both_times() -> None:
    heads = "snapshot time\n0 2026-11-30T19:35:52\n1 2026-11-30T19:36:19\n2 -"
    frames = frames_of(snapshots=heads, gpus=H200 + "2 0 31022\n")

    assert compare_snapshots(frames, 0, 1).elapsed_s == 27
    assert compare_snapshots(frames, 0, 2).elapsed_s is None


def test_two_captures_are_compared_from_the_first_to_the_last() -> None:
    before = frames_of(gpus="snapshot gpu_index memory_used_mib\n0 0 10\n1 0 99")
    after = frames_of(gpus="snapshot gpu_index memory_used_mib\n0 0 10\n1 0 1510\n2 0 1010")

    found = compare(before, after)

    assert found is not None
    assert (found.before, found.after, cards(found)) == (0, 2, [(0, "matched", 1000)])


def test_a_series_is_compared_at_its_fullest_because_its_job_may_have_ended() -> None:
    rows = [f"{tick} 0 {1510 if 3 <= tick < 9 else 10}" for tick in range(12)]

    found = compare_run(frames_of(gpus="snapshot gpu_index memory_used_mib\n" + "\n".join(rows)))

    assert found is not None
    assert (found.before, found.after, cards(found)) == (0, 3, [(0, "matched", 1500)])


def test_a_capture_without_cards_cannot_be_compared() -> None:
    assert compare(frames_of(gpus=H200), Frames.from_rows({})) is None
    assert compare_run(Frames.from_rows({})) is None
    assert compare_run(frames_of(gpus="snapshot gpu_index memory_used_mib\n0 0 10")) is None


def test_a_run_is_compared_from_its_first_print_to_its_last() -> None:
    # the paste of the A100 case repeats two of its cards between the two prints
    paste = (
        A100.replace("\n1 ", "\n2 ")
        + "1 3 00000000:3D:00.0 11497 26 39 25\n1 4 00000000:9C:00.0 12920 32 104 35\n"
    )

    found = compare_run(frames_of(gpus=paste))

    assert found is not None
    assert (found.before, found.after) == (0, 2)


def test_a_run_of_two_hosts_compares_the_first_one() -> None:
    frames = frames_of(gpus="snapshot host gpu_index memory_used_mib\n0 a 0 10\n1 b 0 9999\n2 a 0 20")

    found = compare_run(frames)

    assert found is not None
    assert found.after == 2


def test_frames_are_left_as_they_are() -> None:
    frames, again = (frames_of(gpus=H200, processes=H200_PROCESSES) for _ in range(2))
    compare_run(frames)

    for name in ("snapshots", "gpus", "processes"):
        pandas.testing.assert_frame_equal(getattr(frames, name), getattr(again, name))
        assert getattr(frames, name).attrs == getattr(again, name).attrs


@pytest.mark.parametrize(("last", "expected"), [(15360, [15360]), (16384, [])], ids=["agreed", "contradicted"])
def test_print_without_a_total_has_that_of_all_others(last: int, expected: list[int]) -> None:
    frames = frames_of(
        gpus=f"snapshot gpu_index memory_used_mib memory_total_mib\n0 0 10 15360\n1 0 900 -\n2 0 20 {last}"
    )

    assert list(moment_of(frames, 1).cards["memory_total_mib"].dropna()) == expected
