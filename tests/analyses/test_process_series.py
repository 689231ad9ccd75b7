"""When each process was seen and the most that it held."""

from __future__ import annotations

from text_tables import frames_of

from smianalyze.analyses.over_time import OverTime

RUN = frames_of(
    gpus="""
    snapshot gpu_index memory_total_mib time
    0        0         80000            2026-11-30T19:00:00
    1        0         80000            2026-11-30T19:00:01
    2        0         80000            2026-11-30T19:00:02
    """,
    processes="""
    snapshot gpu_index pid  used_gpu_memory_mib time                process_name
    0        0         7    600                 2026-11-30T19:00:00 python
    1        0         7    20000               2026-11-30T19:00:01 python
    1        0         8    100                 2026-11-30T19:00:01 Xorg
    2        0         7    -                   2026-11-30T19:00:02 -
    2        0         8    100                 2026-11-30T19:00:02 train
    2        0         -    -                   2026-11-30T19:00:02 -
    """,
)


def test_first_and_last_time_and_the_peak() -> None:
    rows = OverTime(RUN).processes.set_index(["pid", "process_name"])
    python = rows.loc[(7, "python")]

    assert (python["prints"], python["peak_mib"], python["peak_share"]) == (3, 20000, 0.25)
    assert [f"{python[name]:%S}" for name in ("first_seen", "last_seen")] == ["00", "02"]


def test_a_pid_of_two_programs_is_two_processes() -> None:
    assert [(row.pid, row.process_name) for row in OverTime(RUN).processes.itertuples()] == [
        (7, "python"),
        (8, "Xorg"),
        (8, "train"),
    ]


def test_a_size_that_is_never_known_stays_unknown() -> None:
    rows = OverTime(frames_of(processes="snapshot gpu_index pid used_gpu_memory_mib process_name\n0 0 7 - a"))

    assert rows.processes[["peak_mib", "total_mib", "peak_share"]].isna().all(axis=None)


def test_inputs_that_name_a_process_in_other_words_tell_of_one() -> None:
    rows = OverTime(
        frames_of(
            gpus="snapshot gpu_index uuid pci_bus_id\n0 0 GPU-a 00000000:01:00.0",
            processes="""
            snapshot gpu_index gpu_uuid pid used_gpu_memory_mib process_name
            0        0         -        7   500                 python
            1        -         GPU-a    7   600                 /opt/torch/bin/python
            """,
        )
    ).processes

    assert rows[["pid", "process_name", "prints", "peak_mib"]].to_numpy().tolist() == [
        [7, "/opt/torch/bin/python", 2, 600]
    ]
