"""One moment in four prints: the plain table, ``-q``, ``-q -x`` and CSV must say the same.

The prints of a scene were taken one after the other within a second, so what moves may have moved a little.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES

import smianalyze

FOLDER = FIXTURES / "same_instant"
SCENES = ("idle", "before", "after", "ddp_during", "starved_end")
PRINTS = ("smi.txt", "q.txt", "q.xml", "gpu.csv")
DETAILS = ("q.txt", "q.xml")
SAID_BY_ALL = (
    *("gpu_index", "name", "pci_bus_id", "pstate", "fan_speed_pct", "power_limit_w"),
    *("memory_used_mib", "memory_total_mib"),
)
SAID_BY_TABLE = ("persistence_mode", "display_active", "ecc_errors", "compute_mode", "mig_mode")
SAID_BY_CSV = ("memory_free_mib", "clocks_current_memory_mhz", "clocks_event_reasons_active")
MOVES = {"temperature_gpu_c": 6, "power_draw_w": 30}
"""How far a value may move within a second; the instantaneous power of a busy card moves by hundreds of watts."""

PROCESS = [
    "gpu_index",
    "gpu_instance_id",
    "compute_instance_id",
    "pid",
    "type",
    "process_name",
    "used_gpu_memory_mib",
]


def load(scene: str, kind: str) -> smianalyze.Capture:
    return smianalyze.load(Path(FOLDER, f"{scene}_{kind}"))


def values(scene: str, kind: str, columns: tuple[str, ...]) -> list[dict[str, object]]:
    gpus = load(scene, kind).gpus[list(columns)]
    return gpus.astype(object).where(gpus.notna(), None).to_dict("records")


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("kind", [kind for kind in PRINTS if kind != "smi.txt"])
def test_identity_and_memory_are_those_of_the_table(scene: str, kind: str) -> None:
    assert values(scene, kind, SAID_BY_ALL) == values(scene, "smi.txt", SAID_BY_ALL)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("kind", DETAILS)
def test_modes_are_spelled_as_in_the_table(scene: str, kind: str) -> None:
    assert values(scene, kind, SAID_BY_TABLE) == values(scene, "smi.txt", SAID_BY_TABLE)


@pytest.mark.parametrize("scene", ["idle", "starved_end"])  # where the clocks are at rest
@pytest.mark.parametrize("kind", DETAILS)
def test_full_report_says_what_csv_says(scene: str, kind: str) -> None:
    assert values(scene, kind, SAID_BY_CSV) == values(scene, "gpu.csv", SAID_BY_CSV)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("kind", [kind for kind in PRINTS if kind != "smi.txt"])
def test_what_moves_has_not_moved_far(scene: str, kind: str) -> None:
    table, other = (load(scene, each).gpus for each in ("smi.txt", kind))

    moved = {column: (other[column] - table[column]).abs().max() for column in MOVES}
    assert all(moved[column] <= limit for column, limit in MOVES.items()), moved


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("kind", DETAILS)
def test_processes_are_those_of_the_table(scene: str, kind: str) -> None:
    table, other = load(scene, "smi.txt"), load(scene, kind)

    pd.testing.assert_frame_equal(other.processes[PROCESS], table.processes[PROCESS])
    assert other.snapshots["process_section"].tolist() == table.snapshots["process_section"].tolist()


@pytest.mark.parametrize("scene", SCENES)
def test_text_and_xml_have_the_same_columns(scene: str) -> None:
    text, xml = (set(load(scene, kind).gpus) for kind in DETAILS)

    assert xml - text == {"gpu_power_readings_power_state", "module_power_readings_power_state"}
    assert text - xml == set()
