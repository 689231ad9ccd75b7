"""Where the value of a column stands in all pieces of one shape, and how it is read there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from smianalyze.formats.log_numbers import AS_PRINTED, CLOCK, PARTS, SECONDS_OF_A_PART
from smianalyze.formats.log_said import Clock, Figure, Moment, Printed, Said
from smianalyze.offsets import DIGITS, LAST, MAX_DIGITS
from smianalyze.shapes import WORD, Indexes

Number = TypeVar("Number", bound=np.generic)
MOST_DIGITS = 3 * WORD
"""On one side of the point; the first ones of so many are zeros."""
LONGEST_TEXT = 64  # characters of a figure
_LAST: list[int] = LAST.tolist()
_DIGITS = int(DIGITS)
_FINEST = 2**20
_FINE_DIGITS = 8  # of a figure that is divided by that: more are rounded twice where one is read
_FIGURE = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]{1,2}))?")
_CLOCK_SECONDS = (86_400, 3_600, 60)
_RUNS = 4  # numbers that a duration is the sum of, at most
NOTHING, NUMBER, LONG, MOMENT, TEXT, CONSTANT = range(6)
"""Kinds of values; a long number has more digits than are exact in a float."""


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

    @property
    def last_digit_end(self) -> int:
        """Of all digits."""
        return self.end + self.fraction + 1 if self.fraction else self.end

    @property
    def behind(self) -> int:
        """Where in the word that ends there the digits behind the point are, those before it if it has none."""
        return _LAST[min(self.fraction or self.digits, WORD)] & _DIGITS

    @property
    def before(self) -> int:
        """Where in that word without the point those before it are, if it has one."""
        whole = _LAST[min(self.digits + self.fraction, WORD)] & ~_LAST[min(self.fraction, WORD)]
        return whole & _DIGITS if self.fraction else 0

    @property
    def ten(self) -> float:
        """To the power of so many digits as stand behind the point."""
        return 10.0**self.fraction


def rule_of(said: object, text: str) -> Rule | None:
    """The rule of a value; None where it must be read for each piece.

    Args:
        said: What a piece says.
        text: The piece.
    """
    if isinstance(said, str):
        return Rule(CONSTANT, constant=said)
    if not isinstance(said, Said):
        return None
    start = len(text[: said.start].encode())
    end = start + len(said.text.encode())
    if isinstance(said, Printed):
        return Rule(TEXT, end, end - start)
    if isinstance(said, Moment):
        return Rule(MOMENT, end, end - start, end)
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
    kind = NUMBER
    if digits > MAX_DIGITS or (is_plain and scale.factor > 1 and digits > WORD):
        if is_plain or scale != AS_PRINTED or max(len(whole), len(fraction)) > MOST_DIGITS:
            return None
        kind = LONG
    return Rule(
        kind,
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
        return _duration(runs, Rule(NUMBER, end=end, digits=len(whole), fraction=len(fraction)))
    parts = [(start + one.end(1), len(one[1]), SECONDS_OF_A_PART[one[2]]) for one in PARTS.finditer(said.text)]
    return _duration(parts, Rule(NUMBER)) if not PARTS.sub("", said.text).strip() else None


def _duration(runs: Sequence[tuple[int, int, int]], rest: Rule) -> Rule | None:
    """A duration whose numbers are small enough to be exact together."""
    is_small = len(runs) <= _RUNS and all(digits <= WORD for _, digits, _ in runs)
    return rest._replace(runs=tuple(runs)) if is_small and rest.digits + rest.fraction <= MAX_DIGITS else None


_FIELDS = {
    **dict.fromkeys(("kind", "text_end", "length", "end", "digits", "fraction", "power_end", "power_digits"), 0),
    "last_digit_end": 0,
    **dict.fromkeys(("power_sign", "sign", "times", "over", "factor"), 1),
    "is_share": 0,
}
"""Fields of a rule that are laid out in arrays, with the value that stands for none."""


class Table:
    """The rules of one column, by number of shape; shapes without one do not have the column.

    Attributes:
        fields: Each field of the rules, by shape.
        behind: Where digits stand in the last word, by shape, and
        before: where in that word without a point.
        tens: The power of ten for the digits behind the point, by shape.
        kinds: What kinds of rules there are.
        texts: What all pieces of some shape have, and
        constants: the number of that text by shape.
        is_whole: Whether all values are whole numbers.
        has_powers: Whether some are printed with an exponent.
        is_scaled: Whether some have a sign or another unit.
        is_short: Whether all digits and the point stand in one word.
    """

    def __init__(self) -> None:
        """No rule yet."""
        self.fields = {name: np.full(0, default, np.int64) for name, default in _FIELDS.items()}
        self.behind, self.before = np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        self.tens = np.ones(0)
        self.kinds: set[int] = set()
        self.texts: list[str] = []
        self.constants = np.zeros(0, np.int64)
        self.is_whole, self.is_short, self.has_powers, self.is_scaled = True, True, False, False
        self._runs: list[Indexes] = []

    def add(self, rules: Mapping[int, Rule], count: int) -> None:
        """Lay out more rules.

        Args:
            rules: By shape.
            count: How many shapes there are now.
        """
        if not rules and len(self.tens) >= count:
            return
        shapes, laid = np.fromiter(rules, np.int64, len(rules)), [*rules.values()]
        for name, default in _FIELDS.items():
            self.fields[name] = _grown(self.fields[name], count, default)
            self.fields[name][shapes] = [getattr(rule, name) for rule in laid]
        self.behind, self.before = _grown(self.behind, count, 0), _grown(self.before, count, 0)
        self.behind[shapes], self.before[shapes] = [rule.behind for rule in laid], [rule.before for rule in laid]
        self.tens = _grown(self.tens, count, 1)
        self.tens[shapes] = [rule.ten for rule in laid]
        self.kinds |= {rule.kind for rule in laid}
        self.texts += dict.fromkeys(
            rule.constant or "" for rule in laid if (rule.constant or "") not in self.texts
        )
        self.constants = _grown(self.constants, count, 0)
        self.constants[shapes] = [self.texts.index(rule.constant or "") for rule in laid]
        self.is_whole &= all(rule.is_whole for rule in laid)
        self.is_short &= all(rule.digits + rule.fraction < WORD for rule in laid)
        self.has_powers |= any(rule.power_digits for rule in laid)
        self.is_scaled |= any(map(_is_scaled, laid))
        while len(self._runs) < max((len(rule.runs) for rule in laid), default=0):
            self._runs.append(np.zeros((3, 0), np.int64))
        for number, run in enumerate(self._runs):
            self._runs[number] = _grown(run, count, 0)
            having = {shape: rule.runs[number] for shape, rule in rules.items() if len(rule.runs) > number}
            self._runs[number][:, [*having]] = np.array([*having.values()], np.int64).reshape(-1, 3).T

    def runs_of(self, shapes: Indexes) -> Iterator[tuple[Indexes, Indexes, Indexes]]:
        """End, digits and seconds of each further number of the durations."""
        for run in self._runs:
            yield run[0, shapes], run[1, shapes], run[2, shapes]


def _grown(values: npt.NDArray[Number], count: int, default: int) -> npt.NDArray[Number]:
    """An array with room for so many shapes, and for some more."""
    if values.shape[-1] >= count:
        return values
    grown = np.full((*values.shape[:-1], 2 * count), default, values.dtype)
    grown[..., : values.shape[-1]] = values
    return grown


def _is_scaled(rule: Rule) -> bool:
    return rule.sign != 1 or rule.times != rule.over or rule.factor != 1 or rule.is_share
