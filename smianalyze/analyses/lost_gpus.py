"""Did a GPU stop answering, or can nvidia-smi not talk to the driver?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.identity import numbered
from smianalyze.analyses.matching import bus_key, chosen, known_true, with_index
from smianalyze.analyses.messages import times
from smianalyze.analyses.ticks import SERIES
from smianalyze.analyses.wording import named, places
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.language import say, text

LOST = "GPU is lost|fallen off the bus|determine the device handle|requires reset|[Rr]eboot .* to recover"
"""What nvidia-smi and the kernel say of a GPU that does not answer any more."""

MISMATCH = "Driver/library version mismatch"

GONE_PRINTS = 3
"""A GPU must be missing from so many prints of a series: the last one may be cut off."""

MAX_PLACES = 6
"""A series repeats its error each second; so many places are evidence enough."""


def gpu_lost(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """GPUs of which a message says that they are lost, and GPUs that later prints do not list any more."""
    told = _told(frames)
    told_of = {gpu for finding in told for gpu in finding.gpus}
    missing = _gone_from_series(frames.gpus)
    if comparison is not None and missing.empty:
        missing = _gone_between(comparison.gpus)
    missing = missing[~missing["gpu_index"].isin(told_of)]
    return [*told, *(_missing(rows) for _, rows in missing.groupby("gpu_index"))]


def driver_mismatch(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """Whether nvidia-smi refused, because kernel module and libraries are of different versions."""
    errors = frames.events[known_true(frames.events["message"].str.contains(MISMATCH, regex=False))]
    if errors.empty:
        return []
    return [
        Finding(
            id="driver-mismatch",
            severity="high",
            title=say("nvidia-smi refuses to run: kernel module and driver libraries differ in version."),
            why=say(
                "The driver was updated while its old kernel module was loaded. Programs that run already "
                "may go on, new ones cannot use a GPU."
            ),
            next_step=say(
                "Reboot, or stop all GPU programs and reload the `nvidia` kernel modules; restart containers."
            ),
            evidence=places(errors)[:MAX_PLACES],
        )
    ]


def _told(frames: Frames) -> list[Finding]:
    """One finding for each GPU that messages call lost."""
    events = frames.events
    says = known_true(events["kind"].eq("smi_error") & events["message"].str.contains(LOST))
    lost = with_index(events[known_true(events["kind"].eq("gpu_lost")) | says], frames)
    card = lost["gpu_index"].astype("string").fillna(bus_key(lost["pci_bus_id"]))
    return [_lost(rows) for _, rows in lost.groupby(card, dropna=False)]


def _lost(rows: pd.DataFrame) -> Finding:
    gpus = tuple(int(gpu) for gpu in rows["gpu_index"].dropna().unique())
    return Finding(
        id="gpu-lost",
        severity="high",
        title=say(
            "{gpu} does not answer any more{times}.",
            gpu=named("GPU", gpus) if gpus else say("A GPU"),
            times=times(rows),
        ),
        why=say(
            "The driver cannot reach it over PCIe. Programs that use it hang or fail, and it stays away "
            "until a reset or reboot."
        ),
        next_step=say(
            "Look for Xid lines before the loss (`dmesg | grep -i xid`) and reboot. If it is lost "
            "again, check power, cooling and seating."
        ),
        gpus=gpus,
        evidence=places(rows)[:MAX_PLACES],
    )


def _gone_from_series(gpus: pd.DataFrame) -> pd.DataFrame:
    """The last row of each GPU that a source listed some times and then, in its last prints, not any more."""
    rows = gpus[["snapshot", "gpu_index", *SERIES, "line"]]
    rows = chosen(rows, rows["snapshot"].notna() & rows["gpu_index"].notna())
    number, first = numbered(rows, [*SERIES, "gpu_index"])
    last = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(last, number, rows["snapshot"].to_numpy(dtype=np.int64))
    cards = rows.iloc[first].assign(last=last)
    ended = cards["last"] < cards.groupby(SERIES, dropna=False)["last"].transform("max")
    if not ended.any():
        return rows.head(0)
    prints = rows.drop_duplicates([*SERIES, "snapshot"])
    left = prints.groupby(SERIES, dropna=False).cumcount(ascending=False)
    early = rows[ended.to_numpy()[number]]
    early = early.merge(prints[[*SERIES, "snapshot"]].assign(left=left), on=[*SERIES, "snapshot"])
    seen = early.groupby([*SERIES, "gpu_index"], dropna=False)["left"]
    gone = (seen.transform("min") >= GONE_PRINTS) & (seen.transform("size") >= GONE_PRINTS)
    return early[gone].drop_duplicates([*SERIES, "gpu_index"], keep="last")


def _gone_between(cards: pd.DataFrame) -> pd.DataFrame:
    """Cards of a comparison that the first print lists and the second, which is whole, does not."""
    vanished = cards[cards["change"].eq("vanished")]
    return vanished.assign(source=vanished["source_before"], line=vanished["line_before"])


def _missing(rows: pd.DataFrame) -> Finding:
    gpu = int(rows["gpu_index"].iloc[0])
    series = "left" in rows
    later = text("GPU {gpu} is missing from later prints.")
    second = text("GPU {gpu} is in the first print and missing from the second.")
    return Finding(
        id="gpu-lost",
        severity="medium",
        title=say(later if series else second, gpu=gpu),
        why=say(
            "A GPU that falls off the bus is listed no more. A print limited to some GPUs (`-i`, a "
            "container) looks the same."
        ),
        next_step=say(
            "Run `nvidia-smi -L`; if the GPU is missing there too, look for Xid 79 (`dmesg | grep -i xid`)."
        ),
        gpus=(gpu,),
        evidence=places(rows),
        confidence="medium" if series else "low",
    )
