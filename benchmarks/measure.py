"""What a command costs: it runs in a process of its own, and the system says what that took."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


class Cost(NamedTuple):
    """Of one run; ``cpu_s`` is user and system time of all threads."""

    cpu_s: float
    wall_s: float
    peak_mib: float


class CommandFailed(Exception):
    """A command ended with an error; what it said stands on stderr."""


def run(command: Sequence[str]) -> tuple[Cost, str]:
    """The cost of a command, and what it printed.

    Raises:
        CommandFailed: Its exit code is not 0.
    """
    with tempfile.TemporaryFile() as printed:
        # modules beside this one are found in whatever way Python was told to start
        paths = filter(None, (str(HERE), os.environ.get("PYTHONPATH")))
        surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        begun = time.perf_counter()
        child = os.posix_spawn(
            command[0], command, surroundings, file_actions=[(os.POSIX_SPAWN_DUP2, printed.fileno(), 1)]
        )
        _, status, usage = os.wait4(child, 0)
        wall_s = time.perf_counter() - begun
        if status:
            raise CommandFailed(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        printed.seek(0)
        cost = Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss * MAXRSS_BYTES / 2**20)
        return cost, printed.read().decode()
