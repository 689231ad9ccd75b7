"""What is said first about a fleet: hours that were held but idle, hosts that went silent, what was not read."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from smianalyze import safe
from smianalyze.fleet.summary import Summary
from smianalyze.language import say, sentences, some
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
        said = sentences(self.lead, self.rest)
        return safe.line(said, limit=len(said))


def verdicts(summary: Summary, masker: Masker, *, outside: int) -> list[Verdict]:
    """The sentences that a fleet report begins with.

    Args:
        summary: Of the dataset.
        masker: Hides names.
        outside: Files that did not fit the layout.
    """
    said = [*_hours(summary), *_severe(summary), *_silent(summary, masker)]
    if len(summary.unread):
        said.append(_unread(summary))
    if summary.nameless:
        said.append(_nameless(summary.nameless))
    if outside:
        files = counted(outside, "file")
        said.append(Verdict(say("{files} not read,", files=files), say("as the layout does not name them.")))
    return said


def span(hours: object) -> str:
    """Hours of cards; minutes or seconds where they are less than one hour or two minutes."""
    if not isinstance(hours, int | float):
        return f"{UNKNOWN} h"
    if hours >= 1:
        return f"{hours:,.1f} h"
    minutes = 60 * hours
    return f"{minutes:,.0f} min" if minutes >= FEW_MINUTES or not minutes else f"{60 * minutes:,.0f} s"


def _unread(summary: Summary) -> Verdict:
    inputs = counted(len(summary.unread), "input")
    return Verdict(say("{inputs} could not be read;", inputs=inputs), say("the report says why."))


def _nameless(number: int) -> Verdict:
    captures = counted(number, "capture")
    one = number == 1
    return Verdict(
        say("{captures} names no host." if one else "{captures} name no host.", captures=captures),
        say("Where the folders do, tell it, for example with `--layout '{{host}}/{{run}}/*'`."),
    )


def _hours(summary: Summary) -> list[Verdict]:
    hosts = summary.hosts
    recorded, held = hosts["recorded_h"].sum(), hosts["held_idle_h"].sum()
    energy = hosts["energy_kwh"].sum(min_count=1)
    if not recorded:
        unknown = say("How long cards were in use is not known:")
        return [Verdict(unknown, say("no capture tells utilization with times."))]
    return [
        Verdict(
            say(
                "{held} of {recorded} of cards ({share}) were held but idle;",
                held=span(held),
                recorded=span(recorded),
                share=share(held, recorded),
            ),
            sentences(
                say("{share} were active.", share=share(hosts["active_h"].sum(), recorded)),
                say("Energy: {energy:,.2f} kWh.", energy=energy) if pd.notna(energy) else "",
            ),
        )
    ]


def _severe(summary: Summary) -> list[Verdict]:
    if not summary.severe:
        return []
    first = summary.findings.iloc[0]
    return [
        Verdict(
            say(
                "{severe} of {captures:,} with a finding of high severity,",
                severe=counted(summary.severe, "capture"),
                captures=summary.captures,
            ),
            say("most often `{id}` ({runs:,}).", id=first["id"], runs=first["runs"]),
        )
    ]


def _silent(summary: Summary, masker: Masker) -> list[Verdict]:
    silent = summary.silent["host"]
    if silent.empty:
        return []
    names = some([f"`{masker.host(str(host))}`" for host in silent], most=MOST_NAMED)
    hosts = counted(len(silent), "host")
    return [
        Verdict(say("{hosts} stopped reporting", hosts=hosts), say("before the others: {names}.", names=names))
    ]
