from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze
from smianalyze.export import exported
from smianalyze.masking import Masker
from smianalyze.reading import read_rows
from smianalyze.source import from_text

MACHINES = (FIXTURES / "vgpu" / "machines_550.txt").read_text(encoding="utf-8")
OF_A_PRINT = ("snapshots", "gpus", "vgpus", "processes", "mig_devices")

Rows = dict[str, list[dict[str, object]]]


def rows_of(text: str) -> Rows:
    """The rows that the frames are built from, without what is unknown and where it stood."""
    rows = read_rows([from_text(text)])
    return {
        frame: [
            {key: value for key, value in row.items() if value is not None and key not in ("snapshot", "line")}
            for row in rows.get(frame, ())
        ]
        for frame in OF_A_PRINT
    }


@pytest.mark.parametrize("capture", captures("vgpu"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("vgpu"))
def test_cut_anywhere_gives_no_other_value(capture: Path) -> None:
    text = capture.read_text(encoding="utf-8")
    whole = rows_of(text)
    starts = [text[:place] for place in range(len(text))]
    ends = [text[place:] for place in range(1, len(text))]

    wrong = {
        part: row
        for part in (*starts, *ends)
        for frame, rows in rows_of(part).items()
        for row in rows
        if not any(row.items() <= other.items() for other in whole[frame])
    }

    assert wrong == {}


@pytest.mark.parametrize("name", ["generation_580", "fragment_after", "jetson_540", "err_card_new", "title_lost"])
def test_plain_table_beside_it_is_read_as_if_alone(name: str) -> None:
    plain = (FIXTURES / "smi_table" / f"{name}.txt").read_text(encoding="utf-8")
    first, second = rows_of(plain), rows_of(MACHINES)

    assert rows_of(f"{plain}\n{MACHINES}") == {frame: first[frame] + second[frame] for frame in OF_A_PRINT}
    assert rows_of(f"{MACHINES}\n{plain}") == {frame: second[frame] + first[frame] for frame in OF_A_PRINT}


@pytest.mark.parametrize(("beginning", "cards"), [("2  NVIDIA L4", [0, 1]), ("811  GRID RTX600", [12, 0, 1])])
def test_row_whose_beginning_was_cut_off_is_no_card(beginning: str, cards: list[int]) -> None:
    plain = (FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")
    cut = MACHINES[MACHINES.index(beginning) :]

    assert smianalyze.loads(cut + plain).gpus["gpu_index"].tolist() == cards


def test_vgpu_below_a_lost_line_has_no_card() -> None:
    card = next(line for line in MACHINES.splitlines(keepends=True) if line.startswith("|   7"))
    vgpus = smianalyze.loads(MACHINES.replace(card, "")).vgpus

    assert vgpus["vgpu_id"].tolist() == [3251634402, 3251634811, 3251634198, 118]
    assert vgpus["gpu_index"].fillna(-1).tolist() == [-1, -1, -1, 12]


def test_rows_of_a_series_without_heads_are_told_apart() -> None:
    rows = "".join(line for line in MACHINES.splitlines(keepends=True) if "%  " in line)

    assert smianalyze.loads(rows * 3).gpus["snapshot"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_card_without_a_name_is_lost() -> None:
    (event,) = smianalyze.loads(MACHINES.replace("NVIDIA L4 ", "ERR!      ")).events.to_dict("records")

    assert (event["kind"], event["gpu_index"], event["pci_bus_id"]) == ("gpu_lost", 12, "00000000:EA:00.0")


def test_machines_are_masked_in_an_export() -> None:
    vgpus = smianalyze.loads(MACHINES).vgpus
    (*_, row) = exported(vgpus, "csv", masker=Masker("default")).decode().splitlines()

    assert row == "0,2026-11-10 09:41:27,,12,118,NVIDIA L4-6Q,host-4,host-8,100,<text>,17"
