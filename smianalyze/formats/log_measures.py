"""The numbers behind a key of a metric line: its value, an average of it, and rates that only have a unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smianalyze.formats.log_keys import column_of, key_of, shared
from smianalyze.formats.log_said import Placed, Quantity, amount, clock, split, trimmed
from smianalyze.formats.log_steps import METRICS, Metrics

_PAREN_COMMA = re.compile(r"[,;] +")
_COMMA = re.compile(",")
# what a number is that has no key, by its unit
_BARE = {
    "ms": "step_time",
    "ms/step": "step_time",
    "s/step": "step_time",
    "ms/batch": "step_time",
    "ms/iter": "step_time",
    "ms/it": "step_time",
    "s/batch": "step_time",
    "s/iter": "step_time",
    "s/it": "step_time",
    "it/s": "it/s",
    "/s": "samples_per_s",
    "tok/s": "tok/s",
    "MFU": "mfu",
}
_NO_AVERAGE = ("z",)  # llm.c: how far a value is from the last ones, in standard deviations


def measure(key: str, values: Sequence[tuple[str, Placed]], metrics: Metrics) -> None:
    """A metric: its value, unit and average, and further numbers that only have a unit."""
    taken: list[tuple[str, Quantity | None, str]] = []
    means: list[tuple[Quantity | None, str]] = []
    rates: list[tuple[Quantity | None, str]] = []
    for kind, text in values:
        if kind == "unit" and taken:
            name, value, glued = taken.pop()
            taken.append((_BARE.get(text.split(" ")[-1], name) if taken else name, value, glued or text))
        elif kind == "paren":
            said = list(map(amount, split(trimmed(text, "()"), _PAREN_COMMA)))
            means.extend(mean for mean in said if not _is_rate(mean[1]))
            rates.extend(rate for rate in said if _is_rate(rate[1]))
        elif kind not in {"unit", "ratio"}:
            value, unit = _value(kind, text, metrics)
            taken.append((_BARE.get(unit, "") if taken else key, value, unit))
    means = [mean for mean in means if mean[1] not in _NO_AVERAGE]
    for (name, value, unit), mean in zip(taken, [*means, *[(None, "")] * len(taken)], strict=False):
        _add(name, (value, unit), mean, metrics)
    for value, unit in rates:
        metrics.add(unit, value, unit)


def _is_rate(unit: str) -> bool:
    """Whether a unit says by itself what a number is: ``examples/sec``, ``sec/batch``."""
    return "/" in unit and column_of(key_of(unit).name) in METRICS


def _add(
    name: str, value: tuple[Quantity | None, str], mean: tuple[Quantity | None, str], metrics: Metrics
) -> None:
    """Add a number with what stands in brackets behind it: an average, a share, or the time that it took."""
    if not name:
        return
    if mean[1] == "sec":
        metrics.values["window_s"] = mean[0]
    elif mean[1] == "%" and not value[1].startswith("%"):
        metrics.add(shared(column_of(key_of(name).name)), mean[0], "%")
    else:
        metrics.add(name, *value, mean=mean[0])
        return
    metrics.add(name, *value)


def _value(kind: str, text: Placed, metrics: Metrics) -> tuple[Quantity | None, str]:
    """Number and unit of a value; of a list, when all its numbers are the same."""
    if kind == "span":
        return clock(text), "s"
    if kind == "bracket":
        parts = list(map(amount, split(trimmed(text, "[]"), _COMMA)))
        metrics.is_sure &= len(parts) == 1
        return parts[0] if len({(value and value.value(), unit) for value, unit in parts}) == 1 else (None, "")
    return amount(text)
