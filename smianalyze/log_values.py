"""Values of many pieces of a log at once, by what one piece of each shape says.

A figure is the number that its digits are, times a power of ten: both are exact in a float, so that one
multiplication or division rounds as ``float`` does. What that does not hold for is left to ``float``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from smianalyze.formats.log_numbers import AS_PRINTED, CLOCK, PARTS, SECONDS_OF_A_PART
from smianalyze.formats.log_said import Clock, Figure, Moment, Printed, Said
from smianalyze.offsets import MAX_DIGITS, Array, Cells, folded_at
from smianalyze.shapes import WORD, Flags, Indexes

MAX_POWER = 22  # of ten, as far as it is exact in a float
_FINEST = 2**20
_FINE_DIGITS = 8  # of a figure that is divided by that: more are rounded twice where one is read
LONGEST_TEXT = 64  # characters of a figure
_FIGURE = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]{1,2}))?")
_CLOCK_SECONDS = (86_400, 3_600, 60)
_RUNS = 4  # numbers that a duration is the sum of, at most
_PARTS_OF_MOMENT = ((4, 4), (7, 2), (10, 2), (13, 2), (16, 2), (19, 2))  # where each ends, and its digits
_LENGTH_WITHOUT_FRACTION = 19
_TENS = 10.0 ** np.arange(MAX_POWER + 1)
_WHOLE_TENS = 10 ** np.arange(MAX_DIGITS + 1)
_NONE, _NUMBER, _LONG, _MOMENT, _TEXT, _CONSTANT = range(6)


class Rule(NamedTuple):
    """How the value of a column comes from the bytes of a piece; all places are offsets in it.

    Attributes:
        kind: What it is.
        text_end: Of its text, and
        length: how long that is, in bytes.
        end: Of the digits before the point.
        digits: How many there are.
        fraction: Digits behind the point.
        power_end: Of the exponent.
        power_digits: Its digits.
        power_sign: 1 or -1.
        sign: 1 or -1.
        times: What the number is multiplied by, and
        over: what it is divided by.
        factor: What the value is multiplied by.
        is_whole: Whether it is a whole number.
        is_share: Whether percent become a share of 1.
        runs: End, digits and seconds of the other numbers of a duration.
        constant: A text that all pieces have.
    """

    kind: int
    text_end: int = 0
    length: int = 0
    end: int = 0
    digits: int = 0
    fraction: int = 0
    power_end: int = 0
    power_digits: int = 0
    power_sign: int = 1
    sign: int = 1
    times: int = 1
    over: int = 1
    factor: int = 1
    is_whole: bool = False
    is_share: bool = False
    runs: tuple[tuple[int, int, int], ...] = ()
    constant: str | None = None


def rule_of(said: object, text: str) -> Rule | None:
    """The rule of a value; None where it must be read for each piece.

    Args:
        said: What a piece says.
        text: The piece.
    """
    if isinstance(said, str):
        return Rule(_CONSTANT, constant=said)
    if not isinstance(said, Said):
        return None
    start = len(text[: said.start].encode())
    end = start + len(said.text.encode())
    if isinstance(said, Printed):
        return Rule(_TEXT, end, end - start)
    if isinstance(said, Moment):
        return Rule(_MOMENT, end, end - start, end)
    return _of_clock(said, start) if isinstance(said, Clock) else _of_figure(said, start)


def _of_figure(said: Figure, start: int) -> Rule | None:
    found = _FIGURE.fullmatch(said.text)
    if found is None or len(said.text) > LONGEST_TEXT:
        return None
    sign, whole, fraction, power_sign, power = (group or "" for group in found.groups())
    scale = said.scale
    digits = len(whole) + len(fraction)
    is_scaled = scale.times != scale.over
    most_digits = _FINE_DIGITS if scale.over == _FINEST else MAX_DIGITS - len(str(scale.times))
    if (power and scale != AS_PRINTED) or (is_scaled and digits > most_digits):
        return None
    is_plain = not (found[3] is not None or power or is_scaled or scale.is_share)
    if digits > MAX_DIGITS or (is_plain and scale.factor > 1 and digits > WORD):
        is_float = not is_plain and scale == AS_PRINTED
        return Rule(_LONG, start + len(said.text), len(said.text)) if is_float else None
    return Rule(
        _NUMBER,
        start + len(said.text),
        len(said.text),
        start + len(sign) + len(whole),
        len(whole),
        fraction=len(fraction),
        power_end=start + len(said.text),
        power_digits=len(power),
        power_sign=-1 if power_sign == "-" else 1,
        sign=-1 if sign == "-" else 1,
        times=scale.times,
        over=scale.over,
        factor=scale.factor,
        is_whole=is_plain,
        is_share=scale.is_share,
    )


def _of_clock(said: Clock, start: int) -> Rule | None:
    found = CLOCK.fullmatch(said.text)
    if found:
        numbers = zip((1, 2, 3), _CLOCK_SECONDS, strict=True)
        runs = [(start + found.end(at), len(found[at]), times) for at, times in numbers if found[at]]
        whole, _, fraction = found[4].partition(".")
        end = start + found.start(4) + len(whole)
        return _duration(runs, Rule(_NUMBER, end=end, digits=len(whole), fraction=len(fraction)))
    parts = [(start + one.end(1), len(one[1]), SECONDS_OF_A_PART[one[2]]) for one in PARTS.finditer(said.text)]
    return _duration(parts, Rule(_NUMBER)) if not PARTS.sub("", said.text).strip() else None


def _duration(runs: Sequence[tuple[int, int, int]], rest: Rule) -> Rule | None:
    """A duration whose numbers are small enough to be exact together."""
    is_small = len(runs) <= _RUNS and all(digits <= WORD for _, digits, _ in runs)
    return rest._replace(runs=tuple(runs)) if is_small and rest.digits + rest.fraction <= MAX_DIGITS else None


_FIELDS = {
    **dict.fromkeys(("kind", "text_end", "length", "end", "digits", "fraction", "power_end", "power_digits"), 0),
    **dict.fromkeys(("power_sign", "sign", "times", "over", "factor"), 1),
    "is_share": 0,
}
"""Fields of a rule that are laid out in arrays, with the value that stands for none."""


class Table:
    """The rules of one column, by number of shape.

    Attributes:
        fields: Each field of the rules, by shape.
        kinds: What kinds of rules there are.
        constants: Texts that all pieces of a shape have.
        is_whole: Whether all values are whole numbers.
        has_powers: Whether some are printed with an exponent.
        is_scaled: Whether some have a sign or another unit.
    """

    def __init__(self, rules: Mapping[int, Rule], count: int) -> None:
        """Lay them out.

        Args:
            rules: By shape; the others do not have the column.
            count: How many shapes there are.
        """
        shapes = np.fromiter(rules, np.int64, len(rules))
        self.fields: dict[str, Indexes] = {}
        for name, default in _FIELDS.items():
            self.fields[name] = np.full(count, default, np.int64)
            self.fields[name][shapes] = [getattr(rule, name) for rule in rules.values()]
        self.kinds = {rule.kind for rule in rules.values()}
        self.runs = [{at: rule.runs[n] for at, rule in rules.items() if len(rule.runs) > n} for n in range(_RUNS)]
        self.constants = np.full(count, None, np.object_)
        self.constants[shapes] = [rule.constant for rule in rules.values()]
        self.is_whole = all(rule.is_whole for rule in rules.values())
        self.has_powers = any(rule.power_digits for rule in rules.values())
        self.is_scaled = any(_is_scaled(rule) for rule in rules.values())
        self._count = count

    def runs_of(self, shapes: Indexes) -> Iterator[tuple[Indexes, Indexes, Indexes]]:
        """End, digits and seconds of each further number of the durations."""
        for run in filter(None, self.runs):
            laid = np.zeros((3, self._count), np.int64)
            laid[:, [*run]] = np.array([*run.values()]).T
            yield laid[0, shapes], laid[1, shapes], laid[2, shapes]


def _is_scaled(rule: Rule) -> bool:
    return rule.sign != 1 or rule.times != rule.over or rule.factor != 1 or rule.is_share


class At(NamedTuple):
    """Pieces of a block.

    Attributes:
        data: The block.
        words: The eight bytes before each place in it.
        starts: Where each piece begins.
        shapes: Its shape.
    """

    data: bytes
    words: npt.NDArray[np.void]
    starts: Indexes
    shapes: Indexes

    def field(self, table: Table, name: str) -> Indexes:
        """A field of the rule of each piece."""
        return table.fields[name][self.shapes]

    def number(self, table: Table, end: str, digits: str, *, behind: Indexes | int = 0) -> Indexes:
        """The number that ends at, or so many bytes behind, a place."""
        return folded_at(self.words, self.starts + self.field(table, end) + behind, self.field(table, digits))

    def texts(self, table: Table, rows: Indexes) -> Iterator[str]:
        """The text of the value in some of the pieces."""
        ends = self.starts[rows] + table.fields["text_end"][self.shapes[rows]]
        starts = ends - table.fields["length"][self.shapes[rows]]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            yield self.data[start:end].decode()


class Column(NamedTuple):
    """Values of a column, and the pieces that say something else than their shape (None: there are none)."""

    cells: Cells
    unsure: Flags | None = None


def column_of(at: At, table: Table) -> Column:
    """The values of a column."""
    kinds = at.field(table, "kind")
    known = None if kinds.all() else kinds != _NONE
    if _MOMENT in table.kinds:
        return _moments(at, table)
    if _CONSTANT in table.kinds:
        return Column(Cells(table.constants[at.shapes], known))
    if _TEXT in table.kinds:
        values = np.full(len(kinds), None, np.object_)
        rows = np.flatnonzero(kinds)
        shared: dict[str, str] = {}
        values[rows] = [shared.setdefault(text, text) for text in at.texts(table, rows)]
        return Column(Cells(values, known))
    return Column(Cells(_figures(at, table), known))


def _figures(at: At, table: Table) -> Array:
    """Numbers; a duration is the last of its numbers and all others."""
    numbers = at.number(table, "end", "digits")
    fractions = at.field(table, "fraction")
    if fractions.any():
        more = at.number(table, "end", "fraction", behind=1 + fractions)
        numbers = numbers * _WHOLE_TENS[fractions] + more
    if table.is_whole:
        return numbers * at.field(table, "sign") * at.field(table, "factor") if table.is_scaled else numbers
    powers = -fractions
    if table.has_powers:
        powers = powers + at.field(table, "power_sign") * at.number(table, "power_end", "power_digits")
    if table.is_scaled:
        numbers = numbers * at.field(table, "times")
    values = numbers / (_TENS[np.clip(-powers, 0, MAX_POWER)] * at.field(table, "over"))
    up = powers > 0
    if up.any():
        values[up] = numbers[up] * _TENS[np.minimum(powers[up], MAX_POWER)]
    if table.is_scaled:
        values *= at.field(table, "sign") * at.field(table, "factor")
        values[at.field(table, "is_share") > 0] /= 100
    for ends, digits, seconds in table.runs_of(at.shapes):
        values = values + folded_at(at.words, at.starts + ends, digits) * seconds
    far = np.flatnonzero(np.abs(powers) > MAX_POWER) if table.has_powers else np.zeros(0, np.int64)
    long = np.flatnonzero(at.field(table, "kind") == _LONG) if _LONG in table.kinds else far[:0]
    for rows in (far, long):
        values[rows] = np.fromiter(map(float, at.texts(table, rows)), np.float64, len(rows))
    return values


def _moments(at: At, table: Table) -> Column:
    """Times; where there is no such day or hour, the piece says something else."""
    is_one = at.field(table, "kind") == _MOMENT
    begins = at.field(table, "end") - at.field(table, "length")
    year, month, day, hour, minute, second = (
        folded_at(at.words, at.starts + is_one * (begins + end), is_one * digits)
        for end, digits in _PARTS_OF_MOMENT
    )
    digits = np.maximum(at.field(table, "length") - _LENGTH_WITHOUT_FRACTION - 1, 0)
    micros = folded_at(at.words, at.starts + at.field(table, "end"), digits) * _WHOLE_TENS[6 - digits]
    months = ((year - 1970) * 12 + month - 1).astype("M8[M]")
    days = months.astype("M8[D]") + (day - 1)
    seconds = hour * 3_600 + minute * 60 + second
    is_day = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("M8[M]") == months)
    is_time = (hour < 24) & (minute < 60) & (second < 60)
    values = days.astype("M8[us]") + (seconds * 1_000_000 + micros)
    known = None if is_one.all() else is_one
    unsure = is_one & ~(is_day & is_time)
    return Column(Cells(values, known), unsure if unsure.any() else None)
