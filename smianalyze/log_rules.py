"""Where the value of a column stands in all pieces of one shape, and how it is read there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from smianalyze.formats.log_numbers import AS_PRINTED, CLOCK, PARTS, SECONDS_OF_A_PART
from smianalyze.formats.log_said import Clock, Figure, Moment, Printed, Said
from smianalyze.offsets import MAX_DIGITS
from smianalyze.shapes import WORD, Indexes

MOST_DIGITS = 3 * WORD
"""On one side of the point; the first ones of so many are zeros."""
LONGEST_TEXT = 64  # characters of a figure
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
    **dict.fromkeys(("power_sign", "sign", "times", "over", "factor"), 1),
    "is_share": 0,
}
"""Fields of a rule that are laid out in arrays, with the value that stands for none."""


class Table:
    """The rules of one column, by number of shape.

    Attributes:
        fields: Each field of the rules, by shape.
        kinds: What kinds of rules there are.
        texts: What all pieces of some shape have, and
        constants: the number of that text by shape.
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
        self.texts = list(dict.fromkeys(rule.constant or "" for rule in rules.values()))
        self.constants = np.zeros(count, np.int32)
        self.constants[shapes] = [self.texts.index(rule.constant or "") for rule in rules.values()]
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
