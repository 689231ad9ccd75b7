"""Encodings, line ends and lines without end."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smianalyze.decode import BLOCK_BYTES, PIECE_BYTES, decode, lines_of
from smianalyze.errors import UnreadableInput
from smianalyze.long_lines import LONGEST_WORD_BYTES

LINE_BYTES = 64 * 1024


class Read(NamedTuple):
    """What is read of a text."""

    lines: tuple[str, ...]
    encoding: str
    open_end: bool
    notes: tuple[str, ...]


def decoded(data: bytes, *, step: int = 65536, line_bytes: int = LINE_BYTES) -> Read:
    return read([data[start : start + step] for start in range(0, len(data), step)], line_bytes=line_bytes)


def read(chunks: list[bytes], *, line_bytes: int = LINE_BYTES) -> Read:
    text = decode("a.txt", chunks, line_bytes=line_bytes)
    lines = tuple(line for block in text.blocks() for line in lines_of(b"".join(block)))
    assert b"".join(text.pieces()) == b"".join(piece for block in text.blocks() for piece in block)
    return Read(lines, text.encoding, text.open_end, text.notes)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"a", ("a",)),
        (b"a\n", ("a",)),
        (b"a\n\n", ("a", "")),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"a\r\r\nb", ("a", "b")),
        (b"a\rb\rc\nd\n", ("a\rb\rc", "d")),
        (b"a\x0bb\x0c\x1c\xc2\x85\xe2\x80\xa8c\n", ("a\x0bb\x0c\x1c\x85\u2028c",)),
    ],
)
def test_lines_end_at_lf_alone(data: bytes, lines: tuple[str, ...]) -> None:
    assert decoded(data).lines == lines


def test_file_without_lf_has_lines_that_end_at_cr() -> None:
    assert decoded(b"a\rb\r").lines == ("a", "b")


def test_terminal_recording_without_lf_is_one_line() -> None:
    recording = b"\x1b[H\x1b[2Ja\r\x1b[2;1Hb\r"

    assert decoded(recording).lines == (recording.decode(),)


def test_cr_stays_from_the_line_on_that_places_the_cursor() -> None:
    assert decoded(b"\x1b[32mgreen\x1b[0m\r\n\x1b[2;1Ha\r\nb\r\n").lines == (
        "\x1b[32mgreen\x1b[0m",
        "\x1b[2;1Ha\r",
        "b\r",
    )


@pytest.mark.parametrize(
    ("data", "open_end"),
    [(b"", False), (b"a\n", False), (b"a\nb", True), (b"a\rb\r", False), (b"a\rb", True)],
)
def test_line_that_may_be_cut_is_told(data: bytes, open_end: bool) -> None:
    assert decoded(data).open_end is open_end


@pytest.mark.parametrize(
    ("encoding", "bom"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
@pytest.mark.parametrize("step", [1, 7, 65536])
def test_unicode_is_read_with_its_mark(encoding: str, bom: bytes, step: int) -> None:
    text = "GPU 显存 52°C 😀\r\n| 0 |\r\n"

    rest = text[4:].encode(encoding)
    chunks = [bom + text[:4].encode(encoding), *(rest[at : at + step] for at in range(0, len(rest), step))]

    result = read(chunks)

    assert result.lines == ("GPU 显存 52°C 😀", "| 0 |")
    assert result.encoding == ("utf-8-sig" if bom == b"\xef\xbb\xbf" else encoding)
    assert result.notes == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_without_a_mark(encoding: str) -> None:
    result = decoded("timestamp, name 显存\n2024/07/08, A100\n".encode(encoding))

    assert result.lines == ("timestamp, name 显存", "2024/07/08, A100")
    assert result.encoding == encoding


@pytest.mark.parametrize("at", [60, 61])
def test_a_stray_nul_does_not_make_utf_16(at: int) -> None:
    line = "x" * at + "\0" + "x" * 80

    assert decoded(line.encode()).lines == (line,)


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"\xff\xfea\0\x3d\xd8b\0", "a\\ud83db"), (b"\xff\xfea\0b", "ab"), (b"\xff\xfea\0\xe9", "a\\xe9")],
    ids=["half in the middle", "cut", "cut outside ASCII"],
)
def test_half_a_character_of_utf_16_is_shown_and_noted(data: bytes, line: str) -> None:
    result = decoded(data)

    assert result.lines == (line,)
    assert result.notes == ("Some characters are broken or cut; their bytes are shown as escapes.",)


def test_chinese_text_of_windows_is_read() -> None:
    text = "显存不足: 已用 40536MiB / 40960MiB\nplain\n进程 喆 python\n"

    # In GB18030 the last line is UTF-8 by chance.
    result = decoded((text + "模\n").encode("gb18030"))

    assert result.lines == (*text.splitlines(), "模")
    assert result.encoding == "gb18030"
    assert "gb18030" in result.notes[0]


@pytest.mark.parametrize(
    "text",
    ["température 52°C\nétat\n", "température", "état\ncafÃ", "créée été"],
    ids=["lines", "open end", "open end like cut UTF-8", "a Chinese character by chance"],
)
def test_western_text_is_read_as_latin_1(text: str) -> None:
    result = decoded(text.encode("latin-1"))

    assert "\n".join(result.lines) == text.removesuffix("\n")
    assert result.encoding == "latin-1"
    assert "latin-1" in result.notes[0]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("epoch 1\ncafé".encode()[:-1], ("epoch 1", "caf\\xc3")),
        (b"52\xc2\xb0C\nbad \xb0 byte\n", ("52°C", "bad \\xb0 byte")),
        (b"\xef\xbb\xbfbad \xb0 byte\n", ("bad \\xb0 byte",)),
        (b"quote \x93 here\n", ("quote \\x93 here",)),
    ],
    ids=["cut at the end", "one bad line", "marked as UTF-8", "a control in Latin-1"],
)
def test_a_few_bad_bytes_stay_visible_in_utf_8(data: bytes, lines: tuple[str, ...]) -> None:
    result = decoded(data)

    assert result.lines == lines
    assert result.encoding.startswith("utf-8")
    assert result.notes == ("Lines with bytes that are no UTF-8: 1; shown as escapes.",)


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x01" + bytes(9), bytes(5), bytes(range(256)) * 9])
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableInput, match=r"a\.txt is not text"):
        decoded(data)


def test_few_odd_bytes_are_damage() -> None:
    assert decoded(b"\1\2\3\4").lines == ("\1\2\3\4",)
    assert decoded(b"\0" * 5 + b"x" * 96).lines == ("\0" * 5 + "x" * 96,)


@pytest.mark.parametrize("step", [1, 3, 100, 65536])
def test_long_line_keeps_its_head_and_the_next_line_is_whole(step: int) -> None:
    data = b"x\n" + b"loss 0.125 " * 20 + b"\nloss 0.5\n"

    result = decoded(data, step=step, line_bytes=27)

    # The limit falls into the third 0.125.
    assert result.lines == ("x", "loss 0.125 loss 0.125 loss 0.125"[:32], "loss 0.5")
    assert result.notes == ("Lines cut at 27 bytes: 1 (188 bytes dropped).",)


@pytest.mark.parametrize("step", [1, 65536])
def test_word_without_end_is_cut_all_the_same(step: int) -> None:
    result = decoded(b"y" * 5000 + b"\nz", step=step, line_bytes=1000)

    assert result.lines == ("y" * (1000 + LONGEST_WORD_BYTES), "z")


@pytest.mark.parametrize("step", [1, 65536])
def test_cut_does_not_break_a_character(step: int) -> None:
    result = decoded(("显" * 50).encode(), step=step, line_bytes=16)

    assert result.lines == ("显" * 6,)
    assert result.encoding == "utf-8"


def test_progress_bars_and_recordings_are_not_long_lines() -> None:
    data = b"step 1/9\r" * 100 + b"\n" + b"\x1b[1;1H42 %" * 100 + b"\n"

    result = decoded(data, line_bytes=20)

    assert result.lines == ("step 1/9\r" * 99 + "step 1/9", "\x1b[1;1H42 %" * 100)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_and_pieces_are_bounded_and_end_where_nothing_is_parted(end: str) -> None:
    data = (f"| 显 |{end}" * BLOCK_BYTES)[:BLOCK_BYTES].encode()
    text = decode(
        "a.txt", [data[start : start + 1000] for start in range(0, len(data), 1000)], line_bytes=LINE_BYTES
    )

    blocks = [b"".join(block) for block in text.blocks()]
    assert len(blocks) > 1
    assert b"".join(blocks) == data.replace(b"\r\n", b"\n").removesuffix(b"\r")
    assert all(block.endswith(b"\n") and len(block) <= BLOCK_BYTES + 3 * PIECE_BYTES for block in blocks[:-1])
    assert max(map(len, text.pieces())) <= 3 * PIECE_BYTES


@pytest.mark.parametrize("between", [b"\x1b[2;1Hab", b"12 %\r\r"])
def test_line_without_end_comes_in_pieces(between: bytes) -> None:
    text = decode("a.txt", [b"x\n", *[between * 1000] * 100], line_bytes=LINE_BYTES)

    assert max(map(len, text.pieces())) <= 3 * PIECE_BYTES
    assert b"".join(text.pieces()) == b"x\n" + (between * 100_000).rstrip(b"\r")


BYTES = st.lists(st.sampled_from([b"a", b"bbbbbbbbb", b" ", b"\n", b"\r", b"\x1b", "显".encode(), b"\xe9"])).map(
    b"".join
)


@given(BYTES, st.integers(1, 20), st.integers(1, 60))
def test_any_bytes_give_the_same_text_in_any_steps(data: bytes, step: int, line_bytes: int) -> None:
    head = b"smi\n"
    whole = read([head, data], line_bytes=line_bytes)
    steps = [data[start : start + step] for start in range(0, len(data), step)]

    assert read([head, *steps], line_bytes=line_bytes) == whole


def test_exact_limit_is_not_too_long() -> None:
    assert decoded(b"x\naaaa\naaaa b\n", line_bytes=4).lines == ("x", "aaaa", "aaaa")
    assert decoded(b"x\naaaa\n", line_bytes=4).notes == ()


@given(st.binary(max_size=300))
def test_any_bytes_keep_their_line_numbers_and_can_be_written(data: bytes) -> None:
    result = read([b"smi\n", data])

    assert len(result.lines) == 1 + data.count(b"\n") + result.open_end
    assert "\n".join(result.lines).encode().count(b"\n") == len(result.lines) - 1


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs", "Cc"])), st.integers(1, 9))
@settings(max_examples=50)
def test_text_comes_back_as_it_was(line: str, count: int) -> None:
    result = decoded(f"{line}\r\n".encode() * count)

    assert result.lines == (line.removeprefix("\ufeff"), *(line,) * (count - 1))
