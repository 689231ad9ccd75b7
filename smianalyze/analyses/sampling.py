"""How regularly a series was recorded: interval, jitter, gaps, prints of the same time, clock jumps."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.result_table import Row, table
from smianalyze.analyses.ticks import SERIES, Floats

GAP_STEPS = 3
"""A pause of more than so many usual steps is a gap: whole seconds and a busy driver make steps of two."""

SAMPLING = {
    "source": "string",
    "host": "string",
    "prints": "Int64",
    "start": "datetime64[us]",
    "end": "datetime64[us]",
    "duration_s": "Float64",
    "interval_s": "Float64",
    "jitter_s": "Float64",
    "regular_share": "Float64",
    "whole_seconds": "boolean",
    "duplicates": "Int64",
    "gaps": "Int64",
    "missing_s": "Float64",
    "clock_jumps": "Int64",
}
BREAKS = {
    "source": "string",
    "host": "string",
    "kind": "string",
    "before": "datetime64[us]",
    "after": "datetime64[us]",
    "length_s": "Float64",
    "line": "Int64",
}


def usual_step(steps: Floats) -> float:
    """The interval of a recording: the median of its steps forward; NaN if it has none."""
    forward = steps[steps > 0]
    return float(np.median(forward)) if len(forward) else np.nan


def is_break(steps: Floats, usual: float) -> np.ndarray:
    """Which steps are no steps of the recording: gaps, and steps back in time."""
    broken: np.ndarray = (steps < 0) | (steps > GAP_STEPS * usual)
    return broken


def sampling(ticks: pd.DataFrame) -> pd.DataFrame:
    """How each recording was sampled.

    Args:
        ticks: Of :func:`smianalyze.analyses.ticks.ticks_of`.

    Returns:
        One row for each source and host: source, host, prints, start, end, duration_s (the pauses included);
        interval_s, the median step (of whole seconds the mean of the steps that are no gaps, as rounding
        moves the median); jitter_s, the median distance of a step from it (NA where whole seconds hide it);
        regular_share, the share of steps that are within half an interval of it (and a second of rounding);
        whole_seconds, whether the times are; duplicates, prints of the same time as the one before (NA for
        whole seconds, which several prints may share); gaps and clock_jumps (see :func:`breaks`), missing_s
        in the gaps. What needs two known times is NA without them.
    """
    recordings = ticks.groupby(SERIES, dropna=False, sort=False)
    return table((_sampled(rows) for _, rows in recordings), SAMPLING)


def breaks(ticks: pd.DataFrame) -> pd.DataFrame:
    """Where a recording stops for a while, or its clock goes back.

    Args:
        ticks: Of :func:`smianalyze.analyses.ticks.ticks_of`.

    Returns:
        One row for each pause of more than ``GAP_STEPS`` intervals (kind ``gap``) and each step back (kind
        ``clock jump``, negative length): source, host, kind, before and after (the times on both sides),
        length_s, line of the print after it.
    """
    recordings = ticks.groupby(SERIES, dropna=False, sort=False)
    return table((row for _, rows in recordings for row in _broken(rows)), BREAKS)


def _sampled(rows: pd.DataFrame) -> Row:
    timed = rows[rows["time"].notna()]
    whole = bool(rows["whole"].iloc[0])
    row: dict[str, object] = {"source": rows["source"].iloc[0], "host": rows["host"].iloc[0], "prints": len(rows)}
    if timed.empty:
        return row
    row |= {"start": timed["time"].min(), "end": timed["time"].max(), "whole_seconds": whole}
    if row["start"] == row["end"]:
        return row
    steps = np.diff(timed["seconds"].to_numpy())
    usual = usual_step(steps)
    broken = is_break(steps, usual)
    kept = steps[~broken]
    gaps = steps[broken & (steps > 0)]
    return row | {
        "duration_s": float(np.ptp(timed["seconds"].to_numpy())),
        "interval_s": float(kept.mean()) if whole and len(kept) else usual,
        "jitter_s": None if whole else float(np.median(np.abs(kept - usual))),
        "regular_share": float((np.abs(steps - usual) <= usual / 2 + whole).mean()),
        "duplicates": None if whole else int((steps == 0).sum()),
        "gaps": len(gaps),
        "missing_s": float((gaps - usual).sum()),
        "clock_jumps": int((steps < 0).sum()),
    }


def _broken(rows: pd.DataFrame) -> list[Row]:
    timed = rows[rows["time"].notna()]
    steps = np.diff(timed["seconds"].to_numpy())
    return [
        {
            "source": timed["source"].iloc[after],
            "host": timed["host"].iloc[after],
            "kind": "gap" if steps[after - 1] > 0 else "clock jump",
            "before": timed["time"].iloc[after - 1],
            "after": timed["time"].iloc[after],
            "length_s": float(steps[after - 1]),
            "line": timed["line"].iloc[after],
        }
        for after in 1 + np.flatnonzero(is_break(steps, usual_step(steps)))
    ]
