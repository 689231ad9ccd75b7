"""Values of many pieces at once are those that one piece has."""

from __future__ import annotations

import random

import numpy as np
import pytest

from smianalyze.formats.log_numbers import scale_to
from smianalyze.formats.log_said import Figure, Moment, Placed, Said, clock, figure
from smianalyze.log_rules import Rule, Table, rule_of
from smianalyze.log_values import At, Column, column_of
from smianalyze.shapes import WORD

COUNT = 3_000


def decimal(chance: random.Random) -> str:
    """A number as some program prints it; also such that stand in the middle of two floats."""
    makers = (
        lambda: repr(chance.random() * 10.0 ** chance.randrange(-9, 9)),
        lambda: f"{chance.random() * 10.0 ** chance.randrange(-30, 30):.{chance.randrange(17)}e}",
        lambda: f"{chance.getrandbits(chance.randrange(1, 50))}.{chance.getrandbits(chance.randrange(1, 40))}",
        lambda: f"0.{'0' * chance.randrange(5)}{chance.getrandbits(chance.randrange(1, 50))}",
        lambda: f"-{chance.random() * 1000:.{chance.randrange(1, 15)}f}",
        lambda: f"{2 * (chance.getrandbits(53) | 2**52) + 1}.0",
        lambda: f"{chance.random():.{chance.randrange(1, 18)}f}",
    )
    return chance.choice(makers)()


def column(said: list[Said]) -> Column:
    rules: dict[int, Rule] = {}
    for shape, one in enumerate(said):
        rule = rule_of(one, one.text)
        assert rule, one
        rules[shape] = rule
    data = "".join(f"{one.text}\n" for one in said).encode()
    ends = np.cumsum([len(one.text) + 1 for one in said])
    words = np.ndarray((len(data) + 1,), f"V{WORD}", bytes(WORD) + data, 0, (1,))
    at = At(data, words, np.concatenate(([0], ends[:-1])), np.arange(len(said)))
    table = Table()
    table.add(rules, len(said))
    return column_of(at, table)


@pytest.mark.parametrize("seed", range(8))
def test_decimals_are_rounded_as_float_does(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed seed
    texts = [decimal(chance) for _ in range(COUNT)]

    values = column([one for text in texts if (one := figure(text))]).cells.values

    assert values.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("step_time_s", "ms"), ("step_time_s", "us"), ("eta_s", "min"), ("gpu_mem_mib", "G")),
        *(("gpu_mem_mib", "kB"), ("gpu_mem_mib", "B"), ("host_mem_gib", "MB"), ("mfu", "%")),
        *(("tokens_per_s", "k"), ("loss", "")),
    ],
)
def test_units_are_those_of_one_line(name: str, unit: str) -> None:
    chance = random.Random(name + unit)  # noqa: S311 - a fixed seed
    scale = scale_to(name, unit)
    assert scale
    said: list[Said] = [Figure(f"{chance.random() * 999:.{chance.randrange(5)}f}", 0, scale) for _ in range(COUNT)]

    assert column(said).cells.values.tolist() == [one.value() for one in said]


def test_durations_are_those_of_one_line() -> None:
    texts = ("04:48", "1 day, 9:08:14", "12 days, 1:02:03", "1h 47m 59s", "36s", "9:08:14.25", "983:23:37", "2d3h")
    said = [one for text in texts if (one := clock(text))]

    assert column([*said]).cells.values.tolist() == [one.value() for one in said]


def test_a_day_that_is_none_is_unsure() -> None:
    texts = ("2021-02-17 04:33:50,120", "2021/02/30T04:33:50.1", "2024-02-29 23:59:59", "2024-02-29 24:00:00")
    said = [Moment(Placed.at(text, 0), 0) for text in texts]

    cells, unsure = column([*said])

    assert unsure is not None
    assert unsure.tolist() == [one.value() is None for one in said]
    assert [cells.values[row].item() for row in (0, 2)] == [said[row].value() for row in (0, 2)]
