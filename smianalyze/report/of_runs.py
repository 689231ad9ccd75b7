"""Two whole runs side by side, as columns for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

from smianalyze.analyses.run_comparison import Change, changes, headline
from smianalyze.analyses.run_numbers import RunNumbers
from smianalyze.analyses.wording import named
from smianalyze.findings import LEVELS, Finding
from smianalyze.language import Language, say, spoken, text
from smianalyze.markup import prose, table
from smianalyze.quantities import UNKNOWN
from smianalyze.report.content import NO_FONT
from smianalyze.wrapping import left, right, width, wrapped

HEADER = (text("before"), text("after"), text("change"))
HOW = text(
    "Step time and waiting are those of the log over the whole run. Utilization, idle time and power are "
    "those of the job's cards while it ran; energy a step is power times step time."
)
DECIMALS = 4


class Run(NamedTuple):
    """A run in numbers, and what stands out in it."""

    numbers: RunNumbers
    findings: tuple[Finding, ...]


def runs_text(before: Run, after: Run) -> str:
    """The sentence, one line a quantity, and what stands out in each run, for a terminal of 80 columns."""
    found = changes(before.numbers, after.numbers)
    rows = [_header(), *_rows(before, after)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([left(row[0], widths[0]), *map(right, row[1:], widths[1:])]).rstrip() for row in rows]
    return "\n".join([wrapped(headline(found)), "", *lines, "", *_stands_out(before, after)])


def runs_markdown(before: Run, after: Run, charts: Sequence[tuple[str, str]], *, drawn_in: Language = "en") -> str:
    """The same as a page.

    Args:
        before: The first run.
        after: The second one.
        charts: Title and file name of each picture.
        drawn_in: Their language.
    """
    found = changes(before.numbers, after.numbers)
    rows = [[prose(cell) for cell in row] for row in _rows(before, after)]
    pictures = [f"![{prose(title)}]({file_name})" for title, file_name in charts]
    if pictures and drawn_in != spoken():
        pictures.append(say(NO_FONT))
    verdict = [f"**{prose(headline(found))}**", *map(prose, _stands_out(before, after))]
    return "\n\n".join([say("# Two runs"), *verdict, table(_header(), rows), *pictures, say(HOW)]) + "\n"


def runs_json(before: Run, after: Run, inputs: Sequence[dict[str, object]]) -> str:
    """The same for programs: a report without cards, with its ``runs``."""
    report = {
        "schema": 1,
        "language": spoken(),
        "inputs": list(inputs),
        "comparison": None,
        "utilization": [],
        "findings": [],
        "runs": {"before": _numbers(before), "after": _numbers(after)},
    }
    return json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _header() -> tuple[str, ...]:
    return ("", *map(say, HEADER))


def _numbers(run: Run) -> dict[str, object]:
    numbers = run.numbers
    values = {**asdict(numbers), "gpus": list(numbers.gpus), "energy_per_step_j": numbers.energy_per_step_j}
    known = {name: round(value, DECIMALS) if isinstance(value, float) else value for name, value in values.items()}
    return {**known, "findings": [finding.id for finding in run.findings]}


def _rows(before: Run, after: Run) -> list[tuple[str, ...]]:
    return [*map(_cells, changes(before.numbers, after.numbers)), *_cards(before.numbers, after.numbers)]


def _stands_out(before: Run, after: Run) -> list[str]:
    """For each run the findings that cost something."""
    return [
        say("Stands out before: {findings}.", findings=_costly(before)),
        say("Stands out after: {findings}.", findings=_costly(after)),
    ]


def _costly(run: Run) -> str:
    found = [
        f"{say(LEVELS[finding.severity])} `{finding.id}`" for finding in run.findings if finding.severity != "info"
    ]
    return say(", ").join(found) or say("nothing")


def _cells(change: Change) -> tuple[str, ...]:
    return (
        change.label,
        written(change, change.before),
        written(change, change.after),
        _by(change),
    )


def _cards(before: RunNumbers, after: RunNumbers) -> list[tuple[str, ...]]:
    if not before.gpus and not after.gpus:
        return []
    said = [named("GPU", run.gpus) if run.gpus else UNKNOWN for run in (before, after)]
    change = "" if before.gpus == after.gpus else say("others") if before.gpus and after.gpus else UNKNOWN
    return [(say("cards"), *said, change)]


def written(change: Change, value: float | None) -> str:
    """A value in its unit, with as many digits as tell something."""
    if value is None:
        return UNKNOWN
    if change.is_share:
        return f"{100 * value:.0f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _by(change: Change) -> str:
    """The change: points of a share, times of a time or an energy, a difference of memory."""
    if change.delta is None:
        return UNKNOWN
    if change.is_share:
        return say("{by:+.0f} points", by=100 * change.delta)
    if change.unit == "MiB":
        return f"{change.delta:+,.0f}" if round(change.delta) else "0"
    return UNKNOWN if change.times is None else _times(change.times)


def _times(times: float) -> str:
    if times == 1:
        return say("same")
    if times > 1:
        return say("{times:.3g} times more", times=times)
    return say("{times:.3g} times less", times=1 / times)
