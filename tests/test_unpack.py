"""Compression: known by its first bytes, read in steps, and honest about what is broken."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import zstandard

from smianalyze.errors import UnreadableInput
from smianalyze.unpack import STEP_BYTES, unpacked

PLAIN = "".join(f"{number}, 2024/07/08, 40536 MiB, {number * 7919 % 101} %\n" for number in range(5_000)).encode()
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
MIB = 1024 * 1024


def steps(data: bytes, size: int = STEP_BYTES) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def unpack(stored: bytes, size: int = STEP_BYTES) -> tuple[bytes, list[str]]:
    notes: list[str] = []
    return b"".join(unpacked("a.log", steps(stored, size), notes)), notes


def test_plain_bytes_pass_without_a_note() -> None:
    assert unpack(PLAIN) == (PLAIN, [])
    assert unpack(b"") == (b"", [])


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("size", [700, STEP_BYTES])
def test_compressed_bytes_are_unpacked(kind: str, size: int) -> None:
    assert unpack(PACK[kind](PLAIN), size) == (PLAIN, [f"Unpacked from {kind}."])


@pytest.mark.parametrize("kind", PACK)
def test_many_members_with_padding_are_one_text(kind: str) -> None:
    pack = PACK[kind]

    assert unpack(pack(b"a\n") + pack(b"") + bytes(512) + pack(PLAIN), 600)[0] == b"a\n" + PLAIN


@pytest.mark.parametrize("kind", PACK)
def test_nothing_compressed_is_nothing(kind: str) -> None:
    assert unpack(PACK[kind](b""))[0] == b""


@pytest.mark.parametrize("kind", PACK)
def test_cut_compression_gives_what_is_there(kind: str) -> None:
    pack = PACK[kind]
    stored = pack(PLAIN) + pack(PLAIN)

    plain, notes = unpack(stored[: len(stored) - 9])

    assert len(plain) >= len(PLAIN)
    assert (PLAIN + PLAIN).startswith(plain)
    assert notes[1:] == [f"The {kind} compression is cut; what came before, {len(plain):,} bytes, was unpacked."]


@pytest.mark.parametrize("kind", PACK)
def test_every_cut_is_noticed(kind: str) -> None:
    stored = PACK[kind](b"some text\n")

    for length in range(6, len(stored)):
        try:
            noticed = len(unpack(stored[:length])[1]) == 2
        except UnreadableInput as error:
            noticed = "is cut near its start" in str(error)
        assert noticed, length


@pytest.mark.parametrize("kind", PACK)
def test_cut_before_anything_is_unreadable(kind: str) -> None:
    with pytest.raises(UnreadableInput, match=rf"^a\.log: its {kind} compression is cut near its start\.$"):
        unpack(PACK[kind](PLAIN)[:8])


def test_text_that_begins_like_an_archive_further_on_is_text() -> None:
    pack = PACK["gzip"]

    assert unpack(pack(b"a\n") + pack(b"BZh and PK\n"))[0] == b"a\nBZh and PK\n"


@pytest.mark.parametrize("kind", PACK)
def test_damaged_compression_gives_no_text(kind: str) -> None:
    """Not even what came before: bytes come out before their checksum is seen."""
    stored = bytearray(PACK[kind](PLAIN))
    stored[len(stored) // 2] ^= 0x10

    with pytest.raises(UnreadableInput, match=rf"^a\.log: its {kind} compression is damaged"):
        unpack(bytes(stored))


@pytest.mark.parametrize("kind", PACK)
def test_something_else_behind_the_compressed_bytes_is_noted(kind: str) -> None:
    plain, notes = unpack(PACK[kind](PLAIN) + b"\nlogout\n")

    assert plain == PLAIN
    assert notes[1:] == ["Bytes behind the compressed ones are something else and were not read."]


@pytest.mark.parametrize("kind", PACK)
def test_compressed_twice_is_refused(kind: str) -> None:
    with pytest.raises(UnreadableInput, match=r"^a\.log is compressed twice"):
        unpack(PACK[kind](gzip.compress(PLAIN)))


def archive(kind: str) -> bytes:
    target = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(target, "w") as zipped:
            zipped.writestr("a.log", PLAIN)
    else:
        with tarfile.open(fileobj=target, mode="w") as tar:
            member = tarfile.TarInfo("a.log")
            member.size = len(PLAIN)
            tar.addfile(member, io.BytesIO(PLAIN))
    return target.getvalue()


@pytest.mark.parametrize("stored", [archive("zip"), archive("tar"), gzip.compress(archive("tar"))])
def test_archives_are_for_the_user_to_unpack(stored: bytes) -> None:
    with pytest.raises(UnreadableInput, match=r"^a\.log is a tar or zip archive; unpack it"):
        unpack(stored)


@pytest.mark.parametrize("kind", PACK)
def test_a_bomb_is_stopped_by_its_reader(kind: str) -> None:
    bomb = PACK[kind](bytes(64 * MIB))
    stream = unpacked("a.log", steps(bomb), [])

    tracemalloc.start()
    try:
        taken = 0
        while taken < MIB:
            taken += len(next(stream))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert taken < 18 * MIB
    assert peak < 40 * MIB


def test_a_dictionary_of_gigabytes_is_refused() -> None:
    stored = bytearray(lzma.compress(b"a\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": MIB}]))
    # Block header: size, flags, filter id, length of its properties, dictionary (36: 1 GiB), padding, CRC.
    stored[16] = 36
    stored[20:24] = zlib.crc32(stored[12:20]).to_bytes(4, "little")

    with pytest.raises(UnreadableInput, match="Memory usage limit exceeded"):
        unpack(bytes(stored))


def test_without_a_zstd_reader_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(UnreadableInput, match=r"pip install 'smianalyze\[zst\]'"):
        unpack(PACK["zstd"](PLAIN))
