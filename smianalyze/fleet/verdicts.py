"""What is said first about a fleet: hours that were held but idle, hosts that went silent, what was not read."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze import safe
from smianalyze.fleet.summary import Summary
from smianalyze.markup import prose
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, counted, share

FEW_MINUTES = 2
"""Fewer are told in seconds."""
MOST_NAMED = 5
"""Hosts named in a sentence."""


class Verdict(NamedTuple):
    """A statement, and what belongs to it; names stand in code spans."""

    lead: str
    rest: str = ""

    @property
    def markdown(self) -> str:
        """The statement stands out."""
        return f"**{prose(self.lead)}** {prose(self.rest)}".rstrip()

    @property
    def plain(self) -> str:
        """For a terminal."""
        return safe.line(f"{self.lead} {self.rest}".rstrip(), limit=len(self.lead) + len(self.rest) + 1)


def verdicts(summary: Summary, masker: Masker, *, outside: int) -> list[Verdict]:
    """The sentences that a fleet report begins with.

    Args:
        summary: Of the dataset.
        masker: Hides names.
        outside: Files that did not fit the layout.
    """
    said = [*_hours(summary), *_severe(summary), *_silent(summary, masker)]
    if len(summary.unread):
        said.append(Verdict(f"{counted(len(summary.unread), 'input')} could not be read;", "the report says why."))
    if summary.nameless:
        said.append(
            Verdict(
                f"{counted(summary.nameless, 'capture')} {'names' if summary.nameless == 1 else 'name'} no host.",
                "Where the folders do, tell it, for example with `--layout '{host}/{run}/*'`.",
            )
        )
    if outside:
        said.append(Verdict(f"{counted(outside, 'file')} not read,", "as the layout does not name them."))
    return said


def span(hours: object) -> str:
    """Hours of cards; minutes or seconds where they are less than one hour or two minutes."""
    if not isinstance(hours, int | float):
        return f"{UNKNOWN} h"
    if hours >= 1:
        return f"{hours:,.1f} h"
    minutes = 60 * hours
    return f"{minutes:,.0f} min" if minutes >= FEW_MINUTES or not minutes else f"{60 * minutes:,.0f} s"


def _hours(summary: Summary) -> list[Verdict]:
    hosts = summary.hosts
    recorded, held = hosts["recorded_h"].sum(), hosts["held_idle_h"].sum()
    energy = hosts["energy_kwh"].sum(min_count=1)
    if not recorded:
        return [Verdict("How long cards were in use is not known:", "no capture tells utilization with times.")]
    return [
        Verdict(
            f"{span(held)} of {span(recorded)} of cards ({share(held, recorded)}) were held but idle;",
            f"{share(hosts['active_h'].sum(), recorded)} were active."
            + (f" Energy: {energy:,.2f} kWh." if pd.notna(energy) else ""),
        )
    ]


def _severe(summary: Summary) -> list[Verdict]:
    if not summary.severe:
        return []
    first = summary.findings.iloc[0]
    return [
        Verdict(
            f"{counted(summary.severe, 'capture')} of {summary.captures:,} with a finding of high severity,",
            f"most often `{first['id']}` ({first['runs']:,}).",
        )
    ]


def _silent(summary: Summary, masker: Masker) -> list[Verdict]:
    silent = summary.silent["host"]
    if silent.empty:
        return []
    names = ", ".join(f"`{masker.host(str(host))}`" for host in silent[:MOST_NAMED])
    left = len(silent) - MOST_NAMED
    more = f" and {left:,} more" if left > 0 else ""
    return [Verdict(f"{counted(len(silent), 'host')} stopped reporting", f"before the others: {names}{more}.")]
