"""Memory of a card that lost data, and what only looks like it."""

from __future__ import annotations

import pytest
from text_tables import frames_of

from smianalyze.analyses.ecc_errors import ecc_errors
from smianalyze.findings import Finding
from smianalyze.frames import Frames


def found(table: str) -> list[Finding]:
    return ecc_errors(frames_of(gpus=table), None)


def flagged(**flags: list[str | None]) -> list[Finding]:
    """Findings of two cards of which ``-q`` prints these fields."""
    rows = [
        {"snapshot": 0, "gpu_index": card, "source": "q.txt", "line": 9 + card}
        | {name: values[card] for name, values in flags.items()}
        for card in range(2)
    ]
    return ecc_errors(Frames.from_rows({"gpus": rows}), None)


def test_uncorrected_errors_are_told_with_their_card() -> None:
    (finding,) = found("snapshot gpu_index ecc_errors\n0 0 0\n0 1 2")

    assert finding.title == "GPU 1 lost data in its memory: 2 uncorrected errors since its driver was loaded."
    assert (finding.severity, finding.gpus, finding.evidence) == ("high", (1,), (("gpus", 2),))
    assert "--gpu-reset -i 1`" in finding.next_step


def test_errors_that_came_during_the_recording_are_told_with_the_print_that_shows_them_first() -> None:
    (finding,) = found("snapshot gpu_index ecc_double_bit\n0 1 1\n1 1 1\n2 1 4\n3 1 4")

    assert "4 uncorrected errors since its driver was loaded, 3 of them during this recording." in finding.title
    assert finding.evidence == (("gpus", 1), ("gpus", 3), ("gpus", 4))


def test_several_inputs_about_one_card_are_one_finding() -> None:
    (finding,) = found("snapshot gpu_index ecc_errors source\n0 0 1 a.txt\n1 0 1 b.txt\n2 0 2 b.txt")

    assert "2 uncorrected errors" in finding.title
    assert {place.source for place in finding.evidence} == {"b.txt"}


def test_counter_of_a_part_counts_where_the_total_is_not_printed() -> None:
    (finding,) = flagged(ecc_errors_uncorrected_volatile_dram=[0, 1])

    assert finding.gpus == (1,)


@pytest.mark.parametrize(
    ("flag", "severity"),
    [
        ("remapped_rows_pending", "medium"),
        ("retired_pages_pending", "medium"),
        ("remapped_rows_failure", "high"),
        ("ecc_errors_uncorrected_aggregate_sram_thresholdexceeded", "high"),
    ],
)
def test_repair_that_waits_or_failed_is_told(flag: str, severity: str) -> None:
    (finding,) = flagged(**{flag: ["No", "Yes"]})

    assert (finding.severity, finding.gpus, finding.evidence) == (severity, (1,), (("q.txt", 10),))
    assert finding.title.startswith("GPU 1: ")


def test_both_waiting_flags_are_one_finding() -> None:
    assert len(flagged(remapped_rows_pending=["Yes", "No"], retired_pages_pending=["No", "Yes"])) == 1


@pytest.mark.parametrize(
    "table",
    [
        "snapshot gpu_index ecc_errors\n0 0 0\n0 1 -",
        "snapshot gpu_index ecc_single_bit\n0 0 9",
        "snapshot gpu_index memory_used_mib\n0 0 9",
    ],
)
def test_cards_without_errors_or_with_repaired_ones_are_silent(table: str) -> None:
    assert found(table) == []


def test_flags_that_are_not_set_and_errors_of_earlier_years_are_silent() -> None:
    assert flagged(remapped_rows_pending=["No", None], ecc_errors_uncorrected_aggregate_dram=[5, 5]) == []
