"""How long reading, findings, and pictures with text take, without imports: CPU seconds, as JSON."""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

import smianalyze


def main(path: str) -> None:
    """Report on one capture."""
    times = [time.process_time()]
    capture = smianalyze.load(path)
    times.append(time.process_time())
    capture.findings()
    times.append(time.process_time())
    with tempfile.TemporaryDirectory() as folder:
        capture.report(Path(folder) / "report")
    times.append(time.process_time())
    sys.stdout.write(json.dumps([end - begin for begin, end in itertools.pairwise(times)]))


if __name__ == "__main__":
    main(sys.argv[1])
