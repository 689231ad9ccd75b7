"""The fleet report: verdicts first, then hosts, users, programs and findings, and what was not read."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd

from smianalyze import figures, safe
from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.cards import records
from smianalyze.export import learn_names
from smianalyze.findings import LEVELS, Severity
from smianalyze.fleet.dataset import key_of, stored
from smianalyze.fleet.engine import EVERY_CORE, Engine
from smianalyze.fleet.hours_heatmap import hours_heatmap
from smianalyze.fleet.pages import Page, made
from smianalyze.fleet.run import FleetRun
from smianalyze.fleet.scan import Dataset, scan
from smianalyze.fleet.summary import Summary, summary_of
from smianalyze.fleet.verdicts import Verdict, span, verdicts
from smianalyze.language import say, spoken, text
from smianalyze.markup import table
from smianalyze.masking import Masker
from smianalyze.output import write_folder
from smianalyze.quantities import UNKNOWN, counted
from smianalyze.report.content import NO_FONT

Mask = Callable[[str], str]

PICTURE = "utilization.png"
TABLES = ("hosts", "users", "programs", "findings", "worst", "silent", "unread")
MOST_ROWS = 50
"""Rows of a table in the page; the JSON has all."""
HOURS = ("recorded_h", "active_h", "held_idle_h", "idle_h")
HEADS = (text("recorded"), text("active"), text("held but idle"), text("idle"), text("mean utilization"))
ACTIVE = text(
    "Active is a utilization above {idle} %; held but idle is up to that while {held} MiB or more are in use. "
    "Times are those of all cards together; a pause in a recording is not counted."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """How a fleet report is written.

    Attributes:
        masker: Hides names.
        command: What makes the report again.
        engine: Where the pages of the worst runs are made.
    """

    masker: Masker
    command: Sequence[str]
    engine: Engine = EVERY_CORE


def write_report(
    dataset: Path, folder: Path, *, run: FleetRun, about: About, progress: Callable[[int, int], object]
) -> list[Verdict]:
    """Write ``report.md``, ``report.json``, a picture, and a page for each of the worst runs.

    Args:
        dataset: What the report is of.
        folder: Written as a whole; one that is there is replaced.
        run: What the last run over the captures left out.
        about: How it is written.
        progress: Told how many pages are made, and of how many.

    Returns:
        What it says first.

    Raises:
        OutputExists: The folder is no report of ours.
        OutputFailed: It could not be written.
    """
    scanned, masker = scan(dataset), about.masker
    summary = summary_of(scanned)
    learn_names([summary.hosts.sort_values("host"), summary.users], masker)
    pages = _pages(scanned, summary, masker)
    for number, count in made([*pages.values()], dataset, engine=about.engine):
        progress(number, count)
    kept = {capture: page.path(dataset) for capture, page in pages.items()}
    reports = {
        capture: (f"run-{number}.html", path.read_bytes())
        for number, (capture, path) in enumerate(kept.items(), 1)
        if path.exists()
    }
    links = {capture: name for capture, (name, _) in reports.items()}
    said = verdicts(summary, masker, outside=len(run.outside))
    files = fleet_files(summary, said, masker=masker, command=about.command, reports=links)
    write_folder(folder, files | dict(reports.values()), force=True, private=masker.level == "none")
    return said


def _pages(scanned: Dataset, summary: Summary, masker: Masker) -> dict[str, Page]:
    """The own report of each of the worst runs, by capture."""
    inputs = scanned.lazy("inputs").to_pandas(["capture", "source"])
    stems = stored(scanned.path)
    return {
        capture: Page(
            stems[key_of(capture)].stem,
            tuple(inputs.loc[inputs["capture"].eq(capture), "source"]),
            None if pd.isna(host) else host,
            masker,
            spoken(),
        )
        for capture, host in zip(summary.worst["capture"], summary.worst["host"], strict=True)
    }


def fleet_files(
    summary: Summary,
    said: Sequence[Verdict],
    *,
    masker: Masker,
    command: Sequence[str],
    reports: Mapping[str, str],
) -> dict[str, bytes]:
    """The files of a fleet report by name.

    Args:
        summary: Of the dataset.
        said: What stands first.
        masker: Hides names.
        command: What makes the report again.
        reports: File name of the own report of a capture, where it has one.
    """
    files = {"report.json": _json(summary, masker).encode("utf-8", "backslashreplace")}
    if not summary.hours.empty:
        files[PICTURE] = figures.png(hours_heatmap(summary.hours, masker=masker))
    page = _markdown(summary, said, masker, shlex.join(command), reports)
    return files | {"report.md": page.encode("utf-8", "backslashreplace")}


def _markdown(
    summary: Summary, said: Sequence[Verdict], masker: Masker, command: str, reports: Mapping[str, str]
) -> str:
    hosts, captures = counted(summary.hosts["host"].count(), "host"), counted(summary.captures, "capture")
    parts = [
        say("# Fleet report: {hosts}, {captures}", hosts=hosts, captures=captures),
        *(verdict.markdown for verdict in said),
        *([] if summary.hours.empty else _picture()),
        _section(say("Worst runs"), _worst(summary, masker, reports)),
        _section(say("Stopped reporting"), _silent(summary, masker)),
        _section(say("Findings"), _findings(summary)),
        _section(say("Hosts"), _hosts(summary.hosts, masker)),
        _section(say("Users"), _usage(say("user"), summary.users, "user", masker.user)),
        _section(
            say("Programs"),
            _usage(say("process name"), summary.programs, "process_name", masker.process_name),
        ),
        _section(say("Not read"), _unread(summary, masker)),
        say(ACTIVE, idle=IDLE_PCT, held=HELD_MIB),
        ""
        if masker.level == "none"
        else say("Hosts and users have aliases here; `--mask none` shows their names."),
        say("Reproduce: {command}", command=safe.code(command)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _picture() -> list[str]:
    """The picture, and that it is in another language where it is."""
    shown = f"![{say('Utilization of each host and hour')}]({PICTURE})"
    return [shown] if figures.drawn_language() == spoken() else [shown, say(NO_FONT)]


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}" if body else ""


def _worst(summary: Summary, masker: Masker, reports: Mapping[str, str]) -> str:
    rows = []
    for row in records(summary.worst):
        name = safe.cell(_run_name(row["run"], str(row["capture"]), masker))
        report = reports.get(str(row["capture"]))
        ids = say(", ").join(map(safe.cell, cast("list[str]", row["ids"])))
        link = f"[{name}]({report})" if report else name
        rows.append([_named(row["host"], masker.host), link, _severity(row), ids])
    return _table([say("host"), say("run"), say("severity"), say("findings")], rows)


def _severity(row: Mapping[str, object]) -> str:
    return say(LEVELS[cast("Severity", row["severity"])])


def _run_name(run: object, capture: str, masker: Masker) -> str:
    """The name of a run; without one, that of its file."""
    return masker.source(capture) if run is None else masker.value(str(run))


def _silent(summary: Summary, masker: Masker) -> str:
    rows = [
        [_named(row["host"], masker.host), f"{pd.Timestamp(str(row['last_time'])):%Y-%m-%d %H:%M:%S}"]
        for row in records(summary.silent)
    ]
    return _table([say("host"), say("last sample")], rows)


def _findings(summary: Summary) -> str:
    rows = [
        [safe.cell(str(row["id"])), _severity(row), row["runs"], row["hosts"]] for row in records(summary.findings)
    ]
    return _table([say("finding"), say("severity"), say("runs"), say("hosts")], rows)


def _hosts(hosts: pd.DataFrame, masker: Masker) -> str:
    rows = [
        [
            _named(row["host"], masker.host),
            row["cards"],
            *_hours(row),
            f"{_number(row['energy_kwh'], 2)} kWh",
            f"{_number(row['peak_mib'])} MiB ({_number(_percent(row['peak_share']))} %)",
        ]
        for row in records(hosts)
    ]
    return _table([say("host"), say("cards"), *map(say, HEADS), say("energy"), say("peak memory")], rows)


def _usage(header: str, frame: pd.DataFrame, column: str, mask: Mask) -> str:
    rows = [[_named(row[column], mask), *_hours(row)] for row in records(frame)]
    return _table([header, *map(say, HEADS)], rows)


def _unread(summary: Summary, masker: Masker) -> str:
    rows = [
        [
            _named(row["host"], masker.host),
            _named(row["source"], masker.source),
            _named(row["note"], masker.text),
        ]
        for row in records(summary.unread)
    ]
    return _table([say("host"), say("input"), say("why")], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of the first rows, and how many more there are; empty without rows."""
    if not rows:
        return ""
    shown, left = table(head, [[str(cell) for cell in row] for row in rows[:MOST_ROWS]]), len(rows) - MOST_ROWS
    return shown if left <= 0 else shown + "\n\n" + say("{left:,} more are in `report.json`.", left=left)


def _hours(row: Mapping[str, object]) -> list[str]:
    return [*(span(row[name]) for name in HOURS), f"{_number(row['utilization_pct'])} %"]


def _percent(value: object) -> object:
    return 100 * value if isinstance(value, float) else value


def _number(value: object, decimals: int = 0) -> str:
    return f"{value:,.{decimals}f}" if isinstance(value, int | float) else UNKNOWN


def _named(name: object, mask: Mask) -> str:
    return UNKNOWN if name is None else safe.cell(mask(str(name)))


def _json(summary: Summary, masker: Masker) -> str:
    hide = {
        "host": masker.host,
        "user": masker.user,
        "process_name": masker.process_name,
        "source": masker.source,
        "capture": masker.source,
        "note": masker.text,
    }
    tables = {name: getattr(summary, name) for name in TABLES}
    content = {
        "schema": 1,
        "captures": summary.captures,
        "captures_without_host": summary.nameless,
        **{name: _records(rows, hide) for name, rows in tables.items()},
        "inputs": [],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _records(rows: pd.DataFrame, hide: Mapping[str, Mask]) -> object:
    """Rows for JSON, with names hidden; null is unknown."""
    masked = rows.assign(
        **{str(name): rows[name].map(hide[str(name)], na_action="ignore") for name in rows if name in hide}
    )
    return json.loads(masked.to_json(orient="records", date_format="iso", double_precision=6))
