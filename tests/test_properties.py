"""What must hold for every capture: a cut, other line ends or a text beside it never change a value."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures

import smianalyze
from smianalyze.reading import read_rows
from smianalyze.source import open_inputs

Rows = dict[str, list[dict[str, object]]]

OF_A_PRINT = ("snapshots", "gpus", "processes", "mig_devices", "vgpus")
CUTS = 200
# A shorter text holds less of the process box, so this one column may say less.
SAYS_LESS = {section: {section, "empty", "absent"} for section in ("listed", "none_found", "not_supported")}
PRINTS = {
    *("smi_table", "smi_error", "vgpu", "dmon"),
    *("smi_query", "smi_xml", "list_gpus", "topo", "nvlink", "query_csv", "pmon"),
}
NAMES_OF_A_GPU = ("gpu_index", "uuid", "gpu_uuid", "pci_bus_id", "serial")
EVERY_CAPTURE = [
    pytest.param(path.values[0], id=f"{folder.name}/{path.id}")
    for folder in sorted(FIXTURES.iterdir())
    if folder.is_dir() and folder.name in PRINTS
    for path in captures(folder.name)
]


def rows_of(data: bytes) -> dict[str, list[dict[str, object]]]:
    """The rows that the frames are built from; frames themselves take ten times as long."""
    rows = read_rows(open_inputs(io.BytesIO(data)))
    return {
        frame: [{key: value for key, value in row.items() if value is not None} for row in rows.get(frame, [])]
        for frame in OF_A_PRINT
    }


def claims(rows: Rows, damaged: frozenset[object] = frozenset()) -> Rows:
    """What rows say for certain; a line that is damaged further on is left out, as the whole text does.

    CSV without a column that names the GPU shows its ticks only as a whole: until then each row stands alone. A
    row of an unknown GPU says by its snapshot in which order it was printed, and nothing of any card.
    """
    named, unnamed = set[object](), set[object]()
    for row in (row for frame in OF_A_PRINT if frame != "snapshots" for row in rows[frame]):
        (named if any(name in row for name in NAMES_OF_A_GPU) else unnamed).add(row["snapshot"])
    return {
        "snapshots": [
            row
            for row in rows["snapshots"]
            if row["snapshot"] not in unnamed - named and row["line"] not in damaged
        ],
        **{
            frame: [_claim(row) for row in rows[frame] if row["line"] not in damaged]
            for frame in OF_A_PRINT
            if frame != "snapshots"
        },
    }


def damaged_lines(data: bytes) -> frozenset[object]:
    """Lines of which the whole text gives no row, only a problem."""
    rows = read_rows(open_inputs(io.BytesIO(data)))
    lines = {row["line"] for frame in OF_A_PRINT for row in rows.get(frame, [])}
    return frozenset(problem["line"] for problem in rows.get("problems", [])) - lines


def _claim(row: dict[str, object]) -> dict[str, object]:
    is_named = any(name in row for name in NAMES_OF_A_GPU)
    return {key: value for key, value in row.items() if key != "snapshot" or is_named}


def differences(cut: Rows, whole: Rows) -> list[str]:
    """Values of the cut text that the whole text does not have at the same place."""
    found = []
    for frame in OF_A_PRINT:
        rows, expected = cut[frame], whole[frame]
        if len(rows) > len(expected):
            found.append(f"{frame}: {len(rows)} rows of {len(expected)}")
        for row, full in zip(rows, expected, strict=False):
            section = full.get("process_section")
            allowed = SAYS_LESS.get(str(section), {section, "absent"})
            found += [
                f"{frame}: {key} {value!r} is {full.get(key)!r}"
                for key, value in row.items()
                if value != full.get(key) and not (key == "process_section" and value in allowed)
            ]
    return found


@pytest.mark.parametrize("capture", EVERY_CAPTURE)
def test_cut_at_any_line_or_byte_gives_a_prefix_or_an_unknown(capture: Path) -> None:
    data = capture.read_bytes()
    whole, damaged = claims(rows_of(data)), damaged_lines(data)
    lines = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    places = {*lines, *random.Random(capture.name).choices(range(1, len(data)), k=CUTS)}  # noqa: S311 - a fixed seed

    wrong = {place: differences(claims(rows_of(data[:place]), damaged), whole) for place in sorted(places)}

    assert {place: found for place, found in wrong.items() if found} == {}


@pytest.mark.parametrize("capture", EVERY_CAPTURE)
def test_every_line_is_used_ignored_or_a_problem(capture: Path) -> None:
    (row,) = smianalyze.load(capture).inputs.to_dict("records")

    assert row["lines"] == row["used"] + row["ignored"] + row["problem_lines"]


@pytest.mark.parametrize("capture", EVERY_CAPTURE)
def test_windows_line_ends_change_nothing(capture: Path) -> None:
    data = capture.read_bytes()
    if b"\r" in data or b"\0" in data:
        pytest.skip("has other line ends already")

    assert rows_of(data.replace(b"\n", b"\r\n")) == rows_of(data)


def test_two_texts_joined_give_the_rows_of_both() -> None:
    first, second = (FIXTURES / "smi_table" / name for name in ("generation_580.txt", "generation_530.txt"))

    joined = smianalyze.loads(first.read_text() + second.read_text())
    apart = smianalyze.load(first, second)

    for frame in OF_A_PRINT:
        columns = ["line", "source"]
        assert getattr(joined, frame).drop(columns=columns).equals(getattr(apart, frame).drop(columns=columns))


def test_flipped_byte_changes_only_its_own_print() -> None:
    first, second = ((FIXTURES / "demo" / f"smi_{name}.txt").read_bytes() for name in ("before", "after"))
    whole = rows_of(first + second)
    chance = random.Random("flips")  # noqa: S311 - a fixed seed
    letters = b"0123456789 |+-=ABCWP%/.:NE!*MiB\t>#"

    for _ in range(500):
        place, letter = chance.randrange(len(first), len(first + second)), chance.choice(letters)
        data = bytearray(first + second)
        data[place] = letter
        got = rows_of(bytes(data))

        for frame in OF_A_PRINT:
            of_first = [row for row in whole[frame] if row["snapshot"] == 0]
            assert got[frame][: len(of_first)] == of_first, (place, chr(letter))
