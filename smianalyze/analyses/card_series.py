"""Every card's samples in order of time, over all inputs, each moment from one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from smianalyze.analyses.identity import Integers, identified
from smianalyze.analyses.matching import chosen
from smianalyze.analyses.moment import LASTING
from smianalyze.analyses.sampling import is_break, usual_step
from smianalyze.analyses.ticks import Floats, seconds_of, ticks_of
from smianalyze.frames import Frames

TIMED_SHARE = 0.5
"""Rows with a time and rows without one have no common axis: a host is drawn on the axis of the most."""

ROUNDED_S = 1
"""A time in whole seconds may stand so far before the moment that it means."""


class Span(NamedTuple):
    """A part of the axis, both ends included."""

    first: float
    last: float


class Course(NamedTuple):
    """The known samples of one quantity of one card, in order of time.

    ``at`` are seconds after the first print of the capture, or numbers of prints if ``timed`` is false;
    ``rows`` are positions in :attr:`CardSeries.gpus`; ``step_s`` is the usual time from one sample to the next,
    also of a part, so that a gap stays a gap in it (NaN if there are too few samples, or no times).
    """

    at: Floats
    values: Floats
    rows: Integers
    timed: bool
    step_s: float

    def within(self, span: Span | None) -> Course:
        """The samples of a span; all of them without one."""
        return self if span is None else self.where((self.at >= span.first) & (self.at <= span.last))

    def where(self, chosen: np.ndarray) -> Course:
        """Some of the samples; those that stand together are not copied."""
        places = np.flatnonzero(chosen)
        is_range = len(places) and places[-1] - places[0] + 1 == len(places)
        part = slice(places[0], places[-1] + 1) if is_range else places
        return self._replace(at=self.at[part], values=self.values[part], rows=self.rows[part])

    @property
    def broken(self) -> np.ndarray:
        """Which steps to the next sample are gaps or go back in time; none where there are no times."""
        steps = np.diff(self.at)
        return is_break(steps, self.step_s) if self.timed else np.zeros(len(steps), dtype=bool)

    @property
    def seconds(self) -> float | None:
        """Seconds from the first to the last sample; None if there is none, or no times."""
        return float(np.ptp(self.at)) if self.timed and len(self.at) else None

    @property
    def recorded_s(self) -> float | None:
        """The same without gaps: of them nothing is known."""
        return float(np.diff(self.at)[~self.broken].sum()) if self.timed and len(self.at) else None


@dataclass(frozen=True, slots=True, eq=False)
class CardSeries:
    """The cards of a capture and where each of their rows stands in time.

    Attributes:
        gpus: The rows that belong to a print; of a host whose prints mostly have a time, those that have one.
        at: Place of each row on the axis, see :class:`Course`.
        cards: One row a card, its position is its number: host, uuid, pci_bus_id, gpu_index, name,
            memory_total_mib and power_limit_w (the last known ones), timed (whether ``at`` are seconds).
        ticks: The prints, see :func:`smianalyze.analyses.ticks.ticks_of`.
    """

    gpus: pd.DataFrame
    at: Floats
    cards: pd.DataFrame
    ticks: pd.DataFrame
    _rows: tuple[Integers, ...]
    _source: NDArray[np.int32]
    _complete: tuple[Course, ...]  # of a quantity that is known throughout, as most are: its values are missing

    def courses(self, quantity: str | Floats) -> list[Course]:
        """The course of each card; empty for a card of which the quantity is never known.

        Where several inputs recorded a card at the same time, the one with most samples of this quantity
        counts there: what two of them saw would weigh twice.

        Args:
            quantity: A column of ``gpus``, or a value for each of its rows (NaN is unknown).
        """
        values = self.values(quantity) if isinstance(quantity, str) else quantity
        found = []
        for rows, complete in zip(self._rows, self._complete, strict=True):
            known = ~np.isnan(values[rows])
            course = complete if known.all() else _course(rows[known], self.at, self._source, timed=complete.timed)
            found.append(course._replace(values=values[course.rows]))
        return found

    def values(self, column: str) -> Floats:
        """A column of ``gpus`` as plain floats, NaN where it is unknown or the column is not there."""
        if column not in self.gpus:
            return np.full(len(self.gpus), np.nan)
        return self.gpus[column].to_numpy(dtype=float, na_value=np.nan)

    def time(self, at: float) -> pd.Timestamp:
        """The time of a place on an axis of seconds, to the microsecond."""
        start: pd.Timestamp = self.ticks["time"].min()
        return start + pd.Timedelta(microseconds=round(at * 1e6))


def card_series(frames: Frames) -> CardSeries:
    """The samples of a capture by card.

    Args:
        frames: A capture; rows without a print are left out.
    """
    gpus = chosen(frames.gpus, frames.gpus["snapshot"].notna()).reset_index(drop=True)
    gpus.attrs = {}  # pandas copies them deeply at every step
    ticks = ticks_of(gpus)
    has_time = gpus["time"].notna()
    host_timed = _is_timed(has_time, gpus["host"])
    kept = has_time.to_numpy(bool) | ~host_timed
    gpus, host_timed = chosen(gpus, kept).reset_index(drop=True), host_timed[kept]
    at = np.where(host_timed, _seconds(gpus, ticks), gpus["snapshot"].to_numpy(dtype=float))
    card, cards = identified(gpus)
    of_cards = np.split(np.argsort(card, kind="stable"), np.cumsum(np.bincount(card, minlength=len(cards)))[:-1])
    rows = tuple(of_cards) if len(cards) else ()
    last = pd.DataFrame({name: _last_known(gpus[name], rows) for name in LASTING})
    timed = host_timed[[one[0] for one in rows]]
    source = pd.factorize(gpus["source"], use_na_sentinel=False)[0].astype(np.int32)
    return CardSeries(
        gpus=gpus,
        at=at,
        cards=pd.concat([cards, last], axis=1).assign(timed=timed),
        ticks=ticks,
        _rows=rows,
        _source=source,
        _complete=tuple(
            _course(one, at, source, timed=bool(is_timed)) for one, is_timed in zip(rows, timed, strict=True)
        ),
    )


def _is_timed(has_time: pd.Series, host: pd.Series) -> np.ndarray:
    """Whether the rows of the host of each row mostly have a time."""
    if has_time.all():
        return np.ones(len(host), dtype=bool)
    share = has_time.groupby(host, dropna=False, sort=False).transform("mean")
    return np.asarray(share.to_numpy(dtype=float) >= TIMED_SHARE)


def _last_known(values: pd.Series, rows: Sequence[Integers]) -> pd.Series:
    """The last known value of each card."""
    known = values.notna().to_numpy(bool)
    last = [one[known[one]][-1:] for one in rows]
    return pd.Series([values.iloc[one[0]] if len(one) else pd.NA for one in last], dtype=values.dtype)


def _seconds(gpus: pd.DataFrame, ticks: pd.DataFrame) -> Floats:
    """The seconds of each row: its own time (rows of a CSV differ) and its print's part of the second."""
    elapsed = seconds_of(gpus["time"], ticks["time"].min())
    number = np.searchsorted(ticks["snapshot"].to_numpy(dtype=float), gpus["snapshot"].to_numpy(dtype=float))
    seconds: Floats = elapsed + ticks["offset"].to_numpy()[number]
    return seconds


def _course(rows: Integers, at: Floats, source: NDArray[np.int32], *, timed: bool) -> Course:
    """The course of some rows of a card; its values are still to be filled in."""
    rows = _one_at_a_time(rows, at, source)
    places = at[rows]
    return Course(places, places, rows, timed, usual_step(np.diff(places)) if timed else np.nan)


def _one_at_a_time(rows: Integers, at: Floats, source: NDArray[np.int32]) -> Integers:
    """The rows in order of time, without those in a time that a source with more rows covers."""
    of = source[rows]
    if not len(rows) or (of == of[0]).all():
        return rows
    extents = pd.Series(at[rows]).groupby(of).agg(["min", "max", "size"]).sort_values("min")
    if (extents["min"].iloc[1:].to_numpy() <= extents["max"].cummax().iloc[:-1].to_numpy()).any():
        rows = rows[_uncovered(at[rows], of, extents)]
    return rows[np.argsort(at[rows], kind="stable")]


def _uncovered(at: Floats, of: NDArray[np.int32], extents: pd.DataFrame) -> np.ndarray:
    """Which samples stand outside the extents of all sources that have more of them."""
    kept = np.ones(len(at), dtype=bool)
    order = extents.sort_values(["size", "min"], ascending=[False, True])
    first, last = order["min"].to_numpy(), order["max"].to_numpy()
    for number, source in enumerate(order.index):
        mine = np.flatnonzero(of == source)
        larger = np.flatnonzero((first[:number] <= last[number]) & (last[:number] >= first[number]))
        after = at[mine, None] >= first[larger] - ROUNDED_S
        kept[mine] = ~(after & (at[mine, None] <= last[larger] + ROUNDED_S)).any(axis=1)
    return kept
