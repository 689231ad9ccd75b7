"""Big captures of a made up host, with the sums of what they say: the truth that no contender may miss.

    python benchmarks/captures.py csv 20 smi.csv

writes 20 MB of ``nvidia-smi --query-gpu`` and prints the sums. The same kind, size and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from made_up_host import CAPACITY_MIB, LIMIT_W, NAME, START, Host, Process, Sample
from made_up_training import Piece, Sums, add, sparse_log, training_log

CSV_FIELDS = (
    "timestamp, index, name, pci.bus_id, pstate, temperature.gpu, utilization.gpu [%], utilization.memory [%], "
    "memory.used [MiB], memory.free [MiB], power.draw [W], clocks.current.sm [MHz]"
)
DMON_HEAD = (
    "#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb   bar1 \n"
    "#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %    MHz    MHz     MB     MB \n"
)
PMON_HEAD = (
    "#Date        Time         gpu         pid   type     sm    mem    enc    dec     fb    command \n"
    "#YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %      %      %     MB    name \n"
)
PMON_NAME_WIDTH = 15  # characters of a process's name that are printed
MONITOR_TICKS = 5  # after so many ticks of eight cards a monitor says again what its columns are
MEMORY_CLOCK_MHZ = 2_619

_LINE, _CELLS = "-" * 89, "+".join("-" * width for width in (41, 24, 22))
_TABLE_HEAD = f"""\
+{_LINE}+
| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
|{_CELLS}+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|{_CELLS.replace("-", "=")}|
"""
_BELOW_CARD = f"|{' ' * 41}|{' ' * 24}|{'Disabled':>21} |\n+{_CELLS}+\n"
_PROCESS_HEAD = f"""\
{" " * 89}
+{_LINE}+
| Processes:{" " * 78}|
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|{"=" * 89}|
"""


def tables(seed: int) -> Iterator[Piece]:
    """``nvidia-smi -l 1``: a piece is one print."""
    host = Host(seed)
    first_rows = [
        f"|{card:4}  {NAME:31}On  |   {bus_id} Off |{'0':>21} |\n" for card, bus_id in enumerate(host.bus_ids)
    ]
    processes: Sequence[Process] = ()
    box, held = _process_box(()), _process_sums(())
    for tick, samples in enumerate(host.ticks()):
        if host.processes is not processes:
            processes = host.processes
            box, held = _process_box(processes), _process_sums(processes)
        rows = (
            f"{first_row}| N/A{one.temperature_c:5}C    P0{int(one.power_w):15}W /{LIMIT_W:5}W |"
            f"{one.memory_mib:8}MiB / {CAPACITY_MIB:6}MiB |{one.utilization_pct:7}%      Default |\n{_BELOW_CARD}"
            for first_row, one in zip(first_rows, samples, strict=True)
        )
        date = f"{START + timedelta(seconds=tick):%a %b %d %H:%M:%S %Y}       \n"
        yield Piece(f"{date}{_TABLE_HEAD}{''.join(rows)}{box}", held | _table_sums(tick, host, samples))


def query_csv(seed: int) -> Iterator[Piece]:
    """``nvidia-smi --query-gpu=… --format=csv -l 1``: a piece is one tick."""
    host = Host(seed)
    return _csv(host, host.ticks())


def query_csv_of_any_width(seed: int) -> Iterator[Piece]:
    """The same with numbers of any width, as no host would print them: the shapes of rows hardly come again."""
    host, rnd = Host(seed), random.Random(seed)  # noqa: S311 - nothing is secret here

    def any_width(limit: int) -> int:
        return rnd.randrange(min(10 ** rnd.randint(1, len(str(limit))), limit + 1))

    def sample() -> Sample:
        watt = any_width(99_999) / 100
        return Sample(*map(any_width, (100, 100, CAPACITY_MIB, 120)), watt, any_width(3_000))

    return _csv(host, ([sample() for _ in range(host.cards)] for _ in iter(int, 1)))


def dmon(seed: int) -> Iterator[Piece]:
    """``nvidia-smi dmon -s pucm -o DT``: a piece is one tick."""
    host = Host(seed)
    for tick, samples in enumerate(host.ticks()):
        moment = f" {START + timedelta(seconds=tick):%Y%m%d    %H:%M:%S} "
        rows = (
            f"{moment}{card:7}{int(one.power_w):7}{one.temperature_c:7}{one.temperature_c + 6:7}"
            f"{one.utilization_pct:7}{one.memory_busy_pct:7}{MEMORY_CLOCK_MHZ:7}{one.clock_mhz:7}"
            f"{one.memory_mib:7}{one.memory_mib + 1:7} \n"
            for card, one in enumerate(samples)
        )
        head = "" if tick % MONITOR_TICKS else DMON_HEAD
        sums = _sums_of(samples) | {
            "gpus.time": tick * len(samples),
            "gpus.power_draw_w": sum(int(one.power_w) for one in samples),
            "gpus.temperature_memory_c": sum(one.temperature_c + 6 for one in samples),
            "gpus.clocks_current_memory_mhz": MEMORY_CLOCK_MHZ * len(samples),
            "gpus.bar1_memory_used_mib": sum(one.memory_mib + 1 for one in samples),
        }
        yield Piece(head + "".join(rows), sums)


def pmon(seed: int) -> Iterator[Piece]:
    """``nvidia-smi pmon -s um -o DT``: a piece is one tick."""
    host = Host(seed)
    for tick, samples in enumerate(host.ticks()):
        moment = f" {START + timedelta(seconds=tick):%Y%m%d    %H:%M:%S} "
        names = [one.name.rpartition("/")[2][:PMON_NAME_WIDTH] for one in host.processes]
        loads = [samples[one.gpu] for one in host.processes]
        rows = [
            f"{moment}{one.gpu:7}{one.pid:11}     C{load.utilization_pct:7}{load.memory_busy_pct:7}      -      -"
            f"{one.memory_mib:7}    {name:{PMON_NAME_WIDTH}}\n"
            for one, load, name in zip(host.processes, loads, names, strict=True)
        ] or [
            f"{moment}{card:7}          -     -{'      -' * 5}    {'-':{PMON_NAME_WIDTH}}\n"
            for card in range(host.cards)
        ]
        sums = {
            "processes.time": tick * len(names),
            "processes.gpu_index": sum(one.gpu for one in host.processes),
            "processes.pid": sum(one.pid for one in host.processes),
            "processes.type": len(names),
            "processes.sm_utilization_pct": sum(one.utilization_pct for one in loads),
            "processes.memory_utilization_pct": sum(one.memory_busy_pct for one in loads),
            "processes.used_gpu_memory_mib": sum(one.memory_mib for one in host.processes),
            "processes.process_name": sum(map(len, names)),
        }
        yield Piece(("" if tick % MONITOR_TICKS else PMON_HEAD) + "".join(rows), sums)


CAPTURES: dict[str, Callable[[int], Iterator[Piece]]] = {
    "tables": tables,
    "csv": query_csv,
    "csv-any-width": query_csv_of_any_width,
    "dmon": dmon,
    "pmon": pmon,
    "log": training_log,
    "sparse-log": sparse_log,
}


def write(kind: str, size: int, path: Path, *, seed: int = 1) -> Sums:
    """Write a capture of at least so many bytes that ends on a whole piece.

    Returns:
        For each column (after its frame) the sum of its values; of a text its characters, of a time the seconds
        since ``START``.
    """
    sums: Sums = {}
    written = 0
    with path.open("wb") as file:
        for piece in CAPTURES[kind](seed):
            written += file.write(piece.text.encode())
            add(sums, piece.sums)
            if written >= size:
                break
    return sums


def _csv(host: Host, ticks: Iterable[list[Sample]]) -> Iterator[Piece]:
    head = CSV_FIELDS + "\n"
    for tick, samples in enumerate(ticks):
        moment = f"{START + timedelta(seconds=tick):%Y/%m/%d %H:%M:%S}"
        rows = (
            f"{moment}.{17 + 3 * card:03}, {card}, {NAME}, {host.bus_ids[card]}, P0, {one.temperature_c}, "
            f"{one.utilization_pct} %, {one.memory_busy_pct} %, {one.memory_mib} MiB, "
            f"{CAPACITY_MIB - one.memory_mib} MiB, {one.power_w:.2f} W, {one.clock_mhz} MHz\n"
            for card, one in enumerate(samples)
        )
        sums = _sums_of(samples) | {
            "gpus.time": sum(tick + (17 + 3 * card) / 1_000 for card in range(host.cards)),
            "gpus.name": len(NAME) * host.cards,
            "gpus.pci_bus_id": sum(map(len, host.bus_ids)),
            "gpus.pstate": 2 * host.cards,
            "gpus.memory_free_mib": sum(CAPACITY_MIB - one.memory_mib for one in samples),
        }
        yield Piece(head + "".join(rows), sums)
        head = ""


def _sums_of(samples: Sequence[Sample]) -> Sums:
    """The sums of one tick that several prints show."""
    utilization, memory_busy, memory, temperature, power, clock = map(sum, zip(*samples, strict=True))
    return {
        "gpus.gpu_index": len(samples) * (len(samples) - 1) // 2,
        "gpus.utilization_gpu_pct": utilization,
        "gpus.utilization_memory_pct": memory_busy,
        "gpus.memory_used_mib": memory,
        "gpus.temperature_gpu_c": temperature,
        "gpus.power_draw_w": power,
        "gpus.clocks_current_sm_mhz": clock,
    }


def _table_sums(tick: int, host: Host, samples: Sequence[Sample]) -> Sums:
    sums = _sums_of(samples)
    del sums["gpus.utilization_memory_pct"], sums["gpus.clocks_current_sm_mhz"]  # a table does not show them
    return sums | {
        "snapshots.time": tick,
        "gpus.name": len(NAME) * host.cards,
        "gpus.persistence_mode": len("On") * host.cards,
        "gpus.pci_bus_id": sum(map(len, host.bus_ids)),
        "gpus.ecc_errors": 0,
        "gpus.power_draw_w": sum(int(one.power_w) for one in samples),
        "gpus.power_limit_w": LIMIT_W * host.cards,
        "gpus.memory_total_mib": CAPACITY_MIB * host.cards,
        "gpus.compute_mode": len("Default") * host.cards,
        "gpus.mig_mode": len("Disabled") * host.cards,
    }


def _process_box(processes: Sequence[Process]) -> str:
    rows = [f"|  {'No running processes found':87}|\n"] if not processes else []
    rows += [
        f"|{gpu:5}   N/A  N/A{pid:10}      C   {name:38}{memory:11}MiB |\n" for gpu, pid, name, memory in processes
    ]
    return f"{_PROCESS_HEAD}{''.join(rows)}+{_LINE}+\n"


def _process_sums(processes: Sequence[Process]) -> Sums:
    return {
        "processes.gpu_index": sum(one.gpu for one in processes),
        "processes.pid": sum(one.pid for one in processes),
        "processes.process_name": sum(len(one.name) for one in processes),
        "processes.used_gpu_memory_mib": sum(one.memory_mib for one in processes),
    }


def main() -> None:
    """Write one capture and print its sums."""
    parser = argparse.ArgumentParser(description="Write a capture of a made up host, and print its sums.")
    parser.add_argument("kind", choices=CAPTURES)
    parser.add_argument("size_mb", type=float)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    sums = write(chosen.kind, int(chosen.size_mb * 1e6), chosen.path, seed=chosen.seed)
    sys.stdout.write(json.dumps(sums, indent=2) + "\n")


if __name__ == "__main__":
    main()
