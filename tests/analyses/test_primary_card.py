"""Which card of a job carries more than its peers, and by what mechanism; and when nothing may be said."""

from __future__ import annotations

import pytest
from text_tables import frames_of

from smianalyze.analyses.comparison import compare_run, compare_snapshots
from smianalyze.analyses.primary_card import Primary, primary_of_snapshot


def growth(*mib: int, processes: str | None = None, before: int = 0) -> Primary | None:
    """The primary card of cards 0, 1, … that grew so much; ``processes`` are those of the second print.

    Before the job there were no processes, or their list is not known if ``before`` MiB were in use.
    """
    rows = [f"0 {gpu} {before}\n1 {gpu} {before + grown}" for gpu, grown in enumerate(mib)]
    tables = {"gpus": "snapshot gpu_index memory_used_mib\n" + "\n".join(rows)}
    section = "absent" if processes is None else "listed"
    tables["snapshots"] = f"snapshot process_section\n0 {'absent' if before else 'none_found'}\n1 {section}"
    if processes is not None:
        tables["processes"] = processes
    return compare_snapshots(frames_of(**tables), 0, 1).primary


def parts(primary: Primary | None) -> tuple[object, ...] | None:
    if primary is None:
        return None
    return (primary.gpu_index, primary.overhead_mib, primary.basis, primary.mechanism)


def test_surplus_is_over_the_median_of_the_growth_of_the_others() -> None:
    frames = frames_of(
        gpus="""
        snapshot gpu_index memory_used_mib
        0        2         14568
        0        3         11497
        0        4         12920
        1        2         35653
        1        3         31506
        1        4         32905
        """
    )
    found = compare_snapshots(frames, 0, 1).primary

    assert found == Primary(
        gpu_index=2,
        peers=(3, 4),
        overhead_mib=1088,
        peer_mib=19997,
        basis="delta",
        mechanism="unknown",
        processes_known=False,
        evidence=(("gpus", 1), ("gpus", 4)),
    )


def test_context_of_another_rank_is_found_beside_other_peoples_jobs() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 14561\n0 1 11691\n1 0 31022\n1 1 27533",
        processes="""
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         609 14552               python3
        0        1         610 11682               python3
        1        0         609 14552               python3
        1        0         812 15836               python
        1        0         813 612                 python
        1        1         610 11682               python3
        1        1         813 15836               python
        """,
    )
    found = compare_snapshots(frames, 0, 1).primary

    assert found is not None
    assert parts(found) == (0, 619, "delta", "extra-contexts")
    assert (found.extra_contexts, found.expected_contexts) == (((813, 612),), 1)
    assert found.evidence == (("gpus", 1), ("gpus", 3), ("processes", 5), ("processes", 7))


THREE_CONTEXTS = """
snapshot gpu_index pid   used_gpu_memory_mib process_name
1        0         70211 22869               python
1        0         70212 1022                python
1        0         70213 1022                python
1        0         70214 1022                python
1        1         70212 22869               python
1        2         70213 22869               python
1        3         70214 22869               python
"""


def test_contexts_of_all_other_ranks_are_counted() -> None:
    found = growth(25937, 22869, 22869, 22869, processes=THREE_CONTEXTS)

    assert found is not None
    assert parts(found) == (0, 3068, "delta", "extra-contexts")
    assert found.extra_contexts == ((70212, 1022), (70213, 1022), (70214, 1022))
    assert found.expected_contexts == 3


def test_equal_ranks_have_no_primary_card() -> None:
    processes = """
    snapshot gpu_index pid  used_gpu_memory_mib process_name
    1        0         1471 15836               python
    1        1         1472 15836               python
    """
    assert growth(15842, 15842, processes=processes) is None


def test_one_process_on_all_cards_is_data_parallel() -> None:
    processes = """
    snapshot gpu_index pid  used_gpu_memory_mib process_name
    1        0         9275 4545                python
    1        1         9275 3441                python
    1        2         9275 3441                python
    """
    assert parts(growth(4550, 3446, 3446, processes=processes)) == (0, 1104, "delta", "data-parallel")


ONE_EACH = """
snapshot gpu_index pid used_gpu_memory_mib process_name
1        0         11  19000               VLLM::Worker_TP0
1        1         12  16000               VLLM::Worker_TP1
1        2         13  16000               VLLM::Worker_TP2
"""


def test_one_process_on_each_card_gathers() -> None:
    assert parts(growth(19004, 16004, 16004, processes=ONE_EACH)) == (0, 3000, "delta", "gather")


def test_further_processes_that_work_on_no_other_card_explain_nothing() -> None:
    processes = ONE_EACH + "1 0 14 700 VLLM::Worker_TP9"

    assert parts(growth(19704, 16004, 16004, processes=processes)) == (0, 3700, "delta", "unknown")


@pytest.mark.parametrize(
    ("grown", "why"),
    [
        ((16000,), "one card has no peers"),
        ((16200, 16000), "200 MiB are noise"),
        ((80000 + 1600, 80000), "2 % of the growth are noise"),
        ((20000, 16000, 19000), "the others differ as much among themselves"),
        ((24000, 11000), "two cards so unequal may be two jobs"),
        ((30000, 16000, 12000), "the others differ so much that all may be jobs of their own"),
        ((16461, 40), "a card that did not grow is no peer"),
    ],
)
def test_growth_without_a_process_list_is_silent(grown: tuple[int, ...], why: str) -> None:
    assert growth(*grown) is None, why


def test_notebook_beside_the_job_is_no_peer() -> None:
    found = growth(16461, 15842, 500)

    assert found is not None
    assert (found.gpu_index, found.peers, found.overhead_mib) == (0, (1,), 619)


def test_job_of_another_program_is_no_peer() -> None:
    processes = """
    snapshot gpu_index pid used_gpu_memory_mib process_name
    1        0         1   16000               python
    1        0         2   612                 python
    1        1         2   16000               python
    1        2         9   30000               ollama
    """
    found = growth(16616, 16004, 30004, processes=processes)

    assert found is not None
    assert (found.gpu_index, found.peers, found.overhead_mib) == (0, (1,), 612)


def test_growth_of_other_peoples_processes_is_left_out() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 5004\n0 1 4\n1 0 23004\n1 1 16004",
        processes="""
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         609 5000                python3
        1        0         609 7000                python3
        1        0         1   16000               python
        1        1         2   16000               python
        """,
        snapshots="snapshot process_section\n0 listed\n1 listed",
    )
    assert compare_snapshots(frames, 0, 1).primary is None


def test_processes_are_compared_where_another_job_ended() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 5004\n0 1 4\n1 0 16616\n1 1 16004",
        processes="""
        snapshot gpu_index pid used_gpu_memory_mib process_name
        0        0         609 5000                python3
        1        0         1   16000               python
        1        0         2   612                 python
        1        1         2   16000               python
        """,
    )
    assert parts(compare_snapshots(frames, 0, 1).primary) == (0, 612, "processes", "extra-contexts")


def test_pids_tell_the_mechanism_though_the_list_before_is_unknown() -> None:
    found = growth(25937, 22869, 22869, 22869, processes=THREE_CONTEXTS, before=5000)

    assert found is not None
    assert parts(found) == (0, 3068, "delta", "extra-contexts")
    assert found.expected_contexts is None


def test_contexts_larger_than_the_surplus_belong_to_somebody_else() -> None:
    found = growth(23869, 22869, 22869, 22869, processes=THREE_CONTEXTS, before=5000)

    assert parts(found) == (0, 1000, "delta", "unknown")


def test_cards_with_mig_are_left_out() -> None:
    frames = frames_of(
        gpus="""
        snapshot gpu_index mig_mode memory_used_mib
        0        0         Enabled  4
        0        1         Disabled 4
        1        0         Enabled  17000
        1        1         Disabled 16000
        """
    )
    assert compare_snapshots(frames, 0, 1).primary is None


def test_graphics_is_no_job() -> None:
    processes = """
    snapshot gpu_index pid type used_gpu_memory_mib process_name
    1        0         1   G    900                 Xorg
    1        1         1   G    500                 Xorg
    """
    assert primary_of_snapshot(frames_of(processes=processes), 1) is None


def test_surplus_of_one_moment_in_a_series_is_no_primary_card() -> None:
    loading = """
    snapshot gpu_index memory_used_mib
    0        0         0
    0        1         0
    1        0         16000
    1        1         16000
    2        0         16000
    2        1         16000
    3        0         17000
    3        1         16000
    """
    found = compare_run(frames_of(gpus=loading))

    assert found is not None
    assert (found.after, found.primary) == (3, None)


def test_surplus_that_lasts_in_a_series_is_a_primary_card() -> None:
    working = [f"{tick} 0 16461\n{tick} 1 15842" for tick in range(1, 10)]
    ended = "10 0 0\n10 1 0"
    steady = "\n".join(["snapshot gpu_index memory_used_mib", "0 0 0\n0 1 0", *working, ended])

    found = compare_run(frames_of(gpus=steady))

    assert found is not None
    assert parts(found.primary) == (0, 619, "delta", "unknown")


def test_one_snapshot_shows_contexts_of_other_ranks() -> None:
    found = primary_of_snapshot(frames_of(processes=THREE_CONTEXTS), 1)

    assert found is not None
    assert (found.gpu_index, found.peers, found.overhead_mib) == (0, (1, 2, 3), 3066)
    assert (found.basis, found.peer_mib, found.expected_contexts) == ("processes", 22869, None)


def test_one_snapshot_shows_one_process_on_three_cards() -> None:
    shared = """
    snapshot gpu_index pid   used_gpu_memory_mib process_name
    0        0         9275  4545                python
    0        1         9275  3441                python
    0        2         9275  3441                python
    0        1         15635 6597                python
    """
    found = primary_of_snapshot(frames_of(processes=shared), 0)

    assert parts(found) == (0, 1104, "processes", "data-parallel")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param("0 0 1 16000 python\n0 1 2 9000 python", id="two jobs of two people"),
        pytest.param("0 0 1 16000 python\n0 1 1 12000 python", id="model placed across two cards"),
        pytest.param("0 1 1 16000 python\n0 0 1 400 python", id="stray context on an unused card"),
        pytest.param("0 0 1 9000 a\n0 0 2 500 a\n0 1 2 9000 a\n0 1 1 500 a", id="each rank on each card"),
        pytest.param("0 0 1 90000 a\n0 0 2 600 a\n0 1 2 90000 a", id="under 2 % of what a rank holds"),
        pytest.param("0 0 1 - python\n0 1 1 - python\n0 2 1 - python", id="no sizes"),
    ],
)
def test_one_snapshot_that_proves_nothing_is_silent(rows: str) -> None:
    frames = frames_of(processes=f"snapshot gpu_index pid used_gpu_memory_mib process_name\n{rows}")

    assert primary_of_snapshot(frames, 0) is None
