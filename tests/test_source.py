"""What a user may name, what is refused, and where reading stops."""

from __future__ import annotations

import gzip
import io
import os
import socket
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from smianalyze.decode import lines_of
from smianalyze.errors import UnreadableInput
from smianalyze.source import Limits, Text, from_text, open_inputs

MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"in {name}\n", encoding="utf-8")


def names(*inputs: str | Path) -> list[str]:
    return [source.name for source in open_inputs(*inputs)]


def read(name: str | Path, limits: Limits | None = None) -> Text:
    (source,) = open_inputs(name, limits=limits)
    return source.read()


def lines(text: Text) -> tuple[str, ...]:
    return tuple(line for block in text.decoded.blocks() for line in lines_of(b"".join(block)))


def check(text: Text, *, source: str, said: tuple[str, ...], size: int, encoding: str = "utf-8") -> None:
    assert (text.source, text.bytes, text.decoded.encoding) == (source, size, encoding)
    assert lines(text) == said
    assert lines(text) == said  # as often as it is asked


def test_file_is_read_with_its_name_as_given() -> None:
    write("a.txt")

    check(read("./a.txt"), source="./a.txt", said=("in a.txt",), size=9)


def test_inputs_keep_the_order_of_the_user(here: Path) -> None:
    write("b.txt", "a.txt")

    assert names("b.txt", here / "a.txt", "b.txt") == ["b.txt", str(here / "a.txt"), "b.txt"]


def test_glob_is_sorted_and_gives_files_alone() -> None:
    write("run/2.log", "run/10.log", "run/1.log", "run/deep.log/er/3.log", "run/.hidden.log")

    assert names("run/*.log") == ["run/1.log", "run/10.log", "run/2.log"]
    assert names("run/**/*.log")[-1] == "run/deep.log/er/3.log"


def test_glob_follows_links_like_a_shell() -> None:
    write("a.txt")
    Path("link.log").symlink_to("a.txt")
    Path("broken.log").symlink_to("nowhere")

    broken, link = open_inputs("*.log")

    assert lines(link.read()) == ("in a.txt",)
    with pytest.raises(UnreadableInput, match=r"^broken\.log: there is no such file"):
        broken.read()


def test_file_whose_name_looks_like_a_glob_is_that_file() -> None:
    write("run[1].txt", "run1.txt")

    assert names("run[1].txt") == ["run[1].txt"]


def test_folder_gives_the_files_below_it_sorted() -> None:
    write("runs/b/2.log", "runs/a.log", "runs/b/1.log", "runs/.git/config", "runs/.hidden", "other.log")
    os.mkfifo("runs/pipe")
    Path("runs/link.log").symlink_to("a.log")
    Path("runs/loop").symlink_to(".")

    assert names("runs/") == ["runs/a.log", "runs/b/1.log", "runs/b/2.log"]


def test_empty_file_has_no_lines() -> None:
    Path("a.txt").touch()

    check(read("a.txt"), source="a.txt", said=(), size=0)


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\r\nb")))

    text = read("-")

    check(text, source="<stdin>", said=("a", "b"), size=4)
    assert text.decoded.open_end


def test_terminal_is_not_asked_again_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [b"", b"pasted\n"]
    raw = io.RawIOBase()
    monkeypatch.setattr(raw, "readable", lambda: True, raising=False)
    monkeypatch.setattr(raw, "readinto", lambda buffer: fill(buffer, answers.pop()), raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))

    assert lines(read("-")) == ("pasted",)
    assert answers == []


def fill(buffer: memoryview, data: bytes) -> int:
    buffer[: len(data)] = data
    return len(data)


def test_missing_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(UnreadableInput, match="there is no standard input here"):
        open_inputs("-")


def test_open_binary_file_is_read_and_left_open() -> None:
    write("a.txt")
    with Path("a.txt").open("rb") as file:
        (source,) = open_inputs(file)

        assert (source.name, lines(source.read())) == ("a.txt", ("in a.txt",))
        assert not file.closed


def test_bytes_in_memory_have_a_name_too() -> None:
    (source,) = open_inputs(io.BytesIO(gzip.compress(b"a\n")))

    assert (source.name, lines(source.read())) == ("<file>", ("a",))


@pytest.mark.parametrize("wrong", [io.StringIO("a"), b"a", 1, None])
def test_anything_else_is_a_mistake_of_the_program(wrong: object) -> None:
    with pytest.raises(TypeError, match="binary mode"):
        open_inputs(wrong)


def test_file_that_becomes_shorter_is_not_read_as_if_it_were_whole() -> None:
    Path("log.txt").write_text("step 1\nstep 2345\n")
    (source,) = open_inputs("log.txt")
    text = source.read()
    Path("log.txt").write_text("step 1\nstep 23")

    with pytest.raises(UnreadableInput, match="became shorter"):
        list(text.decoded.blocks())


def test_file_whose_name_has_a_line_end_is_read() -> None:
    write("two\nlines.txt")

    assert [source.name for source in open_inputs("two\nlines.txt")] == ["two\nlines.txt"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("smi_befor.txt", "smi_befor.txt: there is no such file; did you mean smi_before.txt."),
        ("zzz", "zzz: there is no such file."),
        ("nowhere/a.txt", "nowhere/a.txt: there is no such file, nor a folder nowhere."),
        ("smi_before.txt/a", "smi_before.txt/a cannot be read: Not a directory."),
        ("*.log", "*.log: no file matches this pattern."),
        ("empty", "empty: no file in this folder (hidden ones and links are skipped)."),
        ("pipe", "pipe is a pipe or a device; pipe its content in and name it '-'."),
        ("socket", "socket is a pipe or a device; pipe its content in and name it '-'."),
        ("/dev/zero", "/dev/zero is a pipe or a device; pipe its content in and name it '-'."),
        ("| N/A 30C |\n| 1 |", "This is text and not the name of a file; read text with loads()."),
        ("a\0b", "a\0b cannot be read: embedded null byte."),
        ("x" * 300, "x" * 300 + " cannot be read: File name too long."),
        ("loop", "loop cannot be read: Too many levels of symbolic links."),
    ],
)
def test_what_cannot_be_named_is_refused_at_once(given: str, sentence: str) -> None:
    write("smi_before.txt", "empty/.hidden")
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")

    with pytest.raises(UnreadableInput) as caught:
        open_inputs("smi_before.txt", given)

    assert str(caught.value) == sentence


def test_unreadable_member_of_a_folder_fails_when_it_is_read() -> None:
    write("runs/a.log", "runs/b.log", "runs/c.log")
    Path("runs/b.log").write_bytes(bytes(100))
    sources = list(open_inputs("runs"))
    Path("runs/c.log").unlink()

    assert lines(sources[0].read()) == ("in runs/a.log",)
    with pytest.raises(UnreadableInput, match=r"^runs/b\.log is not text"):
        sources[1].read()
    with pytest.raises(UnreadableInput, match=r"^runs/c\.log: there is no such file"):
        sources[2].read()


def test_permission_is_told_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    write("runs/a.log", "runs/b/c.log")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "runs/b")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuse)
        with pytest.raises(UnreadableInput, match=r"^runs/a\.log cannot be read: Permission denied\.$"):
            read("runs/a.log")
    with monkeypatch.context() as patched:
        walked = [("runs", [], ["a.log"])]
        patched.setattr(os, "walk", lambda top, onerror: onerror(refused()) or iter(walked))
        sources = list(open_inputs("runs"))

    assert [source.name for source in sources] == ["runs/a.log", "runs/b"]
    with pytest.raises(UnreadableInput, match=r"^runs/b: this folder cannot be listed\.$"):
        sources[1].read()


def refused() -> PermissionError:
    return PermissionError(13, "Permission denied", "runs/b")


def test_name_that_is_no_utf_8_can_be_written() -> None:
    Path("bad_\udcff.txt").touch()

    (name,) = names("*.txt")

    assert name.encode() == b"bad_\\udcff.txt"


def test_compressed_file_is_known_by_its_bytes_and_counted_as_stored() -> None:
    stored = gzip.compress(b"a\nb\n" * 1000)
    Path("a.txt").write_bytes(stored)

    text = read("a.txt")

    assert (len(lines(text)), text.bytes, text.notes) == (2000, len(stored), ("Unpacked from gzip.",))


def test_notes_tell_the_way_from_bytes_to_lines_in_order() -> None:
    Path("a.txt").write_bytes(gzip.compress("température\n".encode("latin-1") * 9)[:-8])

    assert [note.split()[0] for note in read("a.txt").notes] == ["Unpacked", "The", "This"]


def test_reading_stops_at_the_limit_of_a_file_with_a_note() -> None:
    Path("a.txt").write_bytes(b"0123456\n" * 100)

    text = read("a.txt", Limits(file_bytes=20))

    assert lines(text) == ("0123456", "0123456", "0123")
    assert text.decoded.open_end
    assert text.bytes == 800
    assert text.notes == ("The limit of bytes for an input is reached; the rest was not read.",)


def test_limits_are_far_away() -> None:
    assert Limits() == Limits(file_bytes=4_294_967_296, run_bytes=17_179_869_184, line_bytes=65_536)


def test_file_of_many_steps_is_whole() -> None:
    numbers = tuple(map(str, range(50_000)))
    Path("a.txt").write_text("\n".join(numbers), encoding="utf-8")

    assert lines(read("a.txt")) == numbers


def test_file_of_exactly_the_limit_is_whole() -> None:
    Path("a.txt").write_bytes(b"0123456\n" * 100)

    assert read("a.txt", Limits(file_bytes=800)).notes == ()


def test_inputs_of_a_run_share_a_limit() -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        Path(name).write_bytes(b"0123456\n" * 2)
    a, b, c = open_inputs("*.txt", limits=Limits(run_bytes=17))

    assert [lines(source.read()) for source in (a, b)] == [("0123456", "0123456"), ("0",)]
    with pytest.raises(UnreadableInput, match=r"^c\.txt: the inputs before it used up the 17 bytes of one run"):
        c.read()


def test_long_line_is_cut_at_the_limit() -> None:
    Path("a.txt").write_bytes(b"aa bb cc dd\nee\n")

    assert lines(read("a.txt", Limits(line_bytes=4))) == ("aa bb", "ee")


def test_bomb_stops_at_the_limit_without_its_memory() -> None:
    Path("a.txt").write_bytes(gzip.compress((b"." * 63 + b"\n") * MIB))
    tracemalloc.start()
    try:
        text = read("a.txt", Limits(file_bytes=MIB))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(lines(text)) == MIB // 64
    assert peak < 8 * MIB


class Growing(io.BytesIO):
    """A file that is written to while it is read: it never ends."""

    def read(self, size: int | None = -1) -> bytes:
        return (b"line\n" * 20)[:size]


@pytest.mark.parametrize("opened", [Growing, lambda: io.BytesIO(b"li")], ids=["grows", "shrinks"])
def test_file_that_changes_ends_at_the_size_seen_first(
    opened: Callable[[], io.BytesIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.txt").write_bytes(b"line\nline\n")
    monkeypatch.setattr(Path, "open", lambda *_: opened())

    assert lines(read("a.txt")) in {("line", "line"), ("li",)}


class Failing(io.BytesIO):
    """A disk that fails behind the first step."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_error_of_the_disk_is_told() -> None:
    (source,) = open_inputs(Failing(b"line\n" * 100_000))

    with pytest.raises(UnreadableInput, match=r"^<file> cannot be read: Input/output error\.$"):
        source.read()


def test_closed_file_is_told() -> None:
    file = io.BytesIO(b"a")
    (source,) = open_inputs(file)
    file.close()

    with pytest.raises(UnreadableInput, match=r"^<file> cannot be read: I/O operation on closed file"):
        source.read()


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="there is no /proc here")
def test_file_of_the_kernel_has_text_though_its_size_is_zero() -> None:
    text = read("/proc/version")

    assert len(lines(text)) == 1
    assert text.bytes == len(lines(text)[0].encode()) + 1


def test_text_is_split_like_a_file() -> None:
    check(from_text("\ufeffa\x0b\r\nb"), source="<text>", said=("a\x0b", "b"), size=8, encoding="utf-8-sig")
    assert from_text("", "cell").source == "cell"


def test_lone_surrogates_of_a_text_become_visible() -> None:
    assert lines(from_text("a\udcffb\n")) == ("a\\udcffb",)
