"""Out-of-memory messages taken apart: sizes, verdicts, and what stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from out_of_memory_rows import PRIVATE, Row, capture, cards, launch, new_wording, old_wording, process

from smianalyze import load
from smianalyze.analyses.comparison import compare_run
from smianalyze.analyses.oom_parts import Holder, OutOfMemory, out_of_memory_events
from smianalyze.analyses.out_of_memory import MAX_PLACES, out_of_memory
from smianalyze.findings import Finding
from smianalyze.frames import Frames

FIXTURES = Path(__file__).parents[2] / "fixtures"
GTX = cards(4692, 4650, 0, 0)
H200 = cards(4, 90561, total=143771)


def parts(row: Row) -> OutOfMemory:
    (oom,) = out_of_memory_events(capture([row]).events)
    return oom


def only(frames: Frames) -> Finding:
    (finding,) = out_of_memory(frames, compare_run(frames))
    return finding


def verdict(**sizes: object) -> str:
    """What the title adds to the sizes, for the old wording with other sizes."""
    return only(capture([old_wording(**sizes)])).title


def test_old_wording_gives_its_parts() -> None:
    oom = parts(old_wording())

    assert oom.shortfall_mib == pytest.approx(1167.36)
    assert oom.outside_mib == pytest.approx(593.92)
    assert oom.unused_mib == pytest.approx(40.96)


def test_new_wording_gives_its_parts() -> None:
    oom = parts(new_wording())

    assert oom.reserved_mib == pytest.approx(50268.16)
    assert oom.outside_mib == pytest.approx(91084.8)
    assert oom.others == (Holder(3784, 90552.32),)


def test_what_oldest_wordings_call_cached_is_unused() -> None:
    oom = parts(old_wording(reserved_mib=None, cached_mib=30.75))

    assert (oom.unused_mib, oom.reserved_mib) == (30.75, pytest.approx(8591.39))


def test_job_that_lists_itself_under_a_pid_of_the_host_is_no_other() -> None:
    itself = [{"pid": 21734, "mib": 52000.0}]

    assert parts(new_wording(other_processes=itself, free_mib=90000.0, process_mib=None)).others == ()


def test_unknown_sizes_stay_unknown() -> None:
    oom = parts({"kind": "oom", "line": 1, "source": "a"})

    assert (oom.shortfall_mib, oom.outside_mib, oom.unused_mib, oom.over_limit_mib) == (None, None, None, None)
    assert not oom.is_spilled


def test_sizes_that_contradict_each_other_give_no_rest() -> None:
    assert parts(old_wording(reserved_mib=11000.0)).outside_mib is None


def test_seed_of_four_cards_is_told_in_full() -> None:
    finding = only(capture([launch("2,3"), old_wording()], GTX))

    assert finding.title == (
        "GPU 2 (GPU 0 of the log) ran out of memory: 3.07 GiB asked for, 1.93 GiB free, 1.14 GiB short; "
        "fragmentation settings cannot help."
    )
    assert "0.04 GiB reserved but unused" in finding.why
    assert "0.58 GiB outside PyTorch" in finding.why
    assert "4,692 MiB on GPU 0 and 4,650 MiB on GPU 1: what is in use there does not matter" in finding.why
    assert "GPU 3 may be used too" in finding.next_step
    assert (finding.severity, finding.confidence, finding.gpus) == ("high", "high", (2,))
    assert finding.evidence == (("train.log", 2), ("train.log", 1))


def test_other_process_that_holds_the_card_is_named_with_a_free_card() -> None:
    finding = only(capture([new_wording()], H200, [process(1, 3784, 90552)]))

    assert finding.gpus == (1,)
    assert finding.title.endswith("while another process (PID 3784) held 88.43 GiB of the card.")
    assert finding.next_step.startswith("Take GPU 0, which had room")


def test_other_process_is_found_in_the_table_where_the_message_lists_none() -> None:
    message = old_wording(allocated_mib=4700.0, reserved_mib=4800.0)
    finding = only(capture([launch("0"), message], GTX, [process(0, 99, 4300)]))

    assert "another process (PID 99) held 4.20 GiB" in finding.title


@pytest.mark.parametrize(
    "listed", [process(1, 99, 4300), process(0, 99, 1000), process(0, 99, 4900), process(0, 99, None)]
)
def test_processes_that_do_not_explain_what_is_missing_are_not_blamed(listed: Row) -> None:
    message = old_wording(allocated_mib=4700.0, reserved_mib=4800.0)
    finding = only(capture([launch("0"), message], GTX, [listed]))

    assert finding.title.endswith("4.29 GiB were held outside PyTorch.")


@pytest.mark.parametrize(
    ("sizes", "ending"),
    [
        ({"tried_mib": 12000.0}, "more than the 10.91 GiB of the whole card."),
        ({"tried_mib": 1000.0}, "so the card was not full at that moment."),
        ({"allocated_mib": 7000.0}, "1.56 GiB were reserved but unused, so a fragmentation setting can help."),
        ({"allocated_mib": 12000.0, "reserved_mib": 12100.0}, "tensors held more than the card has."),
        ({"free_mib": None}, "3.07 GiB asked for."),
        ({"tried_mib": None}, "and no message says a size."),
        ({"tried_mib": 1500.0, "allowed_mib": 9000.0}, "1.08 GiB over the 8.79 GiB that the framework may take."),
        ({"allowed_mib": 9000.0}, "fragmentation settings cannot help."),
        ({"reserved_mib": None}, "1.14 GiB short."),
    ],
)
def test_verdict_follows_from_the_sizes(sizes: Row, ending: str) -> None:
    assert verdict(**sizes).endswith(ending)


@pytest.mark.parametrize(
    ("message", "setting"),
    [
        (old_wording(allocated_mib=7000.0), "`PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128`"),
        (new_wording(reserved_unallocated_mib=5e3), "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`"),
        (
            new_wording(
                reserved_unallocated_mib=5e3,
                message="HIP out of memory. … is reserved by PyTorch but unallocated.",
            ),
            "`PYTORCH_HIP_ALLOC_CONF=expandable_segments:True`",
        ),
        (old_wording(allocated_mib=7000.0, message="… cached)"), "Update PyTorch"),
    ],
)
def test_setting_is_one_that_the_version_knows(message: Row, setting: str) -> None:
    assert setting in only(capture([message])).next_step


def test_overhead_of_a_primary_card_is_the_reason_where_it_is_what_is_missing() -> None:
    before = cards(4, 4, 4, total=143771)
    after = cards(9204, 8004, 8004, total=143771, snapshot=1)
    message = old_wording(total_mib=None, tried_mib=900.0, free_mib=100.0)
    finding = only(capture([launch("0,1,2"), message], [*before, *after]))

    assert finding.title.endswith("it carries 1,200 MiB more than the job's other cards.")
    assert "primary-card-overhead" in finding.next_step


def test_ranks_that_say_the_same_are_one_finding() -> None:
    ranks = [old_wording(rank=rank, gpu_index=rank, line=2 + rank) for rank in range(8)]
    finding = only(capture([launch("4,5,6,7,8,9,10,11"), *ranks]))

    assert finding.title.startswith("GPU 4, 5, 6, 7, 8, 9, 10 and 11 (GPU 0, 1, 2, 3, 4, 5, 6 and 7 of the log)")
    assert "in 8 messages" in finding.title
    assert finding.gpus == tuple(range(4, 12))
    assert len(finding.evidence) == MAX_PLACES + 1  # and the launch line


def test_card_that_cannot_be_told_is_said_to_be_unknown() -> None:
    finding = only(capture([old_wording()], GTX))

    assert finding.title.startswith("A GPU (GPU 0 of the log) ran out of memory")
    assert "cannot be told" in finding.why
    assert finding.gpus == ()


def test_message_without_sizes_beside_one_with_sizes_is_the_same_failure() -> None:
    again = {"kind": "oom", "framework": "cuda", "source": "train.log", "line": 9}

    assert only(capture([old_wording(), again])).evidence == (("train.log", 2),)
    assert only(capture([again])).confidence == "medium"


def test_training_that_goes_on_makes_it_less_severe() -> None:
    rows = {"events": [old_wording()], "steps": [{"source": "train.log", "line": 3}]}
    finding = only(Frames.from_rows(rows))

    assert finding.severity == "medium"
    assert finding.why.endswith("The log goes on after it.")


@pytest.mark.parametrize("kind", ["oom_warning", "oom_suspected", "host_oom", "launch"])
def test_other_events_are_silent(kind: str) -> None:
    assert out_of_memory(capture([old_wording(kind=kind)], GTX), None) == []


@pytest.mark.parametrize("message", [old_wording(), new_wording(), {"kind": "oom", "message": PRIVATE, "line": 1}])
def test_texts_hold_nothing_of_the_input(message: Row) -> None:
    finding = only(capture([launch("1"), message], H200, [process(1, 3784, 90552)]))

    assert "alice" not in f"{finding.title}{finding.why}{finding.next_step}"


def test_real_log_and_table_together_tell_the_card() -> None:
    log, table = FIXTURES / "log_oom" / "h200.txt", FIXTURES / "smi_table" / "neighbour_580.txt"
    findings = load(table, log).findings()

    assert [finding.gpus for finding in findings if finding.id == "out-of-memory"] == [(1,)]
