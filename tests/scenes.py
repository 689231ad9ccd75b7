"""Small captures as frames, for the tests of pictures and reports: real ones, and ones made to be awkward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from smianalyze.analyses.comparison import Comparison, compare_run
from smianalyze.frames import Frames

Row = Mapping[str, object]
FIRST_PRINT = datetime(2026, 11, 30, 19, 35, 52)
SECONDS_BETWEEN = 27


class Scene(NamedTuple):
    """What a picture or a report is made from."""

    frames: Frames
    comparison: Comparison | None


class Print(NamedTuple):
    """One print of nvidia-smi: its input, its cards, its processes, and what else it says of itself."""

    source: str
    gpus: Sequence[Row]
    processes: Sequence[Row] = ()
    section: str = "listed"
    head: Row = MappingProxyType({})


def gpu(index: int | None, **values: object) -> Row:
    """A card; what is not said is that of an idle H200."""
    usual: Row = {
        "gpu_index": index,
        "name": "NVIDIA H200",
        "memory_used_mib": 0,
        "memory_total_mib": 143771,
        "utilization_gpu_pct": 0,
        "power_draw_w": 106.0,
        "power_limit_w": 700.0,
        "temperature_gpu_c": 33,
        "line": 9 + 4 * (index or 0),
    }
    return {**usual, **values}


def process(index: int | None, pid: int | None, name: str | None, mib: int | None, *, line: int = 25) -> Row:
    """A compute process on a card."""
    return {
        "gpu_index": index,
        "pid": pid,
        "type": "C",
        "process_name": name,
        "used_gpu_memory_mib": mib,
        "line": line,
    }


def scene(*prints: Print, **further: Sequence[Row]) -> Scene:
    """The frames of the prints, with further rows for other frames, and what changed between the prints."""
    rows: dict[str, list[Row]] = {"snapshots": [], "gpus": [], "processes": [], "inputs": []}
    for number, one in enumerate(prints):
        where = {"snapshot": number, "source": one.source}
        time = FIRST_PRINT + number * timedelta(seconds=SECONDS_BETWEEN)
        head = {"time": time, "driver_version": "580.159.04", "cuda_version": "13.0", "line": 1}
        rows["snapshots"].append({**where, **head, "process_section": one.section, **one.head})
        rows["gpus"] += [{**where, **row} for row in one.gpus]
        rows["processes"] += [{**where, **row} for row in one.processes]
        rows["inputs"].append(read(one.source))
    for name, added in further.items():
        rows[name] = [*rows.get(name, []), *added]
    frames = Frames.from_rows(rows)
    return Scene(frames, compare_run(frames))


def read(source: str, *, lines: int = 28, ignored: int = 0, problems: int = 0) -> Row:
    """The row of an input whose lines were read but for some."""
    return {
        "source": source,
        "format": "smi_table",
        "encoding": "utf-8",
        "bytes": 90 * lines,
        "lines": lines,
        "used": lines - ignored - problems,
        "ignored": ignored,
        "problem_lines": problems,
    }


@cache
def extra_context() -> Scene:
    """Two H200, whose rank 1 opened a context on the card of rank 0 (a real capture)."""
    python = "/opt/torch/.venv/bin/python"
    before = Print(
        "before_smi.txt",
        [
            gpu(0, memory_used_mib=14561, power_draw_w=122.0, temperature_gpu_c=34),
            gpu(1, memory_used_mib=11691, power_draw_w=346.0, temperature_gpu_c=43, utilization_gpu_pct=27),
        ],
        [process(0, 609, "python3", 14552, line=24), process(1, 610, "python3", 11682)],
    )
    after = Print(
        "after_smi.txt",
        [
            gpu(0, memory_used_mib=31022, power_draw_w=491.0, temperature_gpu_c=48, utilization_gpu_pct=80),
            gpu(1, memory_used_mib=27533, power_draw_w=511.0, temperature_gpu_c=49, utilization_gpu_pct=99),
        ],
        [
            process(0, 609, "python3", 14552, line=24),
            process(0, 812, python, 15836, line=25),
            process(0, 813, python, 612, line=26),
            process(1, 610, "python3", 11682, line=27),
            process(1, 813, python, 15836, line=28),
        ],
    )
    return scene(before, after)


@cache
def no_process_table() -> Scene:
    """Three A100, of which the first grew by more; nothing says by which process (a real paste)."""

    def card(index: int, mib: int, watt: int, celsius: int, busy: int) -> Row:
        return gpu(
            index,
            name="A100-PCIE-40GB",
            memory_used_mib=mib,
            memory_total_mib=40536,
            power_draw_w=float(watt),
            power_limit_w=250.0,
            temperature_gpu_c=celsius,
            utilization_gpu_pct=busy,
        )

    before = [card(2, 14568, 37, 26, 0), card(3, 11497, 39, 25, 26), card(4, 12920, 104, 35, 32)]
    after = [card(2, 35653, 236, 42, 72), card(3, 31506, 226, 42, 42), card(4, 32905, 214, 47, 72)]
    return scene(Print("before.txt", before, section="absent"), Print("after.txt", after, section="absent"))


@cache
def one_print() -> Scene:
    """Four GTX 1080 Ti, two of them in use (a real capture)."""

    def card(index: int, mib: int, watt: int, celsius: int, busy: int) -> Row:
        return gpu(
            index,
            name="NVIDIA GeForce GTX 1080 Ti",
            memory_used_mib=mib,
            memory_total_mib=11264,
            power_draw_w=float(watt),
            power_limit_w=250.0,
            temperature_gpu_c=celsius,
            utilization_gpu_pct=busy,
        )

    cards = [
        card(0, 4692, 83, 54, 45),
        card(1, 4650, 73, 60, 44),
        card(2, 0, 84, 71, 0),
        card(3, 0, 75, 53, 0),
    ]
    return scene(
        Print("smi.txt", cards, [process(0, 3494144, "python", 4690), process(1, 3494896, "python", 4648)])
    )


@cache
def idle() -> Scene:
    """Two H200 that do nothing (a real capture)."""
    return scene(
        Print("idle_smi.txt", [gpu(0), gpu(1, power_draw_w=91.0, temperature_gpu_c=34)], section="none_found")
    )


@cache
def one_node(cards: int) -> Scene:
    """A job with one rank a card, each of which also opened a context on the first card."""
    ranks = range(cards)
    before = Print("before.txt", [gpu(rank, memory_used_mib=3) for rank in ranks], section="none_found")
    on_first = [process(0, 1000 + rank, "python", 300) for rank in ranks if rank]
    after = Print(
        "after.txt",
        [gpu(rank, memory_used_mib=24013 + 2 * rank + 300 * len(on_first) * (not rank)) for rank in ranks],
        [*(process(rank, 1000 + rank, "python", 23990) for rank in ranks), *on_first],
    )
    return scene(before, after)


@cache
def unknown_values() -> Scene:
    """Cards of which some values, some prints and one number are not known."""
    unknown = {"memory_used_mib": None, "power_draw_w": None, "temperature_gpu_c": None}
    before = Print(
        "before.txt",
        [
            gpu(0, **unknown, utilization_gpu_pct=None),
            gpu(1, memory_used_mib=100, power_limit_w=None),
            gpu(3, memory_used_mib=5000, memory_total_mib=None),
        ],
    )
    after = Print(
        "after.txt",
        [
            gpu(0, **unknown, utilization_gpu_pct=50),
            gpu(1, memory_used_mib=None, power_limit_w=None, power_draw_w=30.0),
            gpu(2, memory_used_mib=8000, utilization_gpu_pct=None),
            gpu(None, memory_used_mib=3000, name=None),
        ],
        [process(2, 1, "python", 4000), process(2, None, None, None), process(5, 7, "orphan", 10)],
    )
    return scene(before, after)


@cache
def named(name: str) -> Scene:
    """One card and three processes, all of the same name."""
    sizes = enumerate((9000, 8000, 7000), start=1)
    return scene(
        Print("before.txt", [gpu(0, name=name)], section="none_found"),
        Print(
            "after.txt",
            [gpu(0, name=name, memory_used_mib=30000)],
            [process(0, n, name, mib) for n, mib in sizes],
        ),
    )
