"""CSV files that a training writes its metrics to: Lightning, ultralytics, Keras, and any other with a counter.

The header says what the columns are; it is one of training when it names a counter and a metric. Lightning writes
what it logs at one step in several rows with empty cells: they are one record. Rows of validation are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from smianalyze.formats.format import Format, Problem, Reading, Row
from smianalyze.formats.log_keys import LOSSES, column_of, is_evaluation, key_of
from smianalyze.formats.log_label import labelled
from smianalyze.formats.log_numbers import number
from smianalyze.formats.log_said import clock, figure, values
from smianalyze.formats.log_steps import MAX_LINE, METRICS, Metrics, told_of_end
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_COUNTERS = {
    **dict.fromkeys(("epoch", "epochs", "trainer_epoch"), "epoch"),
    **dict.fromkeys(("step", "steps", "iter", "iters", "iteration", "batch", "batch_idx"), "step"),
    **dict.fromkeys(("global_step", "num_updates", "trainer_global_step"), "global_step"),
}
_RANKS = frozenset({"rank", "global_rank"})
_WORDS = ("epoch", "step", "iter", "batch", "num_updates")
_TIMES = frozenset({"timestamp", "time", "date", "datetime", "wall_time"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.@/()%\[\] -]{0,79}")
_NO_NAMES = (":", "=", "{", "}", "|", "'")  # stand in no header, as all of its cells are names
_RATE_OF_A_GROUP = re.compile(r"(?:lr|learning_rate)_[a-z0-9_]{1,80}")


def _recognises(text: str) -> bool:
    return ("loss" in text or "lr" in text or "Loss" in text) and _header(text) is not None


LINES = LineReader("log_csv.lark", bool, max_line=MAX_LINE)


class _Cell(NamedTuple):
    """What the grammar says that a cell is, and its text."""

    kind: str
    text: str


class _Header(NamedTuple):
    """The names of the columns as printed, and which framework names them so."""

    keys: tuple[str, ...]
    family: str


def _family(names: Sequence[str], keys: Sequence[str]) -> str:
    if "train_box_loss" in names:
        return "ultralytics"
    sorts_its_names = list(keys) == sorted(keys) or list(keys) == ["epoch", "step", *sorted(keys[2:])]
    if {"epoch", "step"} <= set(names) and sorts_its_names:
        return "lightning"
    return "keras" if names[0] == "epoch" and any(f"val_{name}" in names for name in names) else "generic"


def _is_metric(name: str) -> bool:
    return not is_evaluation(name) and (name.endswith("loss") or name in LOSSES or column_of(name) in METRICS)


def _header(text: str) -> _Header | None:
    """The header that a line is: a counter and a metric of training are among its names; None for another line."""
    if len(text) > MAX_LINE or any(map(text.__contains__, _NO_NAMES)):
        return None
    if not any(word in text.lower() for word in _WORDS):
        return None
    keys = tuple(cell.text for cell in _cells(text))
    names = [key_of(key).name for key in keys if _NAME.fullmatch(key)]
    is_header = 1 < len(keys) == len(set(names)) and any(map(_is_metric, names))
    return _Header(keys, _family(names, keys)) if is_header and not _COUNTERS.keys().isdisjoint(names) else None


def _cells(text: str) -> list[_Cell]:
    """The cells of a line in order; an empty one has no kind. Nothing where the line is no CSV."""
    shape = LINES.read(text + "\n")
    cells = [_Cell("", "")]
    for name, start, end in shape.columns if shape.kind else ():
        if name == "sep":
            cells.append(_Cell("", ""))
        else:
            cells[-1] = _Cell(name, text[start:end].strip().strip('"').strip())
    return cells if len(cells) > 1 else []


class _Reader:
    """Reads the files of one stream one after the other; rows of one step are put together."""

    def __init__(self) -> None:
        self.reading = Reading()
        self._header: _Header | None = None
        self._line = 0
        self._record: dict[str, _Cell] = {}

    def take(self, line: Line) -> None:
        """Read a line: a header begins a file, another line is a row of it or ends it."""
        header = _header(line.text)
        if header is not None:
            self.finish()
            self._header = header
            self.reading.used.add(line.number)
        elif self._header is not None and line.text.strip():
            self._row(line, self._header)

    def _row(self, line: Line, header: _Header) -> None:
        cells = _cells(line.text)
        has_numbers = any(cell.kind == "number" for cell in cells)
        if len(cells) == len(header.keys) and has_numbers:
            self.reading.used.add(line.number)
            named = zip(header.keys, cells, strict=True)
            self._add(line.number, {key: cell for key, cell in named if cell.kind})
        elif has_numbers:
            what = "a row with more or fewer cells than the header has names"
            self.reading.problems.append(Problem(line.number, what, line.text))
        else:
            self.finish()
            self._header = None

    def _add(self, line: int, row: dict[str, _Cell]) -> None:
        """A record, or more of the one before: of the same step, and nothing that it says already."""
        both = self._record.keys() & row.keys()
        counters = {key for key in both if key_of(key).name in _COUNTERS}
        is_same = bool(counters) and all(self._record[key] == row[key] for key in both) and both == counters
        if not is_same:
            self.finish()
            self._line = line
        self._record |= row

    def finish(self) -> None:
        """Add the record that was read last, if it says a metric of training."""
        row = _values(self._record, self._header.family if self._header else "")
        self._record = {}
        if row:
            self.reading.add("steps", {"line": self._line, **row})


def _values(cells: Mapping[str, _Cell], family: str) -> Row:
    """The columns of a record; empty where it says validation alone."""
    metrics = Metrics(sizes_known=False)
    names = {key: key_of(key).name for key in cells}
    for key, cell in cells.items():
        name = names[key]
        if name in _TIMES:
            metrics.values |= _time(name, cell, family)
        elif name in _RANKS:
            metrics.values["rank"] = number(cell.text) if cell.kind == "number" and cell.text.isdigit() else None
        elif name in _COUNTERS:
            metrics.values[_COUNTERS[name]] = figure(cell.text) if cell.kind == "number" else None
        elif cell.kind == "number":
            metrics.add(key, figure(cell.text))
        elif (span := clock(cell.text)) is not None:
            metrics.add(key, span, "s")
    rates = {number(cells[key].text) for key, name in names.items() if _RATE_OF_A_GROUP.fullmatch(name)}
    if len(rates) == 1:
        metrics.values.setdefault("lr", *rates)
    row = values(metrics.finished())
    is_record = row.keys() & set(_COUNTERS.values()) and any(_is_metric(name) for name in names.values())
    return {"format": family, **row} if is_record else {}


def _time(name: str, cell: _Cell, family: str) -> Row:
    """A time of day with its date, or ultralytics' seconds since the start; what else ``time`` is nobody says."""
    if cell.kind == "number":
        return {"elapsed_s": number(cell.text)} if family == "ultralytics" and name == "time" else {}
    found = labelled(cell.text).get("time")
    return {"time": found} if found is not None else {}


def _read(lines: Sequence[Line], *, open_end: bool = False) -> Reading:
    reader = _Reader()
    for line in lines[: len(lines) - open_end]:  # of a row that may be cut, one loss may look like the only one
        reader.take(line)
    reader.finish()
    return reader.reading


FORMAT = told_of_end(
    Format(
        name="log_csv",
        title="training log: CSV of metrics",
        command="CSVLogger",
        sample="epoch,step,train_loss\n0,9,2.28136944770813\n0,19,2.4140243530273438\n",
        recognises=_recognises,
        read=_read,
    ),
    _read,
)
