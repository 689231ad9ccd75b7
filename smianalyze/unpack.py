"""From stored bytes to plain bytes: gzip, bz2, xz and zstd, known by their first bytes and unpacked in steps.

Nothing is refused for its ratio: an honest idle night reaches 1450:1. Output is bounded by whoever takes
these chunks and may stop at any time; a step holds no more than a few chunks in memory.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import NamedTuple, Protocol

from smianalyze.errors import UnreadableInput

STEP_BYTES = 256 * 1024  # what is read, unpacked and passed on at a time
# A hostile header may ask for gigabytes of dictionary; xz -9 and zstd --long=27 need less than this.
DICTIONARY_BYTES = 160 * 1024 * 1024
ZSTD_WINDOW_LOG = 27
# The zstandard package does not bound its output, and 4 stored bytes may become 128 KiB: feed it little.
ZSTANDARD_STEP_BYTES = 512

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
TAR_MAGIC = b"ustar"
TAR_MAGIC_OFFSET = 257
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")


class _Decoder(Protocol):
    """What bz2, lzma and compression.zstd offer; zlib and zstandard are brought to the same shape below."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Codec(NamedTuple):
    """One kind of compression: name, first bytes, a fresh decoder, what that raises, how much to feed."""

    name: str
    magic: bytes
    start: Callable[[], _Decoder]
    errors: tuple[type[Exception], ...]
    step_bytes: int = STEP_BYTES


class _GzipDecoder:
    """zlib hands input that it had no room for back to the caller; the others keep it."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


class _ZstandardDecoder:
    """The zstandard package knows no ``max_length``."""

    def __init__(self, zstandard: ModuleType) -> None:
        self._inner = zstandard.ZstdDecompressor(max_window_size=1 << ZSTD_WINDOW_LOG).decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._inner.decompress(data))


def _xz_decoder() -> _Decoder:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=DICTIONARY_BYTES)


_CODECS = (
    _Codec("gzip", b"\x1f\x8b", _GzipDecoder, (zlib.error,)),
    _Codec("bz2", b"BZh", bz2.BZ2Decompressor, (OSError,)),
    _Codec("xz", b"\xfd7zXZ\x00", _xz_decoder, (lzma.LZMAError,)),
)


def unpacked(name: str, chunks: Iterator[bytes], notes: list[str]) -> Iterator[bytes]:
    """The plain bytes, in chunks; what is not compressed passes as it is.

    Args:
        name: Display name of the input, for messages.
        chunks: The stored bytes; the first chunk holds at least the first 512 bytes, if there are so many.
        notes: A sentence is appended for what the user should know.

    Raises:
        UnreadableInput: An archive, compressed twice, cut near its start, or damaged.
    """
    head = next(chunks, b"")
    codec = _codec(name, head)
    _refuse_archive(name, head)
    chunks = chain((head,), chunks)
    if codec is None:
        yield from chunks
        return
    notes.append(f"Unpacked from {codec.name}.")
    done = 0
    try:
        for plain in _members(chunks, codec, notes):
            if not done:
                _refuse_second_layer(name, plain)
            done += len(plain)
            yield plain
    except EOFError as error:
        if not done:
            raise UnreadableInput(f"{name}: its {codec.name} compression is cut near its start.") from error
        notes.append(f"The {codec.name} compression is cut; what came before, {done:,} bytes, was unpacked.")
    except codec.errors as error:
        # Bytes come out before their checksum is seen, and behind a damage they may be anything.
        raise UnreadableInput(
            f"{name}: its {codec.name} compression is damaged ({error}), and what comes out may be wrong; "
            "unpack it yourself, check it, and name the result."
        ) from error


def _members(chunks: Iterator[bytes], codec: _Codec, notes: list[str]) -> Iterator[bytes]:
    """The output of one member after the other (a log that is appended to has many)."""
    decoder: _Decoder | None = None
    for piece in _pieces(chunks, codec.step_bytes):
        # Zeros between members are padding.
        data = piece if decoder else piece.lstrip(b"\0")
        while data:
            if not decoder and not data.startswith(codec.magic[: len(data)]):
                notes.append("Bytes behind the compressed ones are something else and were not read.")
                return
            decoder = decoder or codec.start()
            yield from _output(decoder, data)
            data = b""
            if decoder.eof:
                data, decoder = decoder.unused_data.lstrip(b"\0"), None
    if decoder:
        raise EOFError


def _pieces(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        yield from (chunk[start : start + size] for start in range(0, len(chunk), size))


def _output(decoder: _Decoder, data: bytes) -> Iterator[bytes]:
    """All that the decoder makes of the data, at most a step at a time."""
    while plain := decoder.decompress(data, STEP_BYTES):
        yield plain
        data = b""
        if decoder.eof:
            return


def _codec(name: str, head: bytes) -> _Codec | None:
    """The codec that the first bytes name."""
    if head.startswith(ZSTD_MAGIC):
        return _zstd(name)
    return next((codec for codec in _CODECS if head.startswith(codec.magic)), None)


def _zstd(name: str) -> _Codec:
    """From the standard library (Python 3.14) or else from the optional package."""
    try:
        zstd = import_module("compression.zstd")
    except ModuleNotFoundError:
        return _zstandard(name)
    options = {zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
    return _Codec("zstd", ZSTD_MAGIC, lambda: zstd.ZstdDecompressor(options=options), (zstd.ZstdError,))


def _zstandard(name: str) -> _Codec:
    try:
        zstandard = import_module("zstandard")
    except ModuleNotFoundError as error:
        raise UnreadableInput(
            f"{name} is compressed with zstd; to read it: pip install 'smianalyze[zst]'"
        ) from error
    start = partial(_ZstandardDecoder, zstandard)
    return _Codec("zstd", ZSTD_MAGIC, start, (zstandard.ZstdError,), ZSTANDARD_STEP_BYTES)


def _refuse_archive(name: str, head: bytes) -> None:
    if head.startswith(ZIP_MAGICS) or head.startswith(TAR_MAGIC, TAR_MAGIC_OFFSET):
        raise UnreadableInput(f"{name} is a tar or zip archive; unpack it and name the files or their folder.")


def _refuse_second_layer(name: str, plain: bytes) -> None:
    _refuse_archive(name, plain)
    if plain.startswith((ZSTD_MAGIC, *(codec.magic for codec in _CODECS))):
        raise UnreadableInput(f"{name} is compressed twice; unpack it once and try again.")
