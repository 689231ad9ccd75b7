"""What the hosts of a dataset did: hours by host, user and program, findings, and what was not heard or read."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from smianalyze.findings import SEVERITIES
from smianalyze.fleet.scan import Dataset
from smianalyze.fleet.usage import HOUR_S, SUMS

SILENT_S = 3600
"""A host whose last sample is so much older than the newest of all stopped reporting."""
MOST_RUNS = 10
"""Runs that are named as the worst."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """A dataset in tables; hours are card-hours.

    Attributes:
        hosts: One row a host, those with most held but idle hours first: captures, cards, recorded_h, active_h,
            held_idle_h, idle_h, utilization_pct, energy_kwh, peak_mib and peak_share of the card that came nearest
            to its capacity, last_time.
        users: Likewise by user, as far as ``top`` says who a process belongs to.
        programs: Likewise by program.
        hours: Utilization in percent, a row a host and a column an hour; NaN where there is no sample.
        findings: How often each id was found: id, severity (the highest), runs, hosts.
        worst: The runs with the most severe findings: capture, host, run, severity, ids.
        silent: Hosts that stopped reporting: host, last_time.
        unread: Inputs that could not be read: host, source, note.
        nameless: How many captures name no host.
        captures: How many there are.
        severe: How many have a finding of high severity.
    """

    hosts: pd.DataFrame
    users: pd.DataFrame
    programs: pd.DataFrame
    hours: pd.DataFrame
    findings: pd.DataFrame
    worst: pd.DataFrame
    silent: pd.DataFrame
    unread: pd.DataFrame
    nameless: int
    captures: int
    severe: int


def summary_of(dataset: Dataset) -> Summary:
    """The tables of a dataset, from the sums of its captures; no sample is read."""
    cards = dataset.lazy("card_usage").to_pandas()
    programs = dataset.lazy("process_usage").to_pandas()
    found = dataset.lazy("findings").to_pandas(["capture", "host", "run", "id", "severity"])
    inputs = dataset.lazy("inputs").to_pandas(["capture", "host", "source", "lines", "note"])
    hosts = _hosts(cards)
    return Summary(
        hosts=hosts,
        users=_hours(programs[programs["user"].notna()], "user"),
        programs=_hours(programs, "process_name"),
        hours=_by_hour(dataset.lazy("hour_usage").to_pandas()),
        findings=_counted(found),
        worst=_worst(found),
        silent=_silent(hosts),
        unread=inputs.loc[inputs["lines"].eq(0) & inputs["note"].notna(), ["host", "source", "note"]],
        nameless=int(inputs.loc[inputs["host"].isna(), "capture"].nunique()),
        captures=int(inputs["capture"].nunique()),
        severe=int(found.loc[found["severity"].eq("high"), "capture"].nunique()),
    )


def _hosts(cards: pd.DataFrame) -> pd.DataFrame:
    share = (cards["peak_mib"] / cards["memory_total_mib"].mask(cards["memory_total_mib"].eq(0))).astype("Float64")
    by_host = cards.assign(peak_share=share).groupby("host", dropna=False)
    more = by_host.agg(
        captures=("capture", "nunique"),
        cards=("gpu_index", "nunique"),
        peak_mib=("peak_mib", "max"),
        peak_share=("peak_share", "max"),
        last_time=("last_time", "max"),
    )
    hours = _hours(cards, "host").set_index("host")
    whole = more.assign(energy_kwh=by_host["energy_wh"].sum(min_count=1) / 1000).join(hours).reset_index()
    return whole.sort_values("held_idle_h", ascending=False, kind="stable", ignore_index=True)


def _hours(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Sums as hours, those with most held but idle hours first."""
    sums = rows.groupby(by, dropna=False)[SUMS].sum(min_count=1) / HOUR_S
    hours = sums.rename(columns={name: name.removesuffix("_s") + "_h" for name in SUMS})
    share = hours.pop("utilization_h") / hours["recorded_h"].mask(hours["recorded_h"].eq(0))
    idle = hours["recorded_h"] - hours["active_h"] - hours["held_idle_h"]
    hours["idle_h"] = idle.clip(lower=0).round(9)  # what is left of sums of the same seconds may be off by a bit
    hours["utilization_pct"] = 100 * share
    return hours.sort_values("held_idle_h", ascending=False, kind="stable").reset_index()


def _by_hour(rows: pd.DataFrame) -> pd.DataFrame:
    sums = rows.groupby(["host", "hour"], dropna=False)[["recorded_s", "utilization_s"]].sum()
    share = (100 * sums["utilization_s"] / sums["recorded_s"]).astype(float)
    if share.empty:
        return pd.DataFrame()
    wide = pd.DataFrame(share.unstack("hour"))
    hours = pd.date_range(wide.columns.min(), wide.columns.max(), freq="h")
    return wide.reindex(columns=hours)


def _counted(found: pd.DataFrame) -> pd.DataFrame:
    ranked = found.assign(rank=found["severity"].map(SEVERITIES.index).astype("Int64"))
    counts = ranked.groupby("id").agg(rank=("rank", "max"), runs=("capture", "nunique"), hosts=("host", "nunique"))
    counts = counts.sort_values(["rank", "runs"], ascending=False, kind="stable").reset_index()
    return counts.assign(severity=[SEVERITIES[rank] for rank in counts.pop("rank")])


def _worst(found: pd.DataFrame) -> pd.DataFrame:
    ranked = found.assign(rank=found["severity"].map(SEVERITIES.index).astype("Int64"))
    runs = ranked[ranked["rank"] >= SEVERITIES.index("medium")].groupby(["capture", "host", "run"], dropna=False)
    worst = runs.agg(rank=("rank", "max"), count=("id", "size"), ids=("id", lambda ids: sorted(set(ids))))
    worst = worst.reset_index().sort_values(["rank", "count"], ascending=False, kind="stable").head(MOST_RUNS)
    return worst.assign(severity=[SEVERITIES[rank] for rank in worst.pop("rank")]).drop(columns="count")


def _silent(hosts: pd.DataFrame) -> pd.DataFrame:
    newest = hosts["last_time"].max()
    quiet = hosts["host"].notna() & (newest - hosts["last_time"] > pd.Timedelta(seconds=SILENT_S))
    silent: pd.DataFrame = hosts.loc[quiet, ["host", "last_time"]].sort_values("last_time")
    return silent
