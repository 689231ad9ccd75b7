from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze
from smianalyze.formats.csv_cells import LINES
from smianalyze.formats.csv_header import MAY_BE_HEADER, header_of
from smianalyze.formats.csv_reader import SINCE_1970, STRAY
from smianalyze.formats.csv_ticks import BY_ORDER, WHICH_GPU
from smianalyze.formats.format import Reading, Row
from smianalyze.formats.query_csv import FORMAT, format_for
from smianalyze.repair import Line

ROOT = Path(__file__).resolve().parents[2]
REAL = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "corpus" / "h200"
PLACE = {"line", "snapshot"}
MOVING = (
    "line",
    "time",
    "power_draw",
    "temperature",
    "clocks_current",
)  # differ between two prints of a quarter second

with_real_captures = pytest.mark.skipif(
    not REAL.exists(), reason="the shared corpora are not beside this checkout"
)


@pytest.mark.parametrize("capture", captures("query_csv"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def read(text: str, *, columns: list[str] | None = None, open_end: bool = False) -> Reading:
    lines = [Line(number, line, "") for number, line in enumerate(text.split("\n"), 1)]
    return format_for(columns, open_end=open_end).read(lines)


def values(reading: Reading, frame: str = "gpus") -> list[Row]:
    """What is known of each row, without its place."""
    rows = reading.rows.get(frame, [])
    return [{k: v for k, v in row.items() if v is not None and k not in PLACE | {"time"}} for row in rows]


def snapshots(reading: Reading, frame: str = "gpus") -> list[object]:
    return [row["snapshot"] for row in reading.rows[frame]]


def rows_at(*seconds: float) -> str:
    """Rows of a query of times and memory alone."""
    times = [f"2026/03/02 09:15:{second:06.3f}, {number} MiB" for number, second in enumerate(seconds)]
    return "\n".join(["timestamp, memory.used [MiB]", *times, ""])


@pytest.mark.parametrize(
    "word",
    [
        *("[N/A]", "N/A", "[Not Supported]", "[Unknown Error]", "[GPU is lost]", "[GPU requires reset]", ""),
        *("[Not Found]", "[Insufficient Permissions]", "[Requested functionality has been deprecated]", "ERR!"),
        "[a word of a driver to come]",
    ],
)
def test_unknown_is_unknown_however_it_is_spelled(word: str) -> None:
    reading = read(f"index, name, fan.speed [%], power.draw [W]\n0, {word}, {word}, 33.10 W\n")

    assert values(reading) == [{"gpu_index": 0, "power_draw_w": 33.1}]
    assert reading.rows["gpus"][0]["fan_speed_pct"] is None
    assert reading.problems == []


@pytest.mark.parametrize("separator", [", ", ",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_any_separator_and_quotes_are_read_alike(separator: str, quote: str) -> None:
    names = ["timestamp", "index", "name", "memory.used [MiB]"]
    cells = ["2026/03/02 09:15:20.101", "0", "Tesla T4", "1512 MiB"]
    text = "\n".join(separator.join(f"{quote}{cell}{quote}" for cell in line) for line in (names, cells))

    assert values(read(text)) == [{"gpu_index": 0, "name": "Tesla T4", "memory_used_mib": 1512}]


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("index;power.draw [W]\n0;341,22 W\n", 341.22),
        ("index\tpower.draw [W]\n0\t341,22\n", 341.22),
        ("index, power.draw [W]\n0, 1,341 W\n", None),  # one and a third, or a thousand
        ("index;power.draw [W]\n0;1.341,22 W\n", None),
    ],
)
def test_decimal_comma_is_read_where_commas_do_not_separate(text: str, power: float | None) -> None:
    rows = values(read(text))

    assert [row.get("power_draw_w") for row in rows] == ([power] if power else [])


def test_whole_number_with_a_point_is_whole() -> None:
    assert values(read("index,memory.used\n0.0,1512.0\n")) == [{"gpu_index": 0, "memory_used_mib": 1512}]


def test_broken_number_of_whole_things_is_no_number() -> None:
    reading = read("timestamp;index;memory.used [MiB]\n2026/03/02 09:15:20,101;0;20.113 MiB\n")

    assert values(reading) == [{"gpu_index": 0}]
    assert len(reading.problems) == 1


def test_other_unit_than_that_of_the_column_is_no_value() -> None:
    reading = read("timestamp, index, memory.used [MiB]\n2026/03/02 09:15:20.101, 0, 2 GiB\n")

    assert values(reading) == [{"gpu_index": 0}]
    assert [problem.line for problem in reading.problems] == [2]


def test_row_with_a_cell_too_few_is_a_problem_and_no_row() -> None:
    text = "timestamp, index, temperature.gpu, utilization.gpu [%]\n2026/03/02 09:15:20.101, 0, 93 %\n"

    assert values(read(text)) == []
    assert "3 values under 4 names" in read(text).problems[0].what


def test_name_with_separators_is_told_by_the_cells_around_it() -> None:
    text = "index, name, memory.used [MiB]\n0, Maker, Special, 24 GB, 12 MiB\n"

    assert values(read(text)) == [{"gpu_index": 0, "name": "Maker, Special, 24 GB", "memory_used_mib": 12}]


def test_two_names_that_may_hold_the_separator_make_a_problem() -> None:
    text = "timestamp, name, vbios_version, memory.used [MiB]\n2026/03/02 09:15:20.101, A, B, C, 12 MiB\n"

    assert values(read(text)) == []
    assert len(read(text).problems) == 1


def test_number_without_its_unit_may_be_cut() -> None:
    reading = read("timestamp, memory.used [MiB]\n2026/03/02 09:15:20.101, 151 MiB\n2026/03/02 09:15:21.101, 15\n")

    assert [row.get("memory_used_mib") for row in reading.rows["gpus"]] == [151]
    assert [problem.line for problem in reading.problems] == [3]


@pytest.mark.parametrize(
    ("last", "known"),
    [
        (
            "2026/03/02 09:15:20.101, 0, 93 %, 1512 MiB",
            {"gpu_index": 0, "utilization_gpu_pct": 93, "memory_used_mib": 1512},
        ),
        ("2026/03/02 09:15:20.101, 0, 93 %, [N/A]", {"gpu_index": 0, "utilization_gpu_pct": 93}),
        ("2026/03/02 09:15:20.101, 0, 93 %, 1512 Mi", {"gpu_index": 0, "utilization_gpu_pct": 93}),
        ("2026/03/02 09:15:20.101, 0, 93 %, 15", {"gpu_index": 0, "utilization_gpu_pct": 93}),
        ("2026/03/02 09:15:20.101, 0, 93, 1512", {"gpu_index": 0, "utilization_gpu_pct": 93}),
        ("2026/03/02 09:15:20.101, 0, 9", {"gpu_index": 0}),
        ("2026/03/02 09:15:20.1", None),
        ("2026/03/0", None),
    ],
)
def test_last_value_of_a_text_without_a_line_end_may_be_cut(last: str, known: Row | None) -> None:
    header = "timestamp, index, utilization.gpu [%], memory.used [MiB]\n"
    reading = read(header + last, open_end=True)

    assert values(reading) == ([] if known is None else [known])


def test_cut_anywhere_changes_no_value() -> None:
    text = (FIXTURES / "query_csv" / "h200.csv").read_text(encoding="utf-8")
    whole = values(read(text))
    start = text.index("\n") + 1

    for end in range(start, len(text)):
        cut = values(read(text[:end], open_end=True))
        assert all(row.items() <= full.items() for row, full in zip(cut, whole, strict=False)), text[:end]


def test_units_make_no_difference() -> None:
    header = (FIXTURES / "query_csv" / "h200.csv").read_text(encoding="utf-8").split("\n")[0]
    columns = [cell.partition(" [")[0] for cell in header.split(", ")]
    with_units = read((FIXTURES / "query_csv" / "h200.csv").read_text(encoding="utf-8"))
    bare = read((FIXTURES / "query_csv" / "bare.csv").read_text(encoding="utf-8"), columns=columns)

    assert [{k: v for k, v in row.items() if not k.startswith(MOVING)} for row in values(bare)] == [
        {k: v for k, v in row.items() if not k.startswith(MOVING)} for row in values(with_units)
    ]
    assert [row["power_draw_w"] for row in values(bare)] == [480.66, 509.6]


def test_rows_without_names_make_one_problem_and_no_row() -> None:
    rows = [f"2026/03/02 09:15:{second}.101, {second}, 1512 MiB" for second in range(20, 40)]
    reading = read("\n".join(rows))

    assert reading.rows == {}
    assert [problem.line for problem in reading.problems] == [1]
    assert 'csv_columns="timestamp,index,memory.used"' in reading.problems[0].what


@pytest.mark.parametrize(
    "names", [["index", "memory.used"], ["index", "memory.used [MiB]"], ["index", "memory_used"]]
)
def test_columns_may_be_named_in_words_of_ones_own(names: list[str]) -> None:
    assert values(read("1, 15\n", columns=names)) == [{"gpu_index": 1, "memory_used_mib": 15}]
    assert format_for(names).recognises("1, 15")


def test_named_columns_do_not_replace_a_header() -> None:
    text = "index, memory.used [MiB]\n1, 15 MiB\n7, 3.50 W\n"
    reading = read(text, columns=["index", "power.draw"])

    assert values(reading) == [{"gpu_index": 1, "memory_used_mib": 15}, {"gpu_index": 7, "power_draw_w": 3.5}]


@pytest.mark.parametrize(
    "text",
    [
        "epoch,step,name,loss\n1,2,resnet,0.4\n",
        "timestamp,cpu_percent,memory_used,memory_total\n2026-03-02T09:15:20,31,8123456789,67108864000\n",
        "timestamp,cpu.percent,memory.used,memory.total\n2026-03-02T09:15:20,31,8123456789,67108864000\n",
        "timestamp,gpu_utilization,memory_used\n1772442920,31,8123456789\n",  # not as nvidia-smi separates
        "time,index,util_gpu,mem_used_mib\n2026-11-30T19:36:36.208,0,0,14560.875\n",
        "name,index,count\nfoo,1,2\n",
        "index, name\n1, foo\n",
        "Step 3, 4 of 5, loss 6\nnext, 7 %, 8 MiB\n",
    ],
)
def test_csv_of_another_program_is_not_ours(text: str) -> None:
    reading = read(text)

    assert (reading.rows, reading.problems, reading.used) == ({}, [], set())


def test_prose_between_rows_is_no_row() -> None:
    reading = read("index, utilization.gpu [%], memory.used [MiB]\n0, 3, 15\nnow it hangs\n1, 2, 3\n")

    assert values(reading) == [{"gpu_index": 0, "utilization_gpu_pct": 3, "memory_used_mib": 15}]
    assert [(problem.line, problem.what) for problem in reading.problems] == [(4, STRAY)]


def test_rows_with_a_time_go_on_behind_other_text() -> None:
    text = "timestamp, memory.used [MiB]\n2026/03/02 09:15:20, 3\nnow, it hangs\n2026/03/02 09:15:21, 4\n"

    assert values(read(text)) == [{"memory_used_mib": 3}, {"memory_used_mib": 4}]


def test_cell_of_any_length_is_one_cell() -> None:
    text = f"timestamp, name, index, memory.used\n2026/03/02 09:15:20, {'x' * 2000}, 3, 4\n"

    assert [(row["gpu_index"], row["memory_used_mib"]) for row in values(read(text))] == [(3, 4)]


def test_own_name_does_not_take_the_place_of_a_column() -> None:
    text = "line,source,memory_used,timestamp,index,memory.used\n7,eth0,99,2026-03-02 09:15:20,0, 3\n"

    assert values(read(text)) == [
        {"own_line": 7, "own_source": "eth0", "memory_used": 99, "gpu_index": 0, "memory_used_mib": 3}
    ]


@pytest.mark.parametrize("header", ["host,timestamp,index,memory.used", "hostname, timestamp, index, memory.used"])
def test_prints_of_two_hosts_are_two_snapshots(header: str) -> None:
    reading = read(f"{header}\nnode1, 2026-03-02 09:15:20, 0, 3\nnode2, 2026-03-02 09:15:20, 1, 3\n")

    assert [row["host"] for row in reading.rows["snapshots"]] == ["node1", "node2"]
    assert [row["host"] for row in reading.rows["gpus"]] == ["node1", "node2"]


def test_time_keeps_the_clock_that_was_printed() -> None:
    reading = read("timestamp,index,memory.used\n2026-03-02T09:15:20+08:00,0, 3\n1772442920.25,0, 4\n")

    assert [str(row["time"]) for row in reading.rows["gpus"]] == [
        "2026-03-02 09:15:20",
        "2026-03-02 09:15:20.250000",
    ]
    assert reading.notes == [SINCE_1970]


def test_rows_of_a_tick_are_one_snapshot() -> None:
    text = "timestamp, index, memory.used [MiB]\n"
    for second, millisecond, index in [
        (20, 101, 0),
        (20, 184, 1),
        (20, 301, 0),
        (20, 311, 1),
        (25, 2, 1),
        (26, 3, 0),
    ]:
        text += f"2026/03/02 09:15:{second}.{millisecond:03d}, {index}, 3 MiB\n"

    assert snapshots(read(text)) == [0, 0, 1, 1, 2, 3]


def test_processes_of_a_tick_are_one_snapshot_though_all_others_have_ended() -> None:
    text = "timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n"
    for millisecond, gpu, pid in [(101, "a", 7), (101, "a", 8), (109, "b", 8), (601, "a", 9)]:
        text += f"2026/03/02 09:15:20.{millisecond}, GPU-0000000{gpu}, {pid}, 3 MiB\n"

    assert snapshots(read(text), "processes") == [0, 0, 0, 1]


def test_processes_without_a_time_repeat_in_the_next_snapshot() -> None:
    text = "pid, used_gpu_memory [MiB]\n7, 3 MiB\n8, 4 MiB\n7, 3 MiB\n8, 5 MiB\n"

    assert snapshots(read(text), "processes") == [0, 0, 1, 1]


def test_cards_without_a_name_are_told_by_their_order() -> None:
    reading = read(rows_at(20.101, 20.184, 21.102, 21.109, 22.103, 22.2, 23.1, 23.101))

    assert [row["gpu_index"] for row in reading.rows["gpus"]] == [0, 1, 0, 1, 0, 1, 0, 1]
    assert snapshots(reading) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert reading.notes == [BY_ORDER]


@pytest.mark.parametrize(
    "seconds",
    [
        (20.1, 20.15, 20.2, 20.25),  # one card, every 50 ms
        (20, 21, 24, 25, 28, 29),  # one card, with stalls
        (20.101, 20.184, 21.102, 22.103, 22.2),  # a row is missing
    ],
)
def test_cards_are_unknown_where_no_order_is_clear(seconds: tuple[float, ...]) -> None:
    reading = read(rows_at(*seconds))

    assert [row.get("gpu_index") for row in reading.rows["gpus"]] == [None] * len(seconds)
    assert snapshots(reading) == [*range(len(seconds))]
    assert reading.notes == [WHICH_GPU]


def test_name_of_the_host_alone_tells_no_card() -> None:
    reading = read("hostname, memory.used [MiB]\n[N/A], 3 MiB\n[N/A], 4 MiB\n")

    assert reading.notes == [WHICH_GPU]


@pytest.mark.parametrize(
    ("command", "cards"),
    [
        ("nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader", [0, 1]),
        ("nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader -l 1", [None, None]),
        ("nvidia-smi -i 2,3 --query-gpu=utilization.gpu --format=csv,noheader", [None, None]),
    ],
)
def test_command_above_the_rows_names_their_columns(command: str, cards: list[int | None]) -> None:
    reading = read(f"$ {command}\n44 %\n3 %\n$ exit\n12 %\n")

    assert [row["utilization_gpu_pct"] for row in reading.rows["gpus"]] == [44, 3]
    assert [row.get("gpu_index") for row in reading.rows["gpus"]] == cards
    assert [(problem.line, problem.what) for problem in reading.problems] == [(5, STRAY)]


@pytest.mark.parametrize("damage", ["44 %, 5, 6", "4? %", "a word"])
def test_order_tells_no_card_where_a_row_may_be_missing(damage: str) -> None:
    command = "nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader"
    reading = read(f"$ {command}\n44 %, 5 MiB\n{damage}\n3 %, 7 MiB\n$ \n")

    assert [row.get("gpu_index") for row in reading.rows["gpus"]] == [None, None]


def test_header_without_rows_is_no_snapshot() -> None:
    reading = read("$ nvidia-smi --query-gpu=index,memory.used --format=csv\nindex, memory.used [MiB]\n$ \n")

    assert (reading.rows, reading.used) == ({}, {2})


def test_lost_gpu_is_an_event() -> None:
    reading = read("index, pci.bus_id, memory.used [MiB]\n1, 00000000:3B:00.0, [GPU is lost]\n")

    assert values(reading, "events") == [
        {
            "kind": "gpu_lost",
            "gpu_index": 1,
            "pci_bus_id": "00000000:3B:00.0",
            "message": "nvidia-smi prints [GPU is lost] for this GPU",
        }
    ]


def test_row_has_the_short_names_of_the_table_too() -> None:
    text = "index, ecc.errors.uncorrected.volatile.total, mig.mode.current\n0, 2, Disabled\n"
    row = values(read(text))[0]

    assert (row["ecc_errors"], row["mig_mode"]) == (2, "Disabled")


def test_long_series_takes_few_parses() -> None:
    rows = [
        f"2026/03/02 09:{n // 60:02d}:{n % 60:02d}.{n % 1000:03d}, 0, {n} MiB, {n / 7:.2f} W" for n in range(3000)
    ]
    before = LINES.parses
    reading = read("\n".join(["timestamp, index, memory.used [MiB], power.draw [W]", *rows]))

    assert len(reading.rows["gpus"]) == 3000
    assert LINES.parses - before <= 20


def test_prose_is_not_parsed() -> None:
    before = LINES.parses
    read("\n".join(f"INFO {number} epoch 3, loss 0.{number}, lr 1e-4, model.train" for number in range(100)))

    assert LINES.parses == before


@pytest.mark.parametrize(
    "text",
    [
        *("utilization.gpu [%]", "dramEncryption.mode.current, index, fan.speed [%]", "driver_version"),
        *("pid, process_name", "gpu_uuid, gpu_serial", "index, uuid", "clocks_throttle_reasons.active"),
        "timestamp,gpu_utilization,memory_used",
    ],
)
def test_header_is_seen_by_the_cheap_test(text: str) -> None:
    assert header_of(text, following="1772442920.25, 0, 15") is not None
    assert MAY_BE_HEADER.search(text)
    assert FORMAT.recognises(text)


@with_real_captures
def test_bare_rows_of_all_fields_equal_those_with_header() -> None:
    columns = (REAL / "fields_ok.txt").read_text(encoding="utf-8").split()
    bare = read((REAL / "allfields_bare.csv").read_text(encoding="utf-8"), columns=columns)
    full = read((REAL / "allfields.csv").read_text(encoding="utf-8"))

    assert [row.keys() for row in bare.rows["gpus"]] == [row.keys() for row in full.rows["gpus"]]
    for one, other in zip(bare.rows["gpus"], full.rows["gpus"], strict=True):
        assert {name for name in one if one[name] != other[name] and not name.startswith(MOVING)} == set()
        assert {name for name in one if type(one[name]) is not type(other[name])} == set()
    assert bare.problems == full.problems == []


@with_real_captures
@pytest.mark.parametrize("scene", ["ddp", "ddpbug", "fed", "hf", "imbalance", "leak", "starved"])
def test_series_agrees_with_what_the_driver_said(scene: str) -> None:
    series = smianalyze.load(REAL / f"{scene}_gpu.csv").gpus
    driver = pd.read_csv(REAL / f"{scene}_truth_gpu.csv", parse_dates=["time"])

    for column, name in (("memory_used_mib", "mem_used_mib"), ("utilization_gpu_pct", "util_gpu")):
        assert share_between(series, column, driver, name) >= 0.99


def share_between(series: pd.DataFrame, column: str, driver: pd.DataFrame, name: str) -> float:
    """Share of values that lie between those that were sampled just before and just after, rounded up or down."""
    both = series[["time", "gpu_index", column]].astype({"gpu_index": "int64"}).sort_values("time")
    samples = driver[["time", "index", name]].astype({"time": "datetime64[us]"}).sort_values("time")
    for direction in ("backward", "forward"):
        samples.columns = pd.Index(["time", "gpu_index", direction])
        both = pd.merge_asof(both, samples, on="time", by="gpu_index", direction=direction)
    both = both.dropna()
    around = both[["backward", "forward"]]
    return float(both[column].between(around.min(axis=1) - 1, around.max(axis=1) + 1).mean())
