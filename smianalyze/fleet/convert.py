"""One capture into a dataset: its frames, its findings, and the sums of what it used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from smianalyze.analyses import find
from smianalyze.analyses.comparison import compare_run
from smianalyze.columns import FRAMES
from smianalyze.errors import UnreadableInput
from smianalyze.findings import SEVERITIES, Finding
from smianalyze.fleet.dataset import content_of, size_of, stamps_of, stem_of, tables_of, write_capture
from smianalyze.fleet.layout import CaptureFiles
from smianalyze.fleet.schema import findings_table, table_of, usage_table
from smianalyze.fleet.tables import Tables
from smianalyze.fleet.usage import Usage, joined_usage, last_print, usage_of
from smianalyze.frames import Frames
from smianalyze.language import speaking
from smianalyze.missing_files import shown
from smianalyze.reading import read_inputs
from smianalyze.sections import LONG_BYTES, NotInSections, sections
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
        if len(paths) == 1 and size_of(files) >= LONG_BYTES:
            with suppress(NotInSections), tables_of(files) as tables:
                _store(dataset, capture, tables, _in_sections(str(paths[0]), capture.host), content=content)
                return Converted(capture.name, size_of(files))
        frames = read_inputs(open_inputs(*map(str, paths)), host=capture.host)
        with tables_of(files) as tables:
            _store(dataset, capture, tables, [frames], content=content)
    except (UnreadableInput, OSError) as error:
        return given_up(folder, dataset, capture, reason=str(error))
    return Converted(capture.name, size_of(files))


def given_up(folder: Path, dataset: Path, capture: CaptureFiles, *, reason: str = KILLED) -> Converted:
    """Put a capture that cannot be read into the dataset: a row of ``inputs`` for each file, with the reason."""
    files = stamps_of(folder, capture)
    rows = [{"source": shown(str(folder / name)), "lines": 0, "note": reason} for name in capture.names]
    inputs = Frames.from_rows({"inputs": rows}).inputs
    with tables_of(files) as tables:
        tables.add("inputs", table_of("inputs", inputs, capture, capture.host))
        write_capture(dataset, stem_of(capture, capture.host, "unread"), tables)
    return Converted(capture.name, size_of(files), reason)


def _in_sections(path: str, host: str | None) -> Iterator[Frames]:
    """The frames of a long recording, section by section."""
    (source,) = open_inputs(path)
    for frames in sections(source.read(), host=host):
        if host is None and _host_in(frames) is not None:
            raise NotInSections  # all rows are of that host, the ones before too
        yield frames


def _store(dataset: Path, capture: CaptureFiles, tables: Tables, parts: Iterable[Frames], *, content: str) -> None:
    """Put the parts of a capture into the dataset; of several, each gives its findings."""
    host, before = capture.host, None
    usage: list[Usage] = []
    found: list[list[Finding]] = []
    for frames in parts:
        host = host or _host_in(frames)
        for name in FRAMES:
            tables.add(name, table_of(name, getattr(frames, name), capture, host))
        usage.append(usage_of(frames, before=before))
        found.append(find(frames, compare_run(frames)))
        before = last_print(frames)
    sums = joined_usage(usage)
    for name, rows in sums.items():
        tables.add(name, usage_table(name, rows, capture, host))
    tables.add("findings", findings_table(_most_severe(found), capture, host))
    write_capture(dataset, stem_of(capture, host, content), tables)


def _most_severe(found: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of the parts of a capture: of those with one id about the same cards, the most severe."""
    if len(found) == 1:
        return [*found[0]]
    ranked = sorted(chain.from_iterable(found), key=lambda one: SEVERITIES.index(one.severity), reverse=True)
    return [*{(one.id, one.gpus): one for one in reversed(ranked)}.values()][::-1]


def _host_in(frames: Frames) -> str | None:
    """The one host that a capture names; None where it names none, or several."""
    hosts = pd.concat([frames.snapshots["host"], frames.gpus["host"]]).dropna().unique()
    return str(hosts[0]) if len(hosts) == 1 else None
