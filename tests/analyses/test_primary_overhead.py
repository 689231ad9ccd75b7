"""The finding ``primary-card-overhead``: its number, its cause, and a next step that fits the cause."""

from __future__ import annotations

from text_tables import frames_of

from smianalyze.analyses.comparison import Comparison, compare_run
from smianalyze.analyses.primary_overhead import primary_card_overhead
from smianalyze.findings import Finding
from smianalyze.frames import Frames

CARDS = "snapshot gpu_index memory_used_mib"
RANKS = "snapshot gpu_index pid used_gpu_memory_mib process_name"


def found(frames: Frames, comparison: Comparison | None = None) -> Finding:
    (finding,) = primary_card_overhead(frames, comparison or compare_run(frames))
    return finding


def idle_then(gpus: str, processes: str) -> Frames:
    """Idle cards before, these cards and processes after."""
    before = "\n".join("0 " + " ".join(row.split()[1:2]) + " 4" for row in gpus.splitlines())
    return frames_of(
        gpus=f"{CARDS}\n{before}\n{gpus}",
        processes=f"{RANKS}\n{processes}",
        snapshots="snapshot process_section\n0 none_found\n1 listed",
    )


CONTEXT = idle_then("1 0 16616\n1 1 16004", "1 0 1 16000 python\n1 0 2 612 python\n1 1 2 16000 python")


def test_extra_context_asks_for_set_device() -> None:
    finding = found(CONTEXT)

    assert finding.title == (
        "GPU 0 grew by 612 MiB more than GPU 1, because PID 2, which works on another card, "
        "also opened a context on it (612 MiB)."
    )
    assert "The other rank did." in finding.why
    assert "torch.cuda.set_device(local_rank)" in finding.next_step
    assert (finding.gpus, finding.severity, finding.confidence) == ((0,), "medium", "high")


def test_overhead_of_a_tenth_is_high() -> None:
    ranks = "1 0 1 6000 python\n1 0 2 612 python\n1 1 2 6000 python"

    assert found(idle_then("1 0 6616\n1 1 6004", ranks)).severity == "high"


def test_data_parallel_asks_for_distributed() -> None:
    process = "1 0 1 4545 python\n1 1 1 3441 python\n1 2 1 3441 python"
    finding = found(idle_then("1 0 4549\n1 1 3445\n1 2 3445", process))

    assert "DistributedDataParallel" in finding.next_step
    assert finding.title.startswith("GPU 0 grew by 1,104 MiB more than the median of GPU 1 and 2,")


def test_gathering_rank_asks_to_gather_on_the_cpu() -> None:
    ranks = "1 0 1 19000 python\n1 1 2 16000 python\n1 2 3 16000 python"
    finding = found(idle_then("1 0 19004\n1 1 16004\n1 2 16004", ranks))

    assert "Gather on the CPU" in finding.next_step
    assert finding.confidence == "medium"


def test_no_process_list_asks_for_one() -> None:
    finding = found(frames_of(gpus=f"{CARDS}\n0 0 0\n0 1 0\n0 2 0\n1 0 21000\n1 1 20000\n1 2 20000"))

    assert "process table" in finding.next_step
    assert (finding.severity, finding.confidence) == ("medium", "medium")


def test_list_that_explains_nothing_is_not_asked_for_again() -> None:
    ranks = "1 0 1 19000 python\n1 0 4 900 python\n1 1 2 16000 python\n1 2 3 16000 python"
    finding = found(idle_then("1 0 19904\n1 1 16004\n1 2 16004", ranks))

    assert "what runs on this card only" in finding.next_step


def test_two_cards_without_a_process_list_are_a_weak_case() -> None:
    finding = found(frames_of(gpus=f"{CARDS}\n0 0 0\n0 1 0\n1 0 16461\n1 1 15842"))

    assert (finding.severity, finding.confidence) == ("low", "low")


def test_one_snapshot_says_that_it_shows_no_growth() -> None:
    finding = found(frames_of(processes=f"{RANKS}\n0 0 1 16000 a\n0 0 2 612 a\n0 1 2 16000 a"))

    assert "One snapshot shows no growth" in finding.why
    assert finding.title.startswith("GPU 0 carries 612 MiB more than GPU 1,")


def test_processes_of_the_job_are_named_as_the_basis() -> None:
    frames = frames_of(
        gpus=f"{CARDS}\n0 0 5004\n0 1 4\n1 0 16616\n1 1 16004",
        processes=f"{RANKS}\n0 0 9 5000 b\n1 0 1 16000 a\n1 0 2 612 a\n1 1 2 16000 a",
    )

    assert "the job's processes are compared" in found(frames).why


def test_old_contexts_of_other_people_are_not_blamed_on_an_equal_job() -> None:
    others = "{0} 0 8 9000 b\n{0} 0 9 600 b\n{0} 1 9 9000 b\n"
    frames = frames_of(
        gpus=f"{CARDS}\n0 0 9604\n0 1 9004\n1 0 25604\n1 1 25004",
        processes=f"{RANKS}\n{others.format(0)}{others.format(1)}1 0 1 16000 a\n1 1 2 16000 a",
    )

    assert primary_card_overhead(frames, compare_run(frames)) == []


def test_job_that_runs_in_both_snapshots_is_judged_by_its_processes() -> None:
    rows = "{0} 0 1 16000 a\n{0} 0 2 612 a\n{0} 1 2 16000 a\n"
    frames = frames_of(
        gpus=f"{CARDS}\n0 0 16616\n0 1 16004\n1 0 16616\n1 1 16004",
        processes=f"{RANKS}\n{rows.format(0)}{rows.format(1)}",
    )

    assert found(frames).title.startswith("GPU 0 carries 612 MiB more")


def test_nothing_at_all_is_silent() -> None:
    assert primary_card_overhead(Frames.from_rows({}), None) == []
