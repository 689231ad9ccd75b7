"""All inputs of one run of ``smianalyze redact``: read twice, since a name may be known from a later line only."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from smianalyze import safe
from smianalyze.output import check_file, make_folder, write_file
from smianalyze.redaction.inputs import redacted, redacted_text
from smianalyze.redaction.redactor import Redactor
from smianalyze.source import Source, open_inputs

LONGEST_ESCAPE = len("\\U0010ffff")
SPOOL_BYTES = 64 * 1024**2  # of standard input are held in memory; more goes to a nameless file

_NOUNS = {
    "address": ("address", "addresses"),
    "dir": ("folder", "folders"),
    "process": ("program", "programs"),
    "serial": ("serial", "serials"),
    "uuid": ("UUID", "UUIDs"),
    "vm": ("virtual machine", "virtual machines"),
}


@contextmanager
def opened_twice(files: Sequence[str]) -> Iterator[Callable[[], list[Source]]]:
    """Opens the inputs as often as it is called; standard input is kept until then."""
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as kept:
        if "-" in files:
            shutil.copyfileobj(sys.stdin.buffer, kept)

        def opened() -> list[Source]:
            kept.seek(0)
            return list(open_inputs(*(cast(BinaryIO, kept) if name == "-" else name for name in files)))

        yield opened


def learn(sources: Sequence[Source], redactor: Redactor) -> None:
    """Read all inputs once, so that what one line tells is known everywhere."""
    for source in sources:
        for _ in redacted_text(source, redactor, []):
            pass


def printed(source: Source, redactor: Redactor, notes: list[str], *, on_terminal: bool) -> Iterator[bytes | str]:
    """The input byte for byte; for a terminal, its control characters are shown instead of obeyed."""
    if not on_terminal:
        yield from redacted(source, redactor, notes)
        return
    for text in redacted_text(source, redactor, notes):
        yield "\n".join(map(_harmless, text.split("\n")))


def _harmless(line: str) -> str:
    shown = line.rstrip("\r").expandtabs()
    return safe.line(shown, limit=LONGEST_ESCAPE * len(shown) + 1)


def write_redacted(
    sources: Sequence[Source], redactor: Redactor, notes: list[str], *, output: Path, force: bool
) -> None:
    """Write one input to a file, or several into a folder under their own names.

    Args:
        sources: The inputs.
        redactor: What it has learned holds for all of them.
        notes: A sentence is appended for what was unpacked or left out.
        output: A file for one input; a folder, made if need be, for several or if it is there.
        force: Replace files of these names.
    """
    private = redactor.level == "none"
    if len(sources) == 1 and not output.is_dir():
        write_file(output, redacted(sources[0], redactor, notes), force=force, private=private)
        return
    targets = [output / redactor.file_name(source.name) for source in sources]
    for target in targets if output.exists() else ():
        check_file(target, force=force)
    make_folder(output)
    for source, target in zip(sources, targets, strict=True):
        write_file(target, redacted(source, redactor, notes), force=force, private=private)


def summary(redactor: Redactor) -> str:
    """What was replaced, and that a guess can fail."""
    if redactor.level == "none":
        return redactor.summary()
    counts = [f"{count:,} {_noun(kind, count)}" for kind, count in redactor.counts().items()]
    found = f"Replaced: {', '.join(counts)}." if counts else "Nothing was found to replace."
    return f"{found} This is a guess and can miss something: read it before you post it."


def _noun(kind: str, count: int) -> str:
    return _NOUNS.get(kind, (kind, f"{kind}s"))[count != 1]
