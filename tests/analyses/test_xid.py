"""Xid messages: what a number means, whose fault it is, and on which card."""

from __future__ import annotations

import pytest
from fixture_pairs import FIXTURES
from text_tables import frames_of

from smianalyze import load
from smianalyze.analyses.messages import MAX_PLACES
from smianalyze.analyses.xid import FAULTS, REMEDIES, xid
from smianalyze.analyses.xid_catalogue import XIDS
from smianalyze.findings import Finding
from smianalyze.frames import Frames

TWO_CARDS = """
snapshot gpu_index pci_bus_id       memory_used_mib
0        0         00000000:3B:00.0 10
0        1         00000000:5E:00.0 10
"""


def told(*rows: str, gpus: str = TWO_CARDS) -> Frames:
    return frames_of(gpus=gpus, events="kind pci_bus_id pid code message\n" + "\n".join(rows))


def found(*rows: str) -> list[Finding]:
    return xid(told(*rows), None)


@pytest.mark.parametrize(
    ("number", "severity", "confidence", "fault"),
    [
        (13, "medium", "medium", "fault of the job"),
        (31, "medium", "medium", "fault of the job"),
        (43, "medium", "medium", "fault of the job"),
        (48, "high", "high", "fault of the card"),
        (63, "low", "high", "fault of the card"),
        (74, "high", "high", "connection between cards"),
        (79, "high", "high", "fault of the card"),
        (94, "high", "high", "fault of the card"),
        (119, "high", "high", "fault of the driver"),
        (9999, "medium", "low", "cannot be told"),
    ],
)
def test_number_says_whose_fault_it_is(number: int, severity: str, confidence: str, fault: str) -> None:
    (finding,) = found(f"xid 0000:5e:00 77 {number} NVRM: Xid")

    assert (finding.gpus, finding.severity, finding.confidence) == ((1,), severity, confidence)
    assert fault in finding.why
    assert "PID 77" in finding.why


def test_title_holds_card_number_and_meaning() -> None:
    (finding,) = found("xid 0000:5e:00 - 79 NVRM: Xid of alice")

    assert finding.title == "GPU 1: Xid 79, the card has fallen off the bus: the host cannot reach it any more."
    assert finding.next_step.startswith("Reboot the host")
    assert finding.evidence == (("events", 1),)


def test_card_that_no_print_lists_is_named_by_its_pci_bus() -> None:
    (finding,) = xid(told("xid 0000:cb:00 - 31 NVRM: Xid", "xid 0000:5e:00 - 31 NVRM: Xid"), None)

    assert finding.title.startswith("GPU 1 and the GPU on PCI bus cb: Xid 31 (2 messages), ")
    assert finding.gpus == (1,)


def test_repeated_message_is_one_finding() -> None:
    (finding,) = found(*["xid 0000:3b:00 - 31 NVRM: Xid"] * 300)

    assert "Xid 31 (300 messages)" in finding.title
    assert len(finding.evidence) == MAX_PLACES


@pytest.mark.parametrize("follower", [45, 154])
def test_follower_is_told_only_where_it_is_alone(follower: int) -> None:
    first, same = "xid 0000:3b:00 - 48 NVRM: Xid", f"xid 0000:3b:00 - {follower} NVRM: Xid"
    elsewhere = f"xid 0000:5e:00 - {follower} NVRM: Xid"

    assert [finding.title.split(",")[0] for finding in found(first, same)] == ["GPU 0: Xid 48"]
    assert {finding.gpus for finding in found(first, elsewhere)} == {(0,), (1,)}


@pytest.mark.parametrize(
    ("asked", "step"),
    [
        ("GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", "Reboot the host"),
        ("GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", "Stop the programs"),
        ("GPU recovery action changed from 0x0 (None) to 0x3 (Drain P2P)", "End the jobs"),
    ],
)
def test_recovery_that_the_driver_asks_for_is_the_next_step(asked: str, step: str) -> None:
    (finding,) = found(f"xid 0000:3b:00 - 154 NVRM: Xid {asked}")

    assert finding.next_step.startswith(step)


def test_mistake_of_a_job_on_a_broken_card_may_be_the_cards() -> None:
    by_number = {
        finding.title.split(",")[0]: finding for finding in found(*(f"xid 0000:3b:00 - {n} x" for n in (13, 79)))
    }

    assert by_number["GPU 0: Xid 13"].confidence == "low"
    assert "the card also reported Xid 79 and may be the cause" in by_number["GPU 0: Xid 13"].why
    assert by_number["GPU 0: Xid 79"].confidence == "high"
    assert {one.confidence for one in found("xid 0000:3b:00 - 13 x", "xid 0000:5e:00 - 79 x")} == {
        "medium",
        "high",
    }


def test_reset_names_the_card_where_there_is_one() -> None:
    one, two = "xid 0000:3b:00 - 95 NVRM", "xid 0000:5e:00 - 95 NVRM"

    assert "-i 0`" in found(one)[0].next_step
    assert "-i NUMBER`" in found(one, two)[0].next_step


@pytest.mark.parametrize("row", ["xid 0000:3b:00 - - NVRM", "nccl_error - - ncclRemoteError x", "oom - - 48 x"])
def test_unknown_numbers_and_other_messages_are_silent(row: str) -> None:
    assert found(row) == []


def test_real_kernel_log_gives_one_finding_a_number() -> None:
    titles = [finding.title for finding in xid(load(FIXTURES / "log_failure" / "xid.txt").frames, None)]

    assert [title.split(",")[0] for title in titles] == [
        "The GPU on PCI bus cb: Xid 13",
        "The GPU on PCI bus 3d: Xid 31",
        "The GPU on PCI bus 39: Xid 43",
        "The GPU on PCI bus cb: Xid 79",
        "The GPU on PCI bus 9c: Xid 94",
        "The GPU on PCI bus cb: Xid 109",
    ]


def test_each_entry_of_the_catalogue_can_be_told() -> None:
    assert {meant.fault for meant in XIDS.values()} <= set(FAULTS)
    assert {meant.remedy for meant in XIDS.values()} <= set(REMEDIES)
