"""The fleet report: verdicts first, then hosts, users, programs and findings, and what was not read."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

import pandas as pd

from smianalyze import figures, safe
from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.capture import load
from smianalyze.cards import records
from smianalyze.fleet.hours_heatmap import hours_heatmap
from smianalyze.fleet.run import FleetRun
from smianalyze.fleet.scan import scan
from smianalyze.fleet.summary import Summary, summary_of
from smianalyze.markup import prose, table
from smianalyze.masking import Masker
from smianalyze.output import write_folder
from smianalyze.quantities import UNKNOWN, counted, share
from smianalyze.report.to_html import html_text

Mask = Callable[[str], str]

PICTURE = "utilization.png"
TABLES = ("hosts", "users", "programs", "findings", "worst", "silent", "unread")
MOST_ROWS = 50
"""Rows of a table in the page; the JSON has all."""
HOURS = ("recorded_h", "active_h", "held_idle_h", "idle_h")
MOST_NAMED = 5
"""Hosts named in a sentence."""
HEADS = ("recorded", "active", "held but idle", "idle", "mean utilization")


def write_report(dataset: Path, folder: Path, *, run: FleetRun, masker: Masker, command: Sequence[str]) -> None:
    """Write ``report.md``, ``report.json``, a picture, and a page for each of the worst runs.

    Args:
        dataset: What the report is of.
        folder: Written as a whole; one that is there is replaced.
        run: What the last run over the captures left out.
        masker: Hides names.
        command: What makes the report again.

    Raises:
        OutputExists: The folder is no report of ours.
        OutputFailed: It could not be written.
    """
    scanned = scan(dataset)
    summary = summary_of(scanned)
    inputs = scanned.lazy("inputs").to_pandas(["capture", "source", "host"])
    pages: dict[str, bytes] = {}
    for number, name in enumerate(summary.worst["capture"], 1):
        sources = inputs.loc[inputs["capture"].eq(name), "source"]
        pages[f"run-{number}.html"] = _own_report([str(source) for source in sources], masker)
    reports = dict(zip(summary.worst["capture"], pages, strict=True))
    files = fleet_files(summary, masker=masker, command=command, reports=reports, outside=len(run.outside))
    write_folder(folder, files | pages, force=True, private=masker.level == "none")


def _own_report(sources: Sequence[str], masker: Masker) -> bytes:
    """The page of one capture."""
    return html_text(load(*sources).content(masker)).encode("utf-8", "backslashreplace")


def fleet_files(
    summary: Summary, *, masker: Masker, command: Sequence[str], reports: Mapping[str, str], outside: int = 0
) -> dict[str, bytes]:
    """The files of a fleet report by name.

    Args:
        summary: Of the dataset.
        masker: Hides names.
        command: What makes the report again.
        reports: File name of the own report of a capture, where it has one.
        outside: Files that did not fit the layout.
    """
    files = {"report.json": _json(summary, masker).encode("utf-8", "backslashreplace")}
    if not summary.hours.empty:
        files[PICTURE] = figures.png(hours_heatmap(summary.hours, masker=masker))
    page = _markdown(summary, masker, shlex.join(command), reports, outside)
    return files | {"report.md": page.encode("utf-8", "backslashreplace")}


def _markdown(summary: Summary, masker: Masker, command: str, reports: Mapping[str, str], outside: int) -> str:
    parts = [
        f"# Fleet report: {counted(len(summary.hosts), 'host')}, {counted(summary.captures, 'capture')}",
        *_verdicts(summary, masker, outside),
        "" if summary.hours.empty else f"![Utilization of each host and hour]({PICTURE})",
        _section("Worst runs", _worst(summary, masker, reports)),
        _section("Findings", _findings(summary)),
        _section("Hosts", _hosts(summary.hosts, masker)),
        _section("Users", _usage(summary.users, "user", masker.user)),
        _section("Programs", _usage(summary.programs, "process_name", masker.process_name)),
        _section("Not read", _unread(summary, masker)),
        f"Active is a utilization above {IDLE_PCT} %; held but idle is up to that while {HELD_MIB} MiB or more "
        "are in use. Times are those of all cards together; a pause in a recording is not counted.",
        "" if masker.level == "none" else "Hosts and users have aliases here; `--mask none` shows their names.",
        f"Reproduce: {safe.code(command)}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdicts(summary: Summary, masker: Masker, outside: int) -> list[str]:
    hosts = summary.hosts
    recorded, held = hosts["recorded_h"].sum(), hosts["held_idle_h"].sum()
    said = []
    if recorded:
        said.append(
            f"**{_span(held)} of {_span(recorded)} of cards ({share(held, recorded)}) were held but idle**; "
            f"{share(hosts['active_h'].sum(), recorded)} were active. "
            f"Energy: {hosts['energy_kwh'].sum():,.2f} kWh."
        )
    if len(summary.silent):
        names = ", ".join(safe.code(masker.host(str(host))) for host in summary.silent["host"][:MOST_NAMED])
        left = len(summary.silent) - MOST_NAMED
        more = f" and {left:,} more" if left > 0 else ""
        said.append(f"**{counted(len(summary.silent), 'host')} stopped reporting**: {names}{more}.")
    if len(summary.unread):
        said.append(f"{counted(len(summary.unread), 'input')} could not be read: see below.")
    if summary.nameless:
        said.append(
            f"{counted(summary.nameless, 'capture')} name no host. Where the folders do, tell it, for example "
            "with `--layout '{host}/{run}/*'`."
        )
    if outside:
        said.append(f"Not read, as the layout does not name them: {counted(outside, 'file')}.")
    return [part if part.startswith("**") else prose(part) for part in said]


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}" if body else ""


def _worst(summary: Summary, masker: Masker, reports: Mapping[str, str]) -> str:
    rows = []
    for row in records(summary.worst):
        name, report = safe.cell(masker.source(str(row["capture"]))), reports.get(str(row["capture"]))
        ids = ", ".join(map(safe.cell, cast("list[str]", row["ids"])))
        rows.append(
            [f"[{name}]({report})" if report else name, _named(row["host"], masker.host), row["severity"], ids]
        )
    return _table(["run", "host", "severity", "findings"], rows)


def _findings(summary: Summary) -> str:
    rows = [
        [safe.cell(str(row["id"])), row["severity"], row["runs"], row["hosts"]]
        for row in records(summary.findings)
    ]
    return _table(["finding", "severity", "runs", "hosts"], rows)


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
    return _table(["host", "cards", *HEADS, "energy", "peak memory"], rows)


def _usage(frame: pd.DataFrame, column: str, mask: Mask) -> str:
    rows = [[_named(row[column], mask), *_hours(row)] for row in records(frame)]
    return _table([column.replace("_", " "), *HEADS], rows)


def _unread(summary: Summary, masker: Masker) -> str:
    rows = [
        [_named(row["source"], masker.source), _named(row["note"], masker.text)] for row in records(summary.unread)
    ]
    return _table(["input", "why"], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of the first rows, and how many more there are; empty without rows."""
    if not rows:
        return ""
    text = table(head, [[str(cell) for cell in row] for row in rows[:MOST_ROWS]])
    return text if len(rows) <= MOST_ROWS else f"{text}\n\n{len(rows) - MOST_ROWS:,} more are in `report.json`."


def _hours(row: Mapping[str, object]) -> list[str]:
    return [*(_span(row[name]) for name in HOURS), f"{_number(row['utilization_pct'])} %"]


def _span(hours: object) -> str:
    """Hours of cards, or minutes where they are less than one hour."""
    if not isinstance(hours, int | float):
        return f"{UNKNOWN} h"
    return f"{hours:,.1f} h" if hours >= 1 else f"{60 * hours:,.0f} min"


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
    tables = {
        name: getattr(summary, name)
        for name in ("hosts", "users", "programs", "findings", "worst", "silent", "unread")
    }
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
