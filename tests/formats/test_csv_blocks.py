"""CSV is read in blocks: that gives what reading it line by line gives, and takes few parses."""

from __future__ import annotations

import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from fixture_pairs import captures
from same_both_ways import FOREIGN, check_same, damaged, found_in

from smianalyze.formats import csv_runs, mixed_blocks
from smianalyze.formats.csv_cells import LINES
from smianalyze.reading import read_all
from smianalyze.source import open_inputs

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "corpus"
REAL = sorted(path for folder in ("h200", "smi") for path in (SHARED / folder).glob("*.csv"))
SEEDS = 60
TABLES_BYTES = 64 * 1024 * 1024  # of the lines that are read at a time, as columns
HEADERS = {
    "units": "timestamp, index, name, pstate, fan.speed [%], memory.used [MiB], utilization.gpu [%]",
    "no_time": "index, uuid, temperature.gpu, memory.used [MiB], clocks.max.sm [MHz]",
    "no_key": "timestamp, utilization.gpu [%], power.draw [W]",
    "processes": "timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]",
    "pages": "gpu_uuid, retired_pages.address, retired_pages.cause",
    "own": "timestamp, hostname, index, own.thing, serial, pcie.link.gen.current, driver_version",
    "twice": "timestamp, index, clocks.sm [MHz], clocks.current.sm [MHz], ecc.errors.uncorrected.volatile.total",
}


def row(header: str, tick: int, card: int, chance: random.Random) -> str:
    """What a query prints of a card."""
    second = f"{tick % 60 + 0.003 * card + chance.choice((0, 0, 0, 0.2)):06.3f}"
    when = f"2026/11/30 1{tick // 3600 % 10}:{tick // 60 % 60:02}:{second}"
    uuid = f"GPU-03002466-5358-59f1-1d97-4fb286dfe49{card}"
    values = {
        "timestamp": when,
        "index": f"{card}",
        "name": "NVIDIA H200",
        "pstate": f"P{chance.choice((0, 0, 2))}",
        "fan.speed [%]": chance.choice(("[N/A]", "[N/A]", "33 %")),
        "utilization.gpu [%]": f"{chance.randrange(101)} %",
        "memory.used [MiB]": f"{chance.randrange(10 ** chance.randrange(1, 6))} MiB",
        "power.draw [W]": f"{chance.randrange(70_000) / 100:.2f} W",
        "uuid": uuid,
        "gpu_uuid": uuid,
        "temperature.gpu": f"{chance.randrange(30, 90)}",
        "clocks.max.sm [MHz]": "1980 MHz",
        "pid": f"{chance.choice((812, 813, 99_812))}",
        "process_name": chance.choice(("python3", "/opt/torch/bin/python", "[Not Found]")),
        "used_gpu_memory [MiB]": f"{chance.randrange(20_000)} MiB",
        "retired_pages.address": f"0x{chance.randrange(10**9):016x}",
        "retired_pages.cause": "Double Bit ECC",
        "hostname": chance.choice(("node1", "node1", "node2")),
        "own.thing": chance.choice(("7", "7.25", "seven", "12 apples", "[N/A]")),
        "serial": chance.choice(("[N/A]", "1652826070903")),
        "pcie.link.gen.current": f"{chance.randrange(1, 6)}",
        "driver_version": "580.159.04",
        "clocks.sm [MHz]": f"{chance.randrange(200, 2000)} MHz",
        "clocks.current.sm [MHz]": chance.choice(("[N/A]", "1980 MHz")),
        "ecc.errors.uncorrected.volatile.total": "0",
    }
    return ", ".join(values[name] for name in header.split(", "))


def series(name: str, chance: random.Random, *, ticks: int = 25) -> list[str]:
    """A header and some ticks of one to three cards."""
    cards = chance.choice((1, 2, 3))
    rows = [row(HEADERS[name], tick, card, chance) for tick in range(ticks) for card in range(cards)]
    return [HEADERS[name], *rows]


def mutated(lines: list[str], chance: random.Random) -> bytes:
    """The lines with some damage."""
    for _ in range(chance.randrange(3)):
        place = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                lines[place:place] = [lines[0]]
            case 1:
                lines[place:place] = series(chance.choice([*HEADERS]), chance, ticks=chance.randrange(20))
            case 2:
                lines[place] = lines[place].replace(" MiB", "").replace(" %", "")
            case 3:
                lines[place] = (
                    lines[place].replace("NVIDIA H200", "H200, PCIe").replace("2026/11/30", "2026/11/31")
                )
            case _:
                lines[place] = f"> {lines[place]}"
    lines = damaged(lines, FOREIGN, '0 ,;%"\t[]<&>x\u00e9-./', chance)
    return chance.choice(STYLES)("\n".join(lines) + chance.choice(("\n", "\n", ""))).encode()


STYLES: tuple[Callable[[str], str], ...] = (
    *(str,) * 8,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace(".", ",").replace(", ", ";"),
    lambda text: text.replace(", ", "\t"),
    lambda text: text.replace(", ", ","),
    lambda text: text.replace(" MiB", "").replace(" %", "").replace(" W", ""),
    lambda text: text.partition("\n")[2],
    lambda text: "\n".join(f"{line}\n" for line in text.split("\n")),
)


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines are worth a table here."""
    monkeypatch.setattr(csv_runs, "ENOUGH_ROWS", 20)
    monkeypatch.setattr(mixed_blocks, "LINES_ALONE", 2)
    monkeypatch.setattr(mixed_blocks, "LEAST_BYTES", 600)
    monkeypatch.setattr(mixed_blocks, "MOST_BYTES", 2_000)


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("capture", captures("query_csv"))
def test_fixture_is_read_as_line_by_line(capture: Path) -> None:
    check_same(capture.read_bytes())


@pytest.mark.skipif(not REAL, reason="the shared corpora are not beside this checkout")
@pytest.mark.usefixtures("small_tables")
def test_real_captures_are_read_as_line_by_line() -> None:
    assert sum(check_same(path.read_bytes(), what=path.name) for path in REAL) > 1_000


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("name", HEADERS)
def test_whole_series_is_read_at_once(name: str) -> None:
    lines = series(name, random.Random(name), ticks=300)  # noqa: S311 - a fixed seed
    count = check_same("\n".join((*lines, "")).encode())

    assert count == len(lines) - 1


def test_long_series_takes_few_parses() -> None:
    chance = random.Random("long")  # noqa: S311 - a fixed seed
    tick = series("units", chance, ticks=1)
    rows = "\n".join(series("units", chance, ticks=2_000)[1:])
    data = f"{tick[0]}\n{rows}\n" + f"{rows}\n" * 60
    before = LINES.parses
    found = found_in(data.encode(), in_blocks=True)

    assert found.parts["gpus"].count == data.count("\n") - 1 > 100_000
    assert LINES.parses - before <= 100


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_damaged_series_is_read_as_line_by_line(seed: int) -> None:
    chance = random.Random(f"csv {seed}")  # noqa: S311 - a fixed seed
    name = chance.choice([*HEADERS])
    data = mutated(series(name, chance), chance)
    named = tuple(field.partition(" ")[0] for field in HEADERS[name].split(", "))

    check_same(data, chance.choice((None, None, named)), (seed, name))


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("lines", [16, 40])
def test_numbers_behind_other_text_are_told_below_blank_lines_too(lines: int) -> None:
    text = "fan.speed [%]\n" + "\n" * lines + "83 %\n" * 20 + "1 000\n93 %\n"
    check_same(text.encode())

    assert len(found_in(text.encode(), in_blocks=True).rows["problems"]) == 1


@pytest.mark.parametrize("in_blocks", [True, False])
def test_rows_without_an_index_do_not_share_one(*, in_blocks: bool) -> None:
    uuid = "GPU-03002466-5358-59f1-1d97-4fb286dfe49"
    rows = "".join(f"2026/11/30 19:35:52.{card}00, {uuid}{card}, 30 %\n" for card in (1, 2))
    text = f"timestamp, uuid, utilization.gpu [%]\n{rows}"

    assert found_in(text.encode(), in_blocks=in_blocks).rows["inputs"][0]["note"] is None


def test_what_is_held_is_less_than_the_text_and_a_few_tables(tmp_path: Path) -> None:
    chance = random.Random("memory")  # noqa: S311 - a fixed seed
    rows = "\n".join(series("units", chance, ticks=2_000)[1:])
    path = tmp_path / "smi.csv"
    path.write_text(f"{HEADERS['units']}\n" + f"{rows}\n" * 60, encoding="utf-8")
    tracemalloc.start()
    try:
        found = read_all(open_inputs(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert found.parts["gpus"].count > 100_000
    assert peak < path.stat().st_size + TABLES_BYTES
