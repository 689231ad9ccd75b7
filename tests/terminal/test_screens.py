"""Recordings of watch: every screen that was painted is read, and none that was not."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze
from smianalyze.errors import UnreadableInput
from smianalyze.terminal.containers import recording
from smianalyze.terminal.replay import LONGEST_TOKEN
from smianalyze.terminal.screens import LOOK, PaintedScreen, split_screens

WATCH = FIXTURES / "watch"
RECORDING = (WATCH / "h200_40x120.raw").read_bytes().decode()
NARROW = (WATCH / "h200_24x80.raw").read_bytes().decode()


def screens_of(raw: str, *, size: int = 1_000_000) -> list[tuple[str, ...]]:
    """The rows of each screen of a recording that comes in blocks of this size."""
    blocks = [raw[start : start + size] for start in range(0, len(raw), size)]
    return [part.screen.rows for part in split_screens(recording(blocks)) if isinstance(part, PaintedScreen)]


def values(capture: smianalyze.Capture) -> list[list[object]]:
    """What the cards of each print show, without the places where it was read."""
    cards = capture.gpus.drop(columns=["source", "line", "time"])
    return cards.astype(object).where(cards.notna(), None).to_numpy().tolist()


@pytest.mark.parametrize("capture", captures("watch"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("name", ["h200_40x120.raw", "h200_24x80.raw", "repeats_80x24.log"])
def test_cut_anywhere_gives_the_first_screens(name: str) -> None:
    raw = (WATCH / name).read_bytes().decode()
    whole = screens_of(raw)
    for end in range(0, len(raw), 3):
        part = screens_of(raw[:end])

        assert part == whole[: len(part)]


@pytest.mark.parametrize("name", ["h200_40x120.raw", "repeats_80x24.log", "wrapped_80x24_de.typescript"])
def test_block_by_block_gives_the_same_screens(name: str) -> None:
    raw = (WATCH / name).read_bytes().decode() * 30
    whole = screens_of(raw)

    assert [size for size in (997, 4_096, 40_000) if screens_of(raw, size=size) != whole] == []


def test_long_recording_is_read_in_steps() -> None:
    raw = RECORDING + "\x1b[?1049l" + "x\n" * 40_000 + RECORDING * 40 + "\x1b[5;5H" + "y\n" * 40_000

    assert screens_of(raw, size=3_000) == screens_of(raw)
    assert len(screens_of(raw)) > 41 * 8


def test_look_ahead_is_longer_than_a_token() -> None:
    assert LOOK > LONGEST_TOKEN


def test_screen_too_low_says_what_was_not_seen() -> None:
    capture = smianalyze.loads(NARROW)
    (note,) = capture.inputs["note"]

    assert capture.snapshots[["screen_rows", "screen_columns"]].drop_duplicates().to_numpy().tolist() == [[24, 80]]
    assert capture.snapshots["cut_bottom"].all()
    assert set(capture.gpus["gpu_index"]) == {0}
    assert "bottom of a screen of 24 x 80" in note
    assert "GPUs after 0 and processes there were not seen" in note


def test_card_below_the_screen_has_not_vanished() -> None:
    both = smianalyze.loads(RECORDING)
    one = smianalyze.loads(NARROW)
    change = smianalyze.compare(both, one)

    assert change is not None
    assert "vanished" not in set(change.gpus["change"])
    assert "ended" not in set(change.processes["change"])


def test_screen_that_fits_is_not_cut() -> None:
    capture = smianalyze.loads(RECORDING)

    assert not capture.snapshots["cut_bottom"].any()
    assert not capture.snapshots["cut_right"].any()
    assert capture.inputs["note"].isna().all()


def cast(version: int) -> str:
    """The recording as an asciicast with a write every 100 characters, half a second apart."""
    pieces = [RECORDING[start : start + 100] for start in range(0, len(RECORDING), 100)]
    if version == 1:
        stdout = [[0.5, piece] for piece in pieces]
        return json.dumps({"version": 1, "width": 120, "height": 40, "stdout": stdout})
    head: dict[str, object] = {"version": 2, "width": 120, "height": 40, "env": {"TERM": "xterm"}}
    if version == 3:
        head = {"version": 3, "term": {"cols": 120, "rows": 40, "type": "xterm"}}
    events = [[0.5 if version == 3 else number / 2, "o", piece] for number, piece in enumerate(pieces, 1)]
    return "\n".join(json.dumps(line) for line in [head, *events]) + "\n"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_asciicast_equals_the_raw_recording(version: int) -> None:
    capture = smianalyze.loads(cast(version))

    assert values(capture) == values(smianalyze.loads(RECORDING))
    assert set(capture.snapshots["time_basis"]) <= {"recorded", "printed", "spread"}


def test_typescript_equals_the_raw_recording() -> None:
    head = 'Script started on 2026-11-30 19:38:50+00:00 [TERM="xterm-256color" COLUMNS="120" LINES="40"]\n'
    shell = "$ watch -n 0.5 nvidia-smi\r\n"
    tail = "\x1b[40;1H\x1b[?1049l\r\x1b[?1l\x1b>$ exit\r\n\nScript done on 2026-11-30\n"
    capture = smianalyze.loads(head + shell + RECORDING + tail)

    assert values(capture)[: len(values(smianalyze.loads(RECORDING)))] == values(smianalyze.loads(RECORDING))
    assert capture.problems.empty


TABLE = """\
Mon Nov 30 19:36:40 2026
| 0  Tesla T4  Off | 00000000:00:04.0 Off | 0 |
| N/A 36C P8 {power}W / 70W | 3MiB / 15109MiB | 0% Default |
"""


def test_plain_prints_between_clears_are_lines() -> None:
    loop = "".join(f"\x1b[H\x1b[2J\x1b[3J{TABLE.format(power=power)}" for power in (9, 10, 11))

    assert smianalyze.loads(loop).gpus["power_draw_w"].tolist() == [9.0, 10.0, 11.0]


def test_plain_print_before_the_recording_comes_first() -> None:
    capture = smianalyze.loads("$ nvidia-smi\r\n" + TABLE.format(power=9).replace("\n", "\r\n") + RECORDING)

    assert capture.gpus["power_draw_w"].tolist()[0] == 9.0
    assert len(capture.snapshots) == 1 + len(smianalyze.loads(RECORDING).snapshots)


def later_watch(ticks: int) -> str:
    """What procps from 4.0.5 on sends: it rests below the header, and paints the header by itself."""
    head = "\x1b[?1049h\x1b[1;10r\x1b[H\x1b[2J"
    table = "| 0  Tesla T4  Off | 00000000:00:04.0 Off | 0 |"
    load = "| N/A 36C P8 {:2}W / 70W | 3MiB / 15109MiB | 0% Default |"
    first = f"\x1b[1;1HEvery 1.0s: nvidia-smi\x1b[1;60Hvm: 12:00:00\x1b[2;60Hin 0.047s (0)\x1b[4;1H{table}"
    stream = head + first + f"\x1b[5;1H{load.format(10)}\x1b[3;1H"
    for tick in range(1, ticks):
        stream += f"\x1b[1;70H{tick:02}\x1b[2;67H{tick:02}\x1b[3;1H\x1b[5;14H{10 + tick}\x1b[3;1H"
    return stream + "\x1b[10;1H\x1b[?1049l"


def test_header_that_is_painted_by_itself_makes_no_print() -> None:
    assert smianalyze.loads(later_watch(5)).gpus["power_draw_w"].tolist() == [10.0, 11.0, 12.0, 13.0, 14.0]


def test_screen_that_returns_after_the_end_is_no_print() -> None:
    before = "\x1b[H\x1b[2J" + TABLE.format(power=9) + "$ watch nvidia-smi\r\n"
    capture = smianalyze.loads(before + later_watch(2) + "$ ")

    assert capture.gpus["power_draw_w"].tolist() == [9.0, 10.0, 11.0]


def test_recording_without_its_beginning_gives_no_wrong_value() -> None:
    whole = values(smianalyze.loads(RECORDING))
    for start in range(200, len(RECORDING), 100):
        assert [row for row in values(smianalyze.loads(RECORDING[start:])) if row not in whole] == []


def test_prints_of_one_second_are_spread_over_it() -> None:
    snapshots = smianalyze.loads(RECORDING).snapshots
    spread = snapshots[snapshots["time_basis"].eq("spread")]

    assert spread["time"].dt.microsecond.isin([0, 500_000, 333_333, 666_667]).all()
    assert snapshots["time"].is_monotonic_increasing


def test_clock_of_the_recording_gives_the_steps_between_prints() -> None:
    capture = smianalyze.loads(slow_cast())

    assert set(capture.snapshots["time_basis"]) == {"recorded"}
    assert capture.snapshots["time"].diff().dropna().dt.total_seconds().tolist() == [0.25, 0.25, 0.25]
    assert capture.snapshots["time"].iloc[0] >= datetime(2026, 11, 30, 19, 36, 40)


def slow_cast() -> str:
    """Four screens a quarter of a second apart that print one and the same second."""
    load = "\x1b[6;1H| N/A 36C P8 {:2}W / 70W | 3MiB / 15109MiB | 0% Default |\x1b[10;80H"
    first = "\x1b[?1049h\x1b[H\x1b[2J\x1b[4;1HMon Nov 30 19:36:40 2026"
    first += "\x1b[5;1H| 0  Tesla T4  Off | 00000000:00:04.0 Off | 0 |"
    events = [
        [0.25 * number, "o", (first if number == 0 else "") + load.format(10 + number)] for number in range(4)
    ]
    head = {"version": 2, "width": 80, "height": 10}
    return "\n".join(json.dumps(line) for line in [head, *events, [2.0, "o", "\x1b[10;1H\x1b[?1049l"]])


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param("\x1b[2;2Hx\x1b[H\x1b[2J" * 25_000, id="clears"),
        pytest.param("\x1b[5;5H" + "x\u0301" * 130_000, id="combining marks"),
        pytest.param("\x1b[5;5Hx\x1b[2;2Hy" * 25_000, id="a screen every few bytes"),
        pytest.param("\x1b[?1049h\x1b[5;5Hx" * 25_000, id="alternate screens"),
        pytest.param("\x1b[?1049h\x1b[5;5Hx\x1b[?1049l" * 17_000, id="many programs"),
        pytest.param("\x1b[5;5H" + "\x1b]" * 200_000, id="unterminated strings"),
        pytest.param("\x1b[5;5H\x1b[" + "1" * 400_000, id="a long parameter"),
        pytest.param("\x1b[1;999999r\x1b[999;5Hx\x1b[L" * 20_000, id="a high screen"),
        pytest.param(
            '{"version": 2, "width": 1000, "height": 1000000}\n[1, "o", "\\u001b[5;5Hx"]', id="a huge size"
        ),
        pytest.param('{"version": 2}\n' + "[" * 400_000, id="nested brackets"),
    ],
)
def test_hostile_recording_ends_soon(stream: str) -> None:
    start = time.process_time()
    capture = smianalyze.loads(stream)
    took = time.process_time() - start

    assert took < 2.0
    assert pd.Series(capture.gpus["gpu_index"]).empty


def test_corner_that_is_filled_by_stepping_back_is_one_screen() -> None:
    head = 'Script started on 2026-11-30 [TERM="ansi" COLUMNS="20" LINES="4"]'
    stream = "\x1b[H\x1b[2Jx\x1b[4;1H+-\x1b[17b\x1b[D-\x1b[D\x1b[1@-\x1b[1;1Hy\x1b[4;20H"
    screens = screens_of(f"{head}\n{stream}")

    assert screens == [("x", "", "", "+" + "-" * 19), ("y", "", "", "+" + "-" * 19)]


@pytest.mark.parametrize("name", ["h200_40x120.raw", "repeats_80x24.log", "wrapped_80x24_de.typescript"])
def test_print_equals_that_of_its_screen_as_text(name: str) -> None:
    raw = (WATCH / name).read_bytes().decode()
    texts = ["\n".join(rows[2:]) for rows in screens_of(raw)]
    alone = [row for text in texts for row in values(smianalyze.loads(text))]

    assert [row[3:] for row in values(smianalyze.loads(raw))] == [row[3:] for row in alone]


@pytest.mark.parametrize("advanced", [False, True])
def test_timing_file_beside_a_typescript_gives_the_times(tmp_path: Path, advanced: bool) -> None:
    head = 'Script started on 2026-11-30 [TERM="xterm" COLUMNS="80" LINES="10"]\n'
    writes = [data for _, _, data in map(json.loads, slow_cast().split("\n")[1:])]
    (tmp_path / "typescript").write_text(head + "".join(writes), encoding="utf-8")
    steps = [f"{'O ' * advanced}0.250000 {len(data)}\n" for data in writes]
    (tmp_path / "timing").write_text("".join(steps), encoding="utf-8")
    capture = smianalyze.load(tmp_path / "typescript")

    assert set(capture.snapshots["time_basis"]) == {"recorded"}
    assert capture.snapshots["time"].diff().dropna().dt.total_seconds().tolist() == [0.25, 0.25, 0.25]


def test_timing_file_that_is_named_gives_the_times(tmp_path: Path) -> None:
    head = "Script started on 2026-11-30\n"
    shell = "$ watch nvidia-smi\r\n"
    writes = [shell, *(data for _, _, data in map(json.loads, slow_cast().split("\n")[1:]))]
    (tmp_path / "run.log").write_bytes((head + "".join(writes)).encode())
    timing = tmp_path / "when"
    lines = ["H 0.0 LINES 10", "H 0.0 COLUMNS 80", *(f"O 0.250000 {len(data)}" for data in writes)]
    timing.write_text("\n".join(lines), encoding="utf-8")
    times = smianalyze.load(tmp_path / "run.log", timing=timing).snapshots

    assert times["time"].diff().dropna().dt.total_seconds().tolist() == [0.25, 0.25, 0.25]
    assert set(times["screen_columns"]) == {80}


def test_missing_timing_file_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(RECORDING, encoding="utf-8")

    with pytest.raises(UnreadableInput, match="there is no such file"):
        smianalyze.load(tmp_path / "run.log", timing=tmp_path / "when")


def test_recording_equals_the_csv_of_the_same_run() -> None:
    screens = smianalyze.loads(RECORDING).gpus
    csv = smianalyze.load(WATCH / "h200_same_run.csv").gpus
    found = [near(csv, row) for row in screens.itertuples()]

    assert len(found) == 26
    assert all(found)


def near(csv: pd.DataFrame, row: object) -> bool:
    """Whether a card reads as it did between two samples around that second."""
    times = (csv["time"] - row.time).abs() <= pd.Timedelta(seconds=1.7)  # a second, and a sample
    rows = csv[times & csv["gpu_index"].eq(row.gpu_index)]
    moves = {"memory_used_mib": 0, "utilization_gpu_pct": 1, "temperature_gpu_c": 1, "power_draw_w": 5.0}
    return all(rows[name].min() - by <= getattr(row, name) <= rows[name].max() + by for name, by in moves.items())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dumb_80x24.log", "TERM=dumb"),
        ("no_terminal.log", "did not know its terminal"),
        ("no_wrap_40x120.log", "Leave out -w"),
    ],
)
def test_recording_that_lost_its_tables_says_why(name: str, words: str) -> None:
    (note,) = smianalyze.load(WATCH / name).inputs["note"]

    assert words in note
    assert "nvidia-smi -l 1 > FILE" in note


def test_empty_input_says_what_may_have_been_wrong() -> None:
    (note,) = smianalyze.loads("").inputs["note"]

    assert "TERM" in note


def test_lines_that_watch_dropped_leave_values_unknown() -> None:
    gpus = smianalyze.load(WATCH / "no_wrap_40x120.log").gpus

    assert gpus["gpu_index"].tolist() == [0, 1] * 5
    assert gpus["memory_used_mib"].isna().all()


def busybox(power: int) -> str:
    """What watch of busybox prints: it clears the screen, and writes lines."""
    head = "Every 1.0s: nvidia-smi                                    2026-11-30 19:36:40"
    return "\x1b[H\x1b[J" + f"{head}\n\n{TABLE.format(power=power)}\n".replace("\n", "\r\n")


def captured_pane(power: int) -> str:
    """A screen of watch as tmux and screen save it: plain rows, and empty ones below."""
    head = "Every 1.0s: nvidia-smi                              vm: Mon Nov 30 19:36:40 2026"
    return f"{head}\n\n{TABLE.format(power=power)}" + "\n" * 20


@pytest.mark.parametrize("made", [busybox, captured_pane])
def test_loops_that_print_whole_screens_are_read_as_lines(made: Callable[[int], str]) -> None:
    capture = smianalyze.loads("".join(map(made, (9, 10, 10, 11))))

    assert capture.gpus["power_draw_w"].tolist() == [9.0, 10.0, 10.0, 11.0]
    assert capture.problems.empty
    assert capture.inputs["note"].isna().all()


BAR = "{name}: {share:3}%|##   | {step}/50 [00:0{step}<00:09,  8.0it/s, loss={loss}]"


def nested_bars() -> str:
    """Two bars of tqdm, one above the other: the lower one goes up a line when it is done."""
    outer = "\repochs:  50%|##   | 1/2 [00:01<00:01,  1.0s/it]\n"
    return outer + "\x1b[A".join(
        f"\r{BAR.format(name='train', share=2 * step, step=step, loss=9 - step)}" for step in range(1, 6)
    )


def backspaced_bar() -> str:
    """One line that is taken back by as many backspaces as it has characters."""
    states = [BAR.format(name="train", share=2 * step, step=step, loss=9 - step) for step in range(1, 6)]
    return "".join(state + "\b" * len(state) for state in states) + "\n"


def live_lines() -> str:
    """What rich does: the line above is erased and written again, with the cursor hidden."""
    states = [BAR.format(name="train", share=2 * step, step=step, loss=9 - step) for step in range(1, 6)]
    return "\x1b[?25l" + "\r\x1b[1A\x1b[2K".join(f"{state}\r\n" for state in states) + "\x1b[?25h"


@pytest.mark.parametrize("made", [nested_bars, backspaced_bar, live_lines])
@pytest.mark.parametrize("before", ["", RECORDING + "\x1b[40;1H\x1b[?1049l"], ids=["alone", "after watch"])
def test_every_state_of_a_bar_is_a_record(made: Callable[[], str], before: str) -> None:
    steps = smianalyze.loads(before + made()).steps

    assert steps["loss"].dropna().tolist() == [8.0, 7.0, 6.0, 5.0, 4.0]


def test_told_columns_reach_the_lines_around_a_recording() -> None:
    text = RECORDING + "\x1b[40;1H\x1b[?1049l\n0, 31022 MiB\n1, 3102"
    gpus = smianalyze.loads(text, csv_columns="index,memory.used").gpus

    assert gpus["memory_used_mib"].tolist()[-2:] == [31022, pd.NA]
