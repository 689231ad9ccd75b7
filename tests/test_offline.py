"""A whole report opens no socket and starts no process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fixture_pairs import FIXTURES

WATCHED = """
import sys

def refuse(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork")):
        raise AssertionError(f"{event} {arguments}")

sys.addaudithook(refuse)
sys.argv = ["smianalyze", "report", *sys.argv[1:]]
from smianalyze.cli import main
main()
"""


def test_report_opens_no_socket_and_starts_no_process(tmp_path: Path) -> None:
    files = [str(FIXTURES / "demo" / f"smi_{name}.txt") for name in ("before", "after")]
    result = subprocess.run(
        [sys.executable, "-c", WATCHED, *files, "-o", str(tmp_path / "out")], capture_output=True, check=False
    )

    assert (result.returncode, b"AssertionError" in result.stderr) == (0, False)
    assert (tmp_path / "out" / "report.md").exists()
