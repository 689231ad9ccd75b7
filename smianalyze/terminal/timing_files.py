"""The file beside a typescript in which ``script`` noted when it wrote what, classic or advanced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from smianalyze.errors import UnreadableInput
from smianalyze.terminal.recordings import Recording, Size, Steps

_TYPESCRIPT = "Script started on "
_CLASSIC = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ([0-9]{1,9})")
_ADVANCED = re.compile(r"([A-Z]) ([0-9]{1,9}(?:\.[0-9]{1,9})?) (.{1,200})")
_RESIZED = re.compile(r"SIGWINCH ROWS=([0-9]{1,6}) COLS=([0-9]{1,6})")
_NAMED = re.compile(r"LINES ([0-9]{1,6})|COLUMNS ([0-9]{1,6})|TERM ([^ ]{1,64})")
_ADDRESS = re.compile(r"\x1b\[[0-9;]{0,9}[Hd]")
_CONTINUATION = bytes(range(0x80, 0xC0))  # the bytes of a character of UTF-8 behind its first one
LONGEST_LINE = 1_000  # characters; no step of a timing file takes as many


def timing_beside(name: str, first_line: str) -> Path | None:
    """The timing file of a typescript; None where there is no such file or no typescript.

    Args:
        name: Path of the typescript. Its timing file is called like it with ``.timing`` behind or instead of its
            suffix; beside a file ``typescript``, also ``timing``.
        first_line: Of the typescript.
    """
    path = Path(name)
    if not first_line.startswith(_TYPESCRIPT) or not path.name:
        return None
    names = [f"{path.name}.timing", f"{path.stem}.timing"] + ["timing"] * (path.name == "typescript")
    for beside in (path.with_name(name) for name in names):
        try:
            if beside.is_file():
                return beside
        except OSError:  # a file that cannot be read is as good as none: the times are printed too
            continue
    return None


def timing_lines(path: Path) -> Iterator[str]:
    """The lines of a timing file, one after the other: it may be of a day.

    Raises:
        UnreadableInput: It cannot be read.
    """
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            while line := file.readline(LONGEST_LINE):
                yield line.rstrip("\n")
    except OSError as error:
        raise UnreadableInput(f"The timing file cannot be read: {error.strerror}.") from error


def timed(made: Recording, blocks: Iterable[str], timing: Iterator[str], *, head: int) -> Iterator[str]:
    """The blocks of a typescript; it is noted in the recording when each piece of them was written.

    Args:
        made: The recording that the blocks belong to.
        blocks: Its text.
        timing: Lines of the timing file; it counts the bytes behind the head line.
        head: Characters of the head line.
    """
    made.clock = Steps([0], [0.0])
    position, left = head, 0
    for number, block in enumerate(blocks):
        text = block if number else block[:head] + _with_returns(block[head:])
        written = text.encode()
        at = 0 if number else len(text[:head].encode())
        while at < len(written):
            left = left or _next_write(made, made.clock, timing, position)
            if not left:  # no more is listed
                break
            piece = written[at : at + left]
            at, left = at + len(piece), left - len(piece)
            position += len(piece.translate(None, _CONTINUATION))
        yield text


def _next_write(made: Recording, clock: Steps[float], timing: Iterator[str], position: int) -> int:
    """The bytes of the next write, which begins here; it is noted when it was. 0 after the last one."""
    now = clock.values[-1]
    for line in timing:
        delay, kind, rest = _step(line)
        now += delay
        if kind == "O" and rest.isdecimal() and int(rest):
            clock.add(position, now)
            return int(rest)
        _take_size(made, position, kind, rest)
    return 0


def _step(line: str) -> tuple[float, str, str]:
    """Delay, kind (O output, H head, S signal) and rest of a step of a timing file of either kind."""
    if classic := _CLASSIC.fullmatch(line):
        return float(classic[1]), "O", classic[2]
    if advanced := _ADVANCED.fullmatch(line):
        return float(advanced[2]), advanced[1], advanced[3]
    return 0.0, "", ""


def _take_size(made: Recording, position: int, kind: str, rest: str) -> None:
    """What a step says about the terminal, if it does."""
    resized = _RESIZED.match(rest)
    if kind == "S" and resized:
        made.sizes.append(Size(position, int(resized[1]), int(resized[2])))
    named = _NAMED.fullmatch(rest) if kind == "H" else None
    if named:
        size = made.size_at(position)
        height, width = named[1] or size.height, named[2] or size.width
        made.sizes.append(Size(position, height and int(height), width and int(width)))
        made.term = named[3] or made.term


def _with_returns(text: str) -> str:
    """The text with the carriage returns that a terminal writes before LF and decoding has removed.

    The timing file counts them. Decoding keeps them from the first line on that places the cursor.
    """
    address = _ADDRESS.search(text)
    end = text.rfind("\n", 0, address.start()) + 1 if address else len(text)
    return text if "\r\n" in text[:end] else text[:end].replace("\n", "\r\n") + text[end:]
