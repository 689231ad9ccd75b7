"""Memory in use against the listed processes; what is usual, what is hidden, what cannot be told."""

from __future__ import annotations

import pandas as pd
import pytest
from text_tables import frames_of

from smianalyze.analyses import memory_accounting
from smianalyze.analyses.memory_accounting import accounting, accounting_of, explained_memory
from smianalyze.findings import Finding
from smianalyze.frames import Frames


def one_card(card: str, sizes: str = "", *, section: str | None = None, **columns: str) -> Frames:
    """One snapshot of one card with these values, and one process a size; ``-`` is an unknown size."""
    names = " ".join(columns)
    rows = "\n".join(f"0 0 {100 + number} {mib}" for number, mib in enumerate(sizes.split()))
    word = section or ("listed" if sizes else "none_found")
    tables = {
        "snapshots": f"snapshot process_section\n0 {word}",
        "gpus": f"snapshot gpu_index {names} memory_used_mib\n0 0 {' '.join(columns.values())} {card}",
    }
    if sizes:
        tables["processes"] = f"snapshot gpu_index pid used_gpu_memory_mib\n{rows}"
    return frames_of(**tables)


def said(frames: Frames) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(finding.id, finding.severity, finding.gpus) for finding in explained_memory(frames, None)]


def only(frames: Frames) -> Finding:
    (finding,) = explained_memory(frames, None)
    return finding


def test_process_without_a_readable_pid_leaves_the_sum_unknown() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 24000",
        processes="snapshot gpu_index pid used_gpu_memory_mib\n0 0 1 8000\n0 0 - 16000",
    )

    assert explained_memory(frames, None) == []


def test_idle_line_of_pmon_is_no_process() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 4\n0 1 8004",
        processes="snapshot gpu_index pid used_gpu_memory_mib\n0 0 - -\n0 1 1 8000",
    )

    assert accounting(frames)["processes"].tolist() == [0, 1]


def test_processes_on_an_unknown_card_leave_no_card_unexplained() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 8000\n0 1 9000",
        processes="snapshot gpu_uuid pid used_gpu_memory_mib\n0 GPU-a 1 7990\n0 GPU-b 2 8990",
    )

    assert explained_memory(frames, None) == []


def test_list_with_a_line_that_could_not_be_read_is_not_judged() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index line memory_used_mib\n0 0 9 24310",
        processes="snapshot gpu_index line pid used_gpu_memory_mib\n0 0 20 1 8120",
        problems="source line what\ngpus 21 cut in the middle of a cell",
    )

    assert explained_memory(frames, None) == []


def test_each_part_of_the_memory_is_accounted_for() -> None:
    frames = frames_of(
        gpus="""
        snapshot gpu_index memory_total_mib memory_reserved_mib memory_used_mib memory_free_mib
        0        0         143771           616                 31022           112133
        """,
        processes="""
        snapshot gpu_index pid used_gpu_memory_mib
        0        0         609 14552
        0        0         812 15836
        0        0         813 612
        """,
    )
    row = accounting(frames).iloc[0]

    assert (row["processes"], row["processes_mib"], row["unattributed_mib"]) == (3, 31000, 22)
    assert row["balance_mib"] == 0


def test_reserved_memory_that_is_counted_as_used_is_no_mystery() -> None:
    # before driver 510: used + free = total, though some is reserved
    old = one_card("8500", "8000", memory_total_mib="16000", memory_reserved_mib="480", memory_free_mib="7500")
    row = accounting(old).iloc[0]

    assert (row["unattributed_mib"], row["balance_mib"]) == (20, 0)


def test_sum_with_an_unknown_size_is_unknown() -> None:
    row = accounting(one_card("9000", "100 -")).iloc[0]

    assert pd.isna(row["processes_mib"])
    assert pd.isna(row["unattributed_mib"])
    assert (row["processes"], row["sized"]) == (2, 1)


def test_without_a_list_there_is_no_number_of_processes() -> None:
    row = accounting(one_card("9000", section="absent")).iloc[0]

    assert pd.isna(row["processes"])


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        (one_card("0"), "idle"),
        (one_card("25"), "idle, with what the driver keeps"),
        (one_card("31075", "31000"), "75 MiB are usual"),
        (one_card("11125", "3691 3680 3681"), "MIG and several processes"),
        (one_card("2127", "1653", display_active="On"), "a display"),
        (one_card("31653", "31090", name="V100D-32Q"), "a vGPU"),
        (one_card("571", section="none_found", display_active="On"), "a desktop under WSL"),
        (one_card("9000", section="absent"), "no process box in the print"),
        (one_card("9000", section="foreign"), "process box of another tool"),
        (one_card("9000", "100 -"), "one size is unknown"),
        (one_card("-", "100"), "used memory is unknown"),
        (Frames.from_rows({}), "nothing"),
    ],
)
def test_healthy_memory_is_silent(frames: Frames, why: str) -> None:
    assert explained_memory(frames, None) == [], why


def test_memory_beyond_the_listed_processes_is_named() -> None:
    finding = only(one_card("24310", "8120", memory_total_mib="81920"))

    assert finding.title == (
        "GPU 0 holds 16,190 MiB beyond the listed processes: 24,310 MiB are in use, "
        "and the table lists 8,120 MiB of that."
    )
    assert "Up to 132 MiB is usual" in finding.why
    assert (finding.severity, finding.evidence) == ("medium", (("gpus", 1),))


def test_card_without_a_process_beside_a_listed_one_is_named() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_total_mib memory_used_mib\n0 0 11264 10669\n0 1 11264 155",
        processes="snapshot gpu_index pid used_gpu_memory_mib\n0 0 1 10659",
    )

    assert said(frames) == [("unattributed-memory", "low", (1,))]
    assert "the table lists no process" in only(frames).title


def test_cards_of_one_severity_share_a_finding() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_total_mib memory_used_mib\n0 0 11264 10669\n0 1 11264 155\n0 2 11264 160",
        processes="snapshot gpu_index pid used_gpu_memory_mib\n0 0 1 10659",
    )

    assert only(frames).title.startswith("GPU 1 and 2 hold 155 to 160 MiB each beyond the listed processes")


@pytest.mark.parametrize("section", ["none_found", "empty", "not_supported"])
def test_used_memory_without_any_process_is_hidden_not_free(section: str) -> None:
    finding = only(one_card("13017", section=section))

    assert (finding.id, finding.severity, finding.gpus) == ("process-table-hidden", "low", (0,))
    assert finding.title == "13,017 MiB are in use on GPU 0, yet the process table lists no process."
    assert "--pid=host" in finding.next_step


def test_processes_without_sizes_are_a_limit_of_the_print() -> None:
    finding = only(one_card("1575", "- - -", driver_model="WDDM"))

    assert (finding.id, finding.severity) == ("process-table-hidden", "info")
    assert "no memory for any process" in finding.title


def test_cards_of_one_hidden_list_share_a_finding() -> None:
    frames = frames_of(
        gpus="snapshot gpu_index memory_used_mib\n0 0 9000\n0 1 4\n0 2 8000",
        snapshots="snapshot process_section\n0 none_found",
    )

    assert said(frames) == [("process-table-hidden", "low", (0, 2))]
    assert only(frames).title.startswith("17,000 MiB are in use on GPU 0 and 2,")


def series(*used: int) -> Frames:
    """A process of 8000 MiB on a card with so much in use, one print each."""
    numbers = range(len(used))
    cards = "\n".join(f"{number} 0 {mib}" for number, mib in zip(numbers, used, strict=True))
    processes = "\n".join(f"{number} 0 1 8000" for number in numbers)
    return frames_of(
        gpus=f"snapshot gpu_index memory_used_mib\n{cards}",
        processes=f"snapshot gpu_index pid used_gpu_memory_mib\n{processes}",
    )


def test_one_print_of_a_series_may_catch_a_process_that_ends() -> None:
    assert said(series(8010, 8010, 8010, 16000)) == []


def test_memory_that_stays_is_named_once_with_its_last_print() -> None:
    finding = only(series(8010, 16000, 16000, 16500))

    assert finding.title.startswith("GPU 0 holds 8,500 MiB beyond")
    assert finding.evidence == (("gpus", 4),)


def test_memory_that_was_freed_again_is_silent() -> None:
    assert said(series(16000, 16000, 16000, 8010)) == []


def test_second_of_two_prints_counts_alone() -> None:
    assert said(series(8010, 16000)) == [("unattributed-memory", "low", (0,))]


LONG = {
    "snapshots": "snapshot process_section\n0 listed\n1 listed\n2 none_found\n3 listed\n4 listed\n5 listed",
    "gpus": "snapshot gpu_index memory_used_mib memory_total_mib\n"
    + "\n".join(
        f"{print_} {card} {8000 + 900 * card * (print_ != 2)} 16000" for print_ in range(6) for card in (0, 1)
    ),
    "processes": "snapshot gpu_index pid used_gpu_memory_mib\n"
    + "\n".join(f"{print_} {card} {1 + card} 7990" for print_ in range(6) for card in (0, 1) if print_ != 2),
}


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_pieces_of_a_series_say_what_the_whole_says(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explained_memory(frames_of(**LONG), None)
    monkeypatch.setattr(memory_accounting, "PIECE_ROWS", rows)

    assert explained_memory(frames_of(**LONG), None) == whole
    assert [finding.gpus for finding in whole] == [(1,)]


def test_accounting_of_a_print_is_that_of_the_whole() -> None:
    frames = frames_of(**LONG)
    whole = accounting(frames)

    for number in range(6):
        rows = whole[whole["snapshot"].eq(number)].reset_index(drop=True)
        pd.testing.assert_frame_equal(accounting_of(frames, number), rows, check_dtype=False)
