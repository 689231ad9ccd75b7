"""A loss that became NaN or infinite: from that step on the run computes nothing of use."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.messages import MAX_PLACES, of_kind
from smianalyze.analyses.wording import places
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text
from smianalyze.quantities import counted


def nan_loss(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each log whose loss became NaN, with the last step before it."""
    rows = of_kind(frames.events, "nan_loss").dropna(subset=["line"])
    return [_finding(str(source), found, frames) for source, found in rows.groupby("source")]


def _finding(source: str, rows: pd.DataFrame, frames: Frames) -> Finding:
    line = int(rows["line"].min())
    steps = frames.steps[frames.steps["source"].eq(source) & frames.steps["loss"].notna()]
    well = steps[steps["line"] < line].tail(1)
    after = len(steps[steps["line"] > line])
    overflows = of_kind(frames.events, "loss_scale_overflow", "skipped_iterations")
    overflows = overflows[overflows["source"].eq(source) & (overflows["line"] < line)]
    ended = text("The loss became NaN or infinite{when}.")
    went_on = text("The loss became NaN or infinite{when}, and was a number again later.")
    bf16 = text(
        "Start again from the last checkpoint before it, with gradient clipping and a lower learning rate; use "
        "bf16 in place of fp16."
    )
    look = text(
        "Start again from the last checkpoint before it, with gradient clipping and a lower learning rate; if it "
        "comes back, look at the data of that step."
    )
    return Finding(
        id="nan-loss",
        severity="medium" if after else "high",
        title=say(went_on if after else ended, when=_when(well)),
        why=sentences(
            "" if after else say("From there on the weights are spoiled, and each further step is wasted time."),
            say(
                "Usual reasons are a learning rate that is too high, fp16 that overflows, or a bad sample in the "
                "data."
            ),
            say("Before it gradients overflowed in {messages}.", messages=counted(len(overflows), "message"))
            if len(overflows)
            else "",
        ),
        next_step=say(bf16 if len(overflows) else look),
        evidence=places(pd.concat([rows, well, overflows.tail(1)]).head(MAX_PLACES)),
    )


def _when(well: pd.DataFrame) -> str:
    """After which step, as far as the log counts them."""
    if well.empty:
        return ""
    step, loss = (well[name].iloc[0] for name in ("step", "loss"))
    if pd.isna(step):
        return say(" (it was {loss:.4g} before)", loss=loss)
    return say(" after step {step:,} (the last loss was {loss:.4g})", step=step, loss=loss)
