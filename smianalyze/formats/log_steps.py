"""Records of training logs: what all formats of metric lines share when they build a row of ``steps``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from smianalyze.formats.format import Format, Reading, Row, Told
from smianalyze.formats.log_keys import LOSSES, NO_COLUMNS, averaged, column_of, is_evaluation, key_of
from smianalyze.formats.log_label import is_quoted, said_by_label
from smianalyze.formats.log_numbers import scale_to
from smianalyze.formats.log_said import Clock, Figure, Placed, Quantity, place_of
from smianalyze.reader import LineShape
from smianalyze.repair import Line

MAX_LINE = 16_000  # characters; a line of DETR with auxiliary losses has 4,000
MAX_METRICS = 500  # columns that one stream may add: a hostile log must not make a frame of thousands

# what makes a line with a counter a record of training
METRICS = frozenset(
    {
        "loss",
        "lr",
        "grad_norm",
        "step_time_s",
        "data_time_s",
        "steps_per_s",
        "samples_per_s",
        "tokens_per_s",
        "gpu_mem_mib",
        "tflops",
        "mfu",
    }
)
_DIGITS = frozenset("0123456789")
_SIZES = ("_mib", "_gib")
_IN_MIB = frozenset({"max_mem"})  # torchvision's word, which those who copied it print in MiB too
WHOLE = frozenset({"step", "total_steps", "total_epochs", "global_step"})
_STEPS_RATE = re.compile(r"s/(?:it|iter|step|batch)|(?:it|iter|step|batch)s?/s(?:ec)?")
_SHORT_RANK = re.compile(r"\bTP([0-9]{1,4})\b")
_EVALUATION_BEFORE = re.compile(r"(?i)(?:val|valid|validation|test|eval|evaluation)[ :\]]{0,3}$")


@dataclass(slots=True)
class Metrics:
    """The metrics of one record while it is read: values by name in snake_case, counters apart.

    Attributes:
        values: Columns with what is said of them so far.
        losses: What may be the loss, by name.
        names: Names of all keys, for telling families apart.
        keys: Which name a column was taken from.
        is_sure: Whether all lines of the shape say the same; whether a decimal is a whole number, its digits say.
        sizes_known: Whether memory without a unit is in MiB, as known frameworks print it; else it keeps its name.
    """

    values: dict[str, object] = field(default_factory=dict)
    losses: dict[str, Quantity | None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    is_sure: bool = True
    sizes_known: bool = True

    def add(self, key: str, value: Quantity | None, unit: str = "", *, mean: Quantity | None = None) -> None:
        """Take a value under its printed key, in the unit of its column.

        Args:
            key: The key as printed.
            value: The number; None where it reads nan, null or N/A.
            unit: Its unit as printed, "" where none is.
            mean: The average that stands beside it.
        """
        name, unit_of_key = key_of(key)
        self.names[name] = None
        unit = unit or unit_of_key
        if name in LOSSES or name.endswith("loss"):
            self.losses[name] = value
            if mean is not None:
                self.losses[f"{name}_avg"] = mean
        column = _by_unit(column_of(name), unit)
        if unit_of_key and column == name:
            column = f"{name}_{unit_of_key.lower()}"  # nobody knows the column, so its name keeps the unit
        if not (unit or self.sizes_known) and column.endswith(_SIZES) and name not in _IN_MIB:
            column = name
        if self.keys.setdefault(column, name) != name:
            column = "" if name in NO_COLUMNS else name  # of two keys of one meaning, the first has the column
        for place, number in ((column, value), (averaged(column), mean)):
            if column and (number is not None or place == column):
                scale = scale_to(column, unit)
                self.values[place] = None if number is None or scale is None else number.scaled(scale)

    def finished(self) -> Row:
        """The columns of the record; one loss is ``loss``, and a step over all epochs is the step if alone."""
        row: Row = {key: value for key, value in self.values.items() if value is not None}
        name = self._loss()
        if name:
            row.pop(name, None)
            row.pop(averaged(name), None)
            row |= {"loss": self.losses[name], "loss_avg": self.losses.get(f"{name}_avg")}
        if "step" not in row and "global_step" in row:
            row["step"] = row.pop("global_step")
        self.is_sure &= all(_is_plain(row[name]) for name in WHOLE & row.keys())
        return {key: value for key, value in row.items() if value is not None and _fits(key, value)}

    def _loss(self) -> str:
        for name in LOSSES:
            if name in self.losses:
                return name
        others = [name for name in self.losses if not name.endswith("_avg") and not is_evaluation(name)]
        return others[0] if len(others) == 1 else ""


def _fits(key: str, said: object) -> bool:
    """Whether a value may stand in its column: a counter is a whole number."""
    value = said.value() if key in WHOLE and isinstance(said, Figure | Clock) else 0
    return value is not None and value == int(value)


def _is_plain(said: object) -> bool:
    """Whether a counter is printed as digits alone."""
    return said is None or (isinstance(said, Figure) and said.text.isdigit())


def _by_unit(column: str, unit: str) -> str:
    """A rate of samples that is given in tokens is one of tokens; time per step given as a rate is a rate."""
    if column == "samples_per_s" and unit.startswith("tok"):
        return "tokens_per_s"
    if column in {"samples_per_s", "steps_per_s"} and _STEPS_RATE.fullmatch(unit):
        return "step_time_s" if unit.startswith("s/") else "steps_per_s"
    return column


def is_record(row: Mapping[str, object], names: Iterable[str]) -> bool:
    """Whether the columns are those of a training step: a counter and a metric, and not of validation alone."""
    if not (row.keys() & {"step", "epoch"} and row.keys() & METRICS):
        return False
    if not any(map(is_evaluation, names)) or row.keys() & (METRICS - {"loss"}):
        return True
    return "step" not in row and any(name.startswith("train") for name in names)


def cut_off(cells: Sequence[tuple[str, int, int]], text: str) -> Sequence[tuple[str, int, int]]:
    """The cells of a line that may break off: without the last key and its values, unless a bracket closes them.

    ``tok/sec: 353,2`` and ``eta: 0:14:1`` look whole and are not.

    Args:
        cells: Name, start and end of each.
        text: The line.
    """
    if text.rstrip().endswith((")", "]", "|")):
        return cells
    last_key = max((place for place, (name, _, _) in enumerate(cells) if name == "key"), default=0)
    return cells[:last_key]


def placed(cells: Iterable[tuple[str, int, int]], text: str, start: int) -> list[tuple[str, Placed]]:
    """Name and text of each cell.

    Args:
        cells: Name, start and end of each.
        text: Where they stand.
        start: Where that begins in its line.
    """
    return [(name, Placed.at(text[begin:end], start + begin)) for name, begin, end in cells]


def key_digits(shape: LineShape, text: str) -> list[int]:
    """Where the digits of keys stand in a line, in characters: they decide the column.

    Args:
        shape: What the grammar says of the text.
        text: A piece of the line that knows its place.
    """
    keys = [(start, end) for name, start, end in shape.columns if name == "key"]
    return [place_of(text) + at for start, end in keys for at in range(start, end) if text[at] in _DIGITS]


def told_of_end(one: Format, read: Callable[..., Reading]) -> Format:
    """The format, which also reads a text whose last line may break off.

    Args:
        one: Without that.
        read: Reads lines; ``open_end`` says that the last of them may break off.
    """

    def told(of: Told) -> Format:
        return replace(one, read=lambda lines: read(lines, open_end=of.open_end))

    return replace(one, told=told)


def label_of(prefix: str) -> Row | None:
    """Time and rank of the text in front of a record, as said; None where it makes the record no training."""
    if is_quoted(prefix) or _EVALUATION_BEFORE.search(prefix):
        return None
    row = said_by_label(prefix)
    if "rank" not in row and (rank := _SHORT_RANK.search(prefix)):
        row["rank"] = Figure(rank.group(1), rank.start(1))
    return row


class Record(NamedTuple):
    """What a line says of a step.

    Attributes:
        text: What makes it the same as another: without what stands in front.
        label: Time and rank, as said.
        row: Its columns as said, with ``format``.
        is_sure: Whether all lines of its shape say the same columns.
    """

    text: Placed
    label: Row
    row: Row
    is_sure: bool


class Records:
    """Collects the records of one stream of lines; a record that is printed twice in a row counts once."""

    def __init__(self) -> None:
        self.reading = Reading()
        self._last: tuple[str, object] = ("", None)
        self._columns: set[str] = set()

    @property
    def family(self) -> object:
        """The format of the record before; None where there is none."""
        steps = self.reading.rows.get("steps")
        return steps[-1]["format"] if steps else None

    def add(self, line: Line, text: str, label: Row, row: Row) -> Row:
        """Add the record of a line, and return its row; a repeated one adds nothing.

        Args:
            line: Where it stands.
            text: What makes it the same as another: its text without the label.
            label: Time and rank.
            row: Its columns, with ``format``.
        """
        self.reading.used.add(line.number)
        if self._last == (text, label.get("rank")):
            return {}
        self._last = (text, label.get("rank"))
        new = row.keys() - self._columns
        if len(self._columns) + len(new) > MAX_METRICS:
            row = {key: value for key, value in row.items() if key not in new or key in METRICS | WHOLE}
        self._columns |= row.keys()
        row = {"line": line.number, **label, **row}
        self.reading.add("steps", row)
        return row
