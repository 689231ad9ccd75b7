"""What dmon and pmon print: made up by Hypothesis, read, and held against what was made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hypothesis import strategies as st

from smianalyze.decode import lines_of
from smianalyze.formats import dmon, pmon
from smianalyze.formats.format import Reading, Row
from smianalyze.repair import repaired
from smianalyze.source import from_text

FORMATS = {"dmon": dmon.format_for, "pmon": pmon.format_for}
NOT_READ_FROM_ROWS = ("snapshot", "line", "time", "printed_time")

Cells = tuple[int | str | None, ...]
Rows = dict[str, list[Row]]


def read(name: str, text: str) -> Reading:
    """One text by one monitor, which knows whether the text ends in the middle of a line."""
    decoded = from_text(text).decoded
    (stream,) = repaired(line for block in decoded.blocks() for line in lines_of(b"".join(block)))
    return FORMATS[name](open_end=decoded.open_end).read(stream)


def known(rows: Sequence[Row]) -> list[Row]:
    """What rows say, without place and time."""
    return [
        {key: value for key, value in row.items() if value is not None and key not in NOT_READ_FROM_ROWS}
        for row in rows
    ]


def wrong_after_cut(name: str, text: str, cuts: Sequence[int]) -> dict[int, list[str]]:
    """By place of the cut, what the shorter text says and the whole one does not."""
    whole = read(name, text).rows
    found = {cut: [*_differences(read(name, text[:cut]).rows, whole)] for cut in cuts}
    return {cut: wrong for cut, wrong in found.items() if wrong}


def _differences(cut: Rows, whole: Rows) -> Iterator[str]:
    for frame, rows in cut.items():
        expected = whole.get(frame, [])
        if len(rows) > len(expected):
            yield f"{frame}: {len(rows)} rows of {len(expected)}"
        for row, full in zip(rows, expected, strict=False):
            for key, value in row.items():
                # a later row of the tick may still list a process
                is_open = key == "process_section" and value == "empty"
                if value is not None and value != full.get(key) and not is_open:
                    yield f"{frame}: {key} {value!r} is {full.get(key)!r}"


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


DMON_BLOCKS = {
    "p": (("pwr", "W"), ("gtemp", "C"), ("mtemp", "C")),
    "u": (("sm", "%"), ("mem", "%"), ("enc", "%"), ("dec", "%"), ("jpg", "%"), ("ofa", "%")),
    "c": (("mclk", "MHz"), ("pclk", "MHz")),
    "v": (("pviol", "%"), ("tviol", "bool")),
    "m": (("fb", "MB"), ("bar1", "MB"), ("ccpm", "MB")),
    "e": (("sbecc", "errs"), ("dbecc", "errs"), ("pci", "errs")),
    "t": (("rxpci", "MB/s"), ("txpci", "MB/s")),
}
TIMES = ("", "D", "T", "DT")


@st.composite
def dmon_prints(draw: st.DrawFn) -> tuple[str, list[Row]]:
    """A print of dmon with any blocks, times and widths, and the values of its rows."""
    chosen = draw(st.lists(st.sampled_from(sorted(DMON_BLOCKS)), min_size=1, unique=True))
    columns = [column for block in chosen for column in DMON_BLOCKS[block]]
    value = st.none() | st.integers(0, 999_999)
    rows = [
        (gpu, *draw(st.tuples(*[value] * len(columns))))
        for _ in range(draw(st.integers(1, 4)))
        for gpu in range(draw(st.integers(1, 3)))
    ]
    layout = draw(st.sampled_from((6, 7, None)))
    text = _print(columns, rows, times=draw(st.sampled_from(TIMES)), width=layout)
    return text, [{"gpu_index": gpu} | _named(dmon.COLUMNS, columns, values) for gpu, *values in rows]


def _named(names: dict[str, str], columns: Sequence[tuple[str, str]], values: Sequence[int | str | None]) -> Row:
    return {
        names[word]: float(value) if word == "pwr" else value
        for (word, _), value in zip(columns, values, strict=True)
        if value is not None
    }


def _print(columns: Sequence[tuple[str, str]], rows: Sequence[Cells], *, times: str, width: int | None) -> str:
    """The text of a dmon; without a width it is CSV."""
    when = [label for option, label in (("D", "Date"), ("T", "Time")) if option in times]
    units = [label for option, label in (("D", "YYYYMMDD"), ("T", "HH:MM:SS")) if option in times]
    values = [value for option, value in (("D", "20261130"), ("T", "19:35:53")) if option in times]
    lines = [
        _line("#", [*when, "gpu"], [word for word, _ in columns], width),
        _line("#", [*units, "Idx"], [unit for _, unit in columns], width),
        *(_line(" ", [*values, str(row[0])], row[1:], width) for row in rows),
    ]
    return "".join(lines)


def _line(start: str, head: Sequence[str], cells: Sequence[int | str | None], width: int | None) -> str:
    texts = ["-" if cell is None else str(cell) for cell in cells]
    if width is None:
        return start + ", ".join([*head, *texts]) + "\n"
    *when, gpu = head
    first = start + "".join(f"{text:<12}" for text in when) + (f"{gpu:>8}" if when else f"{gpu:>4}")
    return first + "".join(f" {text:>{width - 1}}" for text in texts) + (" \n" if width == 7 else "\n")


PMON_NAME = (
    st.text("abcXYZ 019.-_,:+", min_size=1, max_size=16).map(str.strip).filter(lambda name: name not in ("", "-"))
)


@st.composite
def pmon_prints(draw: st.DrawFn) -> tuple[str, list[Row]]:
    """A print of pmon with cards that have processes and cards that have none, and its processes."""
    words = ["sm", "mem", "enc", "dec", *draw(st.sampled_from(([], ["jpg", "ofa"], ["jpg", "ofa", "fb", "ccpm"])))]
    lines = [
        "# gpu         pid   type" + "".join(f"{word:>7}" for word in words) + "    command \n",
        "# Idx           #    C/G" + "      %" * len(words) + "    name \n",
    ]
    rows: list[Row] = []
    for gpu in range(draw(st.integers(1, 3))):
        for pid in draw(st.lists(st.integers(1, 4_194_304), max_size=3, unique=True)) or [None]:
            values = [draw(st.none() | st.integers(0, 100_000)) if pid else None for _ in words]
            kind, name = (draw(st.sampled_from(("C", "G", "C+G"))), draw(PMON_NAME)) if pid else ("-", "-")
            cells = "".join(f" {'-' if value is None else value:>6}" for value in values)
            lines.append(f"{gpu:>5}{pid or '-':>11}{kind:>6}{cells}    {name:<15}\n")
            if pid:
                said = {pmon.COLUMNS[word]: value for word, value in zip(words, values, strict=True)}
                row = {"gpu_index": gpu, "pid": pid, "type": kind, "process_name": name} | said
                rows.append({key: value for key, value in row.items() if value is not None})
    return "".join(lines), rows
