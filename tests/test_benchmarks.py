"""The benchmarks compare what is comparable: whoever reads a capture finds all that it says."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from bench import CONTENDERS, LINES, OURS, Contender, Row, Sizes, WrongSums, check, contenders, markdown, measured
from captures import CAPTURES, write
from drawing import cost_s

ROOT = Path(__file__).resolve().parents[1]
REGEX_LOOP = next(one for one in CONTENDERS if one.module == "regex_loop")
SIZE = 20_000  # bytes


@pytest.mark.slow
@pytest.mark.parametrize("kind", CAPTURES)
def test_every_contender_finds_what_the_capture_says(kind: str, tmp_path: Path) -> None:
    truth = write(kind, SIZE, tmp_path / kind)

    for contender in contenders(kind):
        check(contender, kind, tmp_path / kind, truth)


def test_contender_that_misses_a_value_is_found_out(tmp_path: Path) -> None:
    truth = write("dmon", SIZE, tmp_path / "dmon")
    truth["gpus.power_draw_w"] += 1

    with pytest.raises(WrongSums, match="power_draw_w"):
        check(REGEX_LOOP, "dmon", tmp_path / "dmon", truth)


@pytest.mark.parametrize("contender", [one for one in CONTENDERS if one.module], ids=lambda one: one.module)
def test_contender_is_listed_with_all_that_it_reads(contender: Contender) -> None:
    if contender.needs:
        pytest.importorskip(contender.needs)

    assert set(import_module(f"contenders.{contender.module}").READERS) == contender.kinds


@pytest.mark.parametrize("kind", CAPTURES)
def test_capture_is_the_same_each_time_and_ends_on_a_whole_piece(kind: str, tmp_path: Path) -> None:
    sums = [write(kind, SIZE, tmp_path / name) for name in ("one", "two")]
    size = len((tmp_path / "one").read_bytes())

    assert sums[0] == sums[1]
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one").read_bytes().endswith(b"\n")
    assert SIZE <= size < 2 * SIZE


def test_cost_is_that_beyond_the_small_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.CONTENDERS", (LINES,))
    (row,) = measured("dmon", Sizes(big=2_000_000, slow=100_000), tmp_path)

    assert row.bytes_a_second > 1e8
    assert row.grown_mib < 1
    assert list(tmp_path.iterdir()) == []


def test_table_says_how_many_times_as_fast_we_are() -> None:
    rows = [Row("csv", OURS, 100e6, 300.4, 150), Row("csv", REGEX_LOOP, 8e6, 1_234, 1_220)]

    assert markdown(rows, Sizes(big=200_000_000, slow=3_000_000)).endswith(
        "| csv | smianalyze, to frames | 100 | 1 x | 300 | 150 |\n"
        "| csv | loop with `re` | 8 | 12 x | 1,234 | 1,220 |\n"
    )


@pytest.mark.slow
def test_pictures_of_a_long_series_take_a_second_or_two() -> None:
    drawn = cost_s()

    assert {"timeline.png", "distribution.png"} < drawn.keys()
    assert sum(drawn.values()) < 4  # 1.5 s, or more while the machine is busy


def test_readme_quotes_the_results() -> None:
    results = ROOT / "benchmarks" / "results.md"

    assert results.read_text(encoding="utf-8") in (ROOT / "README.md").read_text(encoding="utf-8")
