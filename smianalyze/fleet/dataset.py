"""A dataset on disk: a folder for each frame, in it a Parquet file for each capture that has rows of it.

The file of a capture in ``inputs`` is written last and says which files it was made of: a capture without it is
not in the dataset. Files are named by host, capture and content, so that a host is found by name, and a capture
that grew gets new files beside the old ones until it is complete.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from smianalyze import __version__
from smianalyze.fleet.layout import CaptureFiles
from smianalyze.fleet.tables import Tables
from smianalyze.output import write_file

COMMIT = "inputs"
"""The frame whose file makes a capture part of the dataset."""
FILES_KEY = b"smianalyze.files"
VERSION_KEY = b"smianalyze.version"
SUFFIX = ".parquet"
NO_HOST = "-"
MOST_HOST = 100
"""Characters of a host in the name of a file; names of files end at 255."""
_STEM = re.compile("[^~]+~[0-9a-f]+~[0-9a-z]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]|^[.-]")


class Stamp(NamedTuple):
    """A file as it was when its capture was read."""

    name: str
    size: int
    changed_ns: int


class Stored(NamedTuple):
    """One capture in the dataset: what its files are named, and what it was made of."""

    stem: str
    files: tuple[Stamp, ...]
    version: str

    @property
    def key(self) -> str:
        """What its capture is known by."""
        return key_in(self.stem)


def key_of(capture: str) -> str:
    """What a capture is known by in the names of files."""
    return _digest([capture.encode("utf-8", "surrogateescape")])


def content_of(paths: Iterable[Path]) -> str:
    """A digest of what some files hold."""
    digest = hashlib.blake2b(digest_size=8)
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        digest.update(b"\0")
    return digest.hexdigest()


def stem_of(capture: CaptureFiles, host: str | None, content: str) -> str:
    """What the files of a capture are named."""
    return f"{NO_HOST if host is None else _in_a_name(host)}~{key_of(capture.name)}~{content}"


def key_in(stem: str) -> str:
    """What the capture of some files is known by."""
    return stem.split("~")[1]


def is_stem(name: str) -> bool:
    """Whether a file is named as those of captures are."""
    return _STEM.fullmatch(name) is not None


def may_hold(stem: str, hosts: Collection[str]) -> bool:
    """Whether a file may have rows of some hosts: one that names another host has none."""
    name, _, _ = stem.split("~")
    return name == NO_HOST or name in map(_in_a_name, hosts)


def stamps_of(folder: Path, capture: CaptureFiles) -> tuple[Stamp, ...]:
    """The files of a capture as they are now; one that is gone has size -1."""
    return tuple(_stamp(folder, name) for name in capture.names)


def size_of(files: Iterable[Stamp]) -> int:
    """Bytes of some files."""
    return sum(max(one.size, 0) for one in files)


def stored(dataset: Path) -> dict[str, Stored]:
    """The captures that are in a dataset, by key; of two the one that was written last."""
    paths = sorted((dataset / COMMIT).glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
    return {one.key: one for one in map(_stored, paths) if one is not None}


def _stored(path: Path) -> Stored | None:
    """What a file of ``inputs`` says of its capture; None where it is damaged: the capture is then read anew."""
    if not is_stem(path.stem):
        return None
    try:
        metadata = pq.read_schema(path).metadata or {}
        files = tuple(Stamp(*entry) for entry in json.loads(metadata.get(FILES_KEY, b"[]")))
    except (OSError, ValueError, TypeError):
        return None
    return Stored(path.stem, files, metadata.get(VERSION_KEY, b"").decode("utf-8", "replace"))


def tables_of(files: Sequence[Stamp]) -> Tables:
    """Room for the tables of a capture that is made of some files."""
    made_of = {FILES_KEY: json.dumps([list(one) for one in files]).encode(), VERSION_KEY: __version__.encode()}
    return Tables({COMMIT: made_of})


def write_capture(dataset: Path, stem: str, tables: Tables) -> None:
    """Put a capture into the dataset and take out what was there of it before.

    Args:
        dataset: Its folder, made if need be.
        stem: What its files are named.
        tables: Its rows; there are some of ``inputs``.

    Raises:
        OutputFailed: Disk full, no permission and the like; the capture is then not in the dataset.
    """
    for frame in tables.frames:
        if frame != COMMIT:
            _write(dataset, frame, stem, tables.stored(frame))
    _remove_others(dataset, stem, [COMMIT])
    _write(dataset, COMMIT, stem, tables.stored(COMMIT))
    _remove_others(dataset, stem, [path.name for path in dataset.iterdir() if path.is_dir()])


def remove_capture(dataset: Path, key: str) -> None:
    """Take a capture out of the dataset, its file in ``inputs`` first."""
    for folder in [dataset / COMMIT, *(path for path in dataset.iterdir() if path.is_dir())]:
        for path in of_capture(folder, key):
            path.unlink(missing_ok=True)  # another run may have done it


def of_capture(folder: Path, key: str) -> Iterator[Path]:
    """The files of a capture in a folder of the dataset."""
    return folder.glob(f"*~{key}~*")


def _in_a_name(host: str) -> str:
    """A host as a part of the name of a file, on every system."""
    return _UNSAFE.sub(lambda letters: f"={letters[0].encode('utf-8', 'surrogateescape').hex()}", host)[:MOST_HOST]


def _write(dataset: Path, frame: str, stem: str, data: Iterable[bytes]) -> None:
    (dataset / frame).mkdir(parents=True, exist_ok=True)
    write_file(dataset / frame / f"{stem}{SUFFIX}", data, force=True)


def _remove_others(dataset: Path, stem: str, frames: Iterable[str]) -> None:
    """Remove files of the same capture with other content."""
    for frame in frames:
        for path in of_capture(dataset / frame, key_in(stem)):
            if path.stem != stem:
                path.unlink(missing_ok=True)  # another run may have done it


def _stamp(folder: Path, name: str) -> Stamp:
    try:
        status = (folder / name).stat()
    except OSError:
        return Stamp(name, -1, 0)
    return Stamp(name, status.st_size, status.st_mtime_ns)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
