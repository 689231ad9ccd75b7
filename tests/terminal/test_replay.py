from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from smianalyze.terminal.cells import MAX_COLUMNS, MAX_MARKS, MAX_ROWS, UNPAINTED
from smianalyze.terminal.replay import TOKEN, Terminal

HOME_AND_CLEAR = "\x1b[H\x1b[2J"


def shown(stream: str, *, height: int = 4, width: int = 12, wraps_late: bool = True) -> list[str]:
    """The rows of a cleared terminal that was sent this."""
    terminal = Terminal(height, width, wraps_late=wraps_late)
    for token in TOKEN.finditer(HOME_AND_CLEAR + stream):
        terminal.apply(token)
    return [terminal.text(row) for row in range(height)]


@pytest.mark.parametrize(
    ("stream", "rows"),
    [
        pytest.param("\x1b[2;3Hab\x1b[4dc\x1b[1Gd", ["", "  ab", "", "d   c"], id="addresses"),
        pytest.param("ab\x1b[2Cc\x1b[3Dd\x1b[Be\x1b[Af", ["abd f", "   e"], id="relative moves"),
        pytest.param("+-\x1b[6b+", ["+-------+"], id="REP repeats the last character"),
        pytest.param("abcdef\x1b[1;3H\x1b[2X", ["ab  ef"], id="ECH erases in place"),
        pytest.param("abcdef\x1b[1;3H\x1b[K", ["ab"], id="EL to the end"),
        pytest.param("abcdef\x1b[1;3H\x1b[1K", ["   def"], id="EL from the start"),
        pytest.param("abcdef\x1b[1;3H\x1b[2@", ["ab  cdef"], id="ICH makes room"),
        pytest.param("abcdef\x1b[1;3H\x1b[2P", ["abef"], id="DCH closes up"),
        pytest.param("1\r\n2\r\n3\x1b[2;1H\x1b[L", ["1", "", "2", "3"], id="IL"),
        pytest.param("1\r\n2\r\n3\x1b[1;1H\x1b[M", ["2", "3"], id="DL"),
        pytest.param("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n5", ["1", "3", "5", "4"], id="LF at a margin"),
        pytest.param("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bM5", ["1", "5", "2", "4"], id="RI at a margin"),
        pytest.param("1\r\n2\r\n3\x1bM4", ["1", "24", "3"], id="RI elsewhere is cursor up"),
        pytest.param("1\r\n2\r\n3\x1b[S", ["2", "3"], id="SU"),
        pytest.param("1\r\n2\r\n3\x1b[T", ["", "1", "2", "3"], id="SD"),
        pytest.param("1\r\n2\r\n3\x1b[2;1H\x1b[J", ["1"], id="ED"),
        pytest.param("x" * 12 + "y", ["x" * 12, "y"], id="text wraps with the next character"),
        pytest.param("x" * 12 + "\b\x1b[@-", ["x" * 10 + "-x"], id="BS in the last column"),
        pytest.param("\x1b[4;12H\x1b[?7lx\x1b[?7hx", ["", "", "", " " * 11 + "x"], id="corner without wrap"),
        pytest.param("\x1b[?7l" + "x" * 12 + "yz", ["x" * 11 + "z"], id="without wrap the last one stays"),
        pytest.param("ab\x1b[1;1H\x1b[4hcd\x1b[4l", ["cdab"], id="insert mode"),
        pytest.param("\x1b(0lqk\x1b(Bq", ["┌─┐q"], id="line drawing in G0"),
        pytest.param("\x1b)0\x0eq\x0fq", ["─q"], id="line drawing in G1"),
        pytest.param("日本\x1b[1;2Hx", [" x本"], id="half of a wide character is gone"),
        pytest.param("e\u0301x", ["e\u0301x"], id="combining mark"),
        pytest.param("\x1b[1;31mred\x1b[m \x1b]0;title\x07x", ["red x"], id="colours and titles"),
        pytest.param("a\x1b[?1049hb\x1b[?1049lc", ["ac"], id="alternate screen"),
        pytest.param("ab\x1b7\x1b[3;3Hx\x1b8c", ["abc", "", "  x"], id="save and restore"),
    ],
)
def test_sequence_does_what_terminals_do(stream: str, rows: list[str]) -> None:
    assert shown(stream) == (rows + [""] * 4)[:4]


def test_ansi_terminal_wraps_at_once() -> None:
    assert shown("x" * 12 + "\b\by", wraps_late=False) == ["x" * 12, "y", "", ""]


def test_cell_that_nobody_painted_is_no_blank() -> None:
    terminal = Terminal(1, 4)
    for token in TOKEN.finditer("\x1b[1;2H "):
        terminal.apply(token)

    assert terminal.text(0) == f"{UNPAINTED} {UNPAINTED * 2}"


# what terminals agree on; a unit is drawn whole, so that nothing is left to the taste of one of them
def random_units(rnd: random.Random, height: int, width: int) -> Iterator[str]:
    def row() -> int:
        return rnd.randint(1, height)

    def few(high: int = 6) -> str:
        return str(rnd.choice(["", *range(1, high)]))

    address = f"\x1b[{row()};{rnd.randint(1, width)}H"
    inside = f"\x1b[{row()};{rnd.randint(1, width - 6)}H"
    text = "".join(rnd.choices("abc123 |+-", k=rnd.randint(1, 9)))
    yield address + text
    yield "".join(rnd.choices("abc123 |+-", k=rnd.randint(1, width)))
    yield rnd.choice([f"\x1b[{row()}d", f"\x1b[{rnd.randint(1, width)}G", address])
    yield rnd.choice(["\r", "\b", "\b\n", "\r\n", "\b\x1bM", "\b\x1bD", "\x1bE", "\b\b"])
    yield f"\x1b[{few()}{rnd.choice('ABCDEF')}"
    yield f"\b\x1b[{rnd.choice(['', '1', '2'])}{rnd.choice('JK')}"
    yield f"\b\x1b[{few()}{rnd.choice('STX@P')}"
    yield f"\x1b[r\x1b[{row()}d\r\x1b[{few()}{rnd.choice('LM')}"
    top = rnd.randint(1, height - 1)
    yield rnd.choice([f"\x1b[{top};{rnd.randint(top + 1, height)}r", "\x1b[r"])
    yield f"{inside}x\x1b[{few()}b"
    yield rnd.choice([f"\x1b[{height};{width}H\x1b[?7l-\x1b[?7h", f"{inside}\x1b[4hab\x1b[4l", "\x1b7", "\x1b8"])
    yield rnd.choice(["\x1b(0lqk\x1b(B", "\x1b)0\x0eqq\x0f", "\x1b[1;31m", "\x1b]0;title\x07"])
    yield inside + rnd.choice(["한글", "日本", "é", "ü", "宽"])
    yield "\x1b[?1049hxyz\x1b[2;2Hmm\x1b[?1049l"


def test_random_screens_equal_those_of_another_emulator() -> None:
    avt = pytest.importorskip("avt", reason="pyavt has no wheel for this platform")
    different = []
    for seed in range(1500):
        rnd = random.Random(seed)  # noqa: S311 - the same streams on every run
        height, width = rnd.choice([(5, 10), (8, 33), (24, 80)])
        stream = "".join(rnd.choice([*random_units(rnd, height, width)]) for _ in range(40))
        other = avt.Vt(width, height)
        other.feed_str(HOME_AND_CLEAR + stream)
        if shown(stream, height=height, width=width) != [line.text.rstrip(" ") for line in other.view()]:
            different.append(seed)

    assert different == []


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param("a" + "\u0301" * 200_000, id="combining marks"),
        pytest.param("\x1b[" + "9" * 5_000 + "A" + "\x1b[" + "1;" * 5_000 + "H" + "x", id="long parameters"),
        pytest.param("\x1b]0;" * 100_000, id="unterminated strings"),
        pytest.param("\x1bP" + "x" * 400_000, id="one unterminated string"),
        pytest.param("\x1b[" * 200_000, id="sequences that break off"),
        pytest.param("x\x1b[999999999b" * 20_000, id="endless repeats"),
        pytest.param("\x1b[999999999L\x1b[999999999S\x1b[999999999@" * 10_000, id="endless scrolling"),
        pytest.param("\x1b[H\x1b[2J" * 50_000, id="many clears"),
        pytest.param("日" * 130_000, id="wide characters"),
        pytest.param("\x1b[?1049h\x1b[?1049l" * 20_000, id="many switches"),
        pytest.param("\n" * 400_000, id="line feeds"),
    ],
)
def test_hostile_stream_ends_soon_and_stays_inside(stream: str) -> None:
    terminal = Terminal(1_000_000, 1_000_000)
    start = time.process_time()
    for token in TOKEN.finditer(stream):
        terminal.apply(token)
    took = time.process_time() - start

    assert took < 1.0
    assert (len(terminal.rows), {len(row) for row in terminal.rows}) == (MAX_ROWS, {MAX_COLUMNS})
    assert max(len(cell) for row in terminal.rows for cell in row) <= MAX_MARKS + 1
