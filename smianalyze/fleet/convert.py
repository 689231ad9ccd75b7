"""One capture into a dataset: its frames, its findings, and the sums of what it used."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from smianalyze.analyses import find
from smianalyze.analyses.comparison import compare_run
from smianalyze.analyses.over_time import OverTime
from smianalyze.columns import FRAMES
from smianalyze.errors import UnreadableInput
from smianalyze.fleet.dataset import content_of, size_of, stamps_of, stem_of, write_capture
from smianalyze.fleet.layout import CaptureFiles
from smianalyze.fleet.schema import findings_table, table_of, usage_table
from smianalyze.fleet.usage import card_usage, hour_usage, process_usage, samples_of
from smianalyze.frames import Frames
from smianalyze.language import speaking
from smianalyze.missing_files import shown
from smianalyze.reading import read_inputs
from smianalyze.source import open_inputs

KILLED = "the process that read it was killed, again and again: does it need more memory than there is?"


class Converted(NamedTuple):
    """What became of a capture: its name, its size in bytes, and why it could not be read ("" if it was)."""

    capture: str
    size: int
    fault: str = ""


@speaking("en")
def convert(folder: Path, dataset: Path, capture: CaptureFiles) -> Converted:
    """Read a capture and put it into a dataset; done twice it gives the same files, in English for all readers.

    A capture that cannot be read is a row of ``inputs`` with the reason.

    Args:
        folder: Where the capture is.
        dataset: Where its rows go.
        capture: Its files.

    Raises:
        OutputFailed: The dataset cannot be written.
    """
    files = stamps_of(folder, capture)
    paths = [folder / name for name in capture.names]
    try:
        content = content_of(paths)
        frames = read_inputs(open_inputs(*map(str, paths)), host=capture.host)
    except (UnreadableInput, OSError) as error:
        return given_up(folder, dataset, capture, reason=str(error))
    host = capture.host or _host_in(frames)
    write_capture(dataset, stem_of(capture, host, content), _tables(frames, capture, host), files)
    return Converted(capture.name, size_of(files))


def given_up(folder: Path, dataset: Path, capture: CaptureFiles, *, reason: str = KILLED) -> Converted:
    """Put a capture that cannot be read into the dataset: a row of ``inputs`` for each file, with the reason."""
    files = stamps_of(folder, capture)
    rows = [{"source": shown(str(folder / name)), "lines": 0, "note": reason} for name in capture.names]
    inputs = Frames.from_rows({"inputs": rows}).inputs
    table = table_of("inputs", inputs, capture, capture.host)
    write_capture(dataset, stem_of(capture, capture.host, "unread"), {"inputs": table}, files)
    return Converted(capture.name, size_of(files), reason)


def _host_in(frames: Frames) -> str | None:
    """The one host that a capture names; None where it names none, or several."""
    hosts = pd.concat([frames.snapshots["host"], frames.gpus["host"]]).dropna().unique()
    return str(hosts[0]) if len(hosts) == 1 else None


def _tables(frames: Frames, capture: CaptureFiles, host: str | None) -> dict[str, pa.Table]:
    over = OverTime(frames)
    samples = samples_of(over.series)
    usage = {
        "card_usage": card_usage(over, samples),
        "hour_usage": hour_usage(samples),
        "process_usage": process_usage(frames, samples),
    }
    return {
        **{name: table_of(name, getattr(frames, name), capture, host) for name in FRAMES},
        **{name: usage_table(name, rows, capture, host) for name, rows in usage.items()},
        "findings": findings_table(find(frames, compare_run(frames)), capture, host),
    }
