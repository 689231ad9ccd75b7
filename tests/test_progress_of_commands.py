"""Commands say on a terminal how far they are; a pseudo terminal stands for it here."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pseudo terminals")

# no second is waited for before the first line
AT_ONCE = """
from smianalyze import progress
from smianalyze.cli import main
progress.QUIET_S = progress.EVERY_S = 0
main()
"""
PRINT = (FIXTURES / "demo/smi_before.txt").read_bytes()


@pytest.fixture
def capture(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "smi.txt.gz"
    path.write_bytes(gzip.compress(PRINT * 2_000))
    yield path


def run(arguments: Sequence[str], *, stdin: bytes | None = None) -> tuple[str, str]:
    """What a command writes to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", AT_ONCE, *arguments]
    with (
        ThreadPoolExecutor(1) as reader,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs) as process,
    ):
        os.close(theirs)
        told = reader.submit(b"".join, iter(partial(_read, ours), b""))
        out, _ = process.communicate(stdin)
    os.close(ours)
    assert process.returncode == 0, told.result()
    return out.decode(), told.result().decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def left(told: str) -> list[str]:
    """The lines that stay on the terminal."""
    lines = []
    for written in told.replace("\r\n", "\n").split("\n"):
        line = ""
        for part in written.split("\r"):
            line = part + line[len(part) :]
        lines.append(line.rstrip())
    return [line for line in lines if line]


def commands(capture: Path, place: Path) -> dict[str, list[str]]:
    return {
        "report": ["report", str(capture), "-o", str(place / "report")],
        "frames": ["frames", str(capture), "-o", str(place / "gpus.csv")],
        "compare": ["compare", str(capture), str(capture)],
        "redact": ["redact", str(capture), "-o", str(place / "redacted.txt")],
        "fleet": [
            "fleet",
            str(capture.parent),
            "--to",
            str(place / "data"),
            "-o",
            str(place / "fleet"),
            "--workers=1",
        ],
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report", "frames", "compare", "redact", "fleet"])
def test_command_tells_stored_bytes_and_wipes_the_line(capture: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    out, told = run(commands(capture, tmp_path / "out")[name])

    size = f" of {capture.stat().st_size * (2 if name == 'compare' else 1) / 1e6:,.0f} MB"
    assert " 100 %: " in told
    assert size in told
    assert "MB" not in "".join([*left(told), out])


@pytest.mark.slow
def test_quiet_command_writes_nothing_to_the_terminal(capture: Path, tmp_path: Path) -> None:
    assert run(["report", str(capture), "-o", str(tmp_path / "report"), "-q"])[1] == ""


@pytest.mark.slow
def test_pipe_has_no_time_left() -> None:
    out, told = run(["frames", "-"], stdin=PRINT)

    assert out.startswith("snapshot,")
    assert "reading: 0 MB" in told
    assert " left" not in told
    assert left(told) == []
