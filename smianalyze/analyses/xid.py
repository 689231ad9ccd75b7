"""Xid messages of the driver: what each number means, on which cards, and whose fault it is."""

from __future__ import annotations

import pandas as pd

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.matching import bus_key, known_true, with_index
from smianalyze.analyses.messages import evidence, numbers, of_kind, says, times
from smianalyze.analyses.wording import MAX_NAMED, listed, named
from smianalyze.analyses.xid_catalogue import UNLISTED, XIDS, Fault, Remedy, Xid
from smianalyze.findings import Confidence, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text

FOLLOWERS = (45, 154)
"""The driver adds these behind another Xid of the same card; alone they are all there is."""

FAULTS: dict[Fault, str] = {
    "job": text("It is the fault of the job, not of the card: another job runs on it as before."),
    "driver": text("It is the fault of the driver or its firmware, seldom of the card."),
    "card": text("It is the fault of the card, its power, its cooling or its slot, not of the job."),
    "link": text("It is the fault of a connection between cards (bridge, switch or card), not of the job."),
    "job or driver": text("It comes from the job or the driver; the card is seldom the reason."),
    "driver or card": text("It comes from the driver or the card, not from the job."),
    "unknown": text("Whose fault it is cannot be told from the number."),
}
SURE: tuple[Fault, ...] = ("driver", "card", "link")
"""A broken card can also look like a mistake of the job, so faults of a job are less sure."""

OF_THE_CARD: tuple[Fault, ...] = ("card", "link", "driver or card")

REMEDIES: dict[Remedy, str] = {
    "debug": text(
        "Run the job again as `CUDA_LAUNCH_BLOCKING=1 python …`: its Python traceback then ends at the line "
        "that fails. If other jobs fail in the same way on this card alone, give the card to your administrator."
    ),
    "restart": text(
        "Start the job again from its last checkpoint. If it comes back, give this line to your administrator."
    ),
    "reset": text(
        "Stop the programs on this card and reset it (`sudo nvidia-smi --gpu-reset -i {card}`), or reboot. If it "
        "comes back, the card has to be looked at."
    ),
    "reboot": text("Reboot the host, then look at power, cooling and seating of the card if it comes back."),
    "replace": text("Take no more jobs to this card and ask its vendor for a replacement."),
    "seat": text("Switch the host off and look at the power cables of the card."),
    "watch": text("Nothing has to be done now; if it comes each day, tell your administrator."),
    "update": text("Install the same driver release on host and guest."),
    "look up": text("Look the number up in NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors)."),
}
RECOVERY = {
    "Node Reboot": text("Reboot the host: the driver says that a reset of the card is not enough."),
    "GPU Reset|Drain and Reset": text(
        "Stop the programs on this card and reset it (`sudo nvidia-smi --gpu-reset -i {card}`), or reboot."
    ),
    "Drain P2P": text("End the jobs that use several cards of this host, then start them again."),
}
"""Xid 154 says itself what is needed."""


def xid(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each number, over all cards that it was said of."""
    rows = with_index(of_kind(frames.events, "xid"), frames)
    code = rows["code"].where(known_true(rows["code"].str.fullmatch("[0-9]{1,4}"))).astype("Float64")
    rows = rows.assign(number=code.astype("Int64"), slot=bus_key(rows["pci_bus_id"]))
    rows = rows[rows["number"].notna() & ~_follows(rows)]
    broken = rows[[XIDS.get(int(number), UNLISTED).fault in OF_THE_CARD for number in rows["number"]]]
    return [_finding(int(str(number)), found, broken) for number, found in rows.groupby("number")]


def _follows(rows: pd.DataFrame) -> pd.Series:
    """Which messages only follow another Xid of the same card."""
    follower = rows["number"].isin(FOLLOWERS)
    others = rows[~follower]
    keys = set(zip(others["source"], others["slot"].fillna(""), strict=True))
    known = [key in keys for key in zip(rows["source"], rows["slot"].fillna(""), strict=True)]
    return follower & pd.Series(known, index=rows.index, dtype=bool)


def _finding(number: int, rows: pd.DataFrame, broken: pd.DataFrame) -> Finding:
    """The finding of one number.

    Args:
        number: The number.
        rows: Its messages.
        broken: All messages that tell of a broken card.
    """
    meant = XIDS.get(number, UNLISTED)
    beside = broken[broken["slot"].isin(rows["slot"].dropna())] if meant.fault == "job" else broken.head(0)
    gpus = tuple(numbers(rows, "gpu_index"))
    pids = numbers(rows, "pid")
    it_names, they_name = text("It names {pids}."), text("They name {pids}.")
    return Finding(
        id="xid",
        severity=meant.severity,
        title=say(
            "{cards}: Xid {number}{times}, {meaning}.",
            cards=_cards(rows, gpus),
            number=number,
            times=times(rows),
            meaning=say(meant.meaning),
        ),
        why=sentences(
            say("An Xid is an error that the driver writes into the kernel log."),
            _fault(meant, beside),
            say(they_name if len(rows) > 1 else it_names, pids=named("PID", pids)) if pids else "",
        ),
        next_step=_next_step(number, meant, rows, gpus),
        gpus=gpus,
        evidence=evidence(rows),
        confidence="low" if len(beside) else _confidence(meant),
    )


def _fault(meant: Xid, beside: pd.DataFrame) -> str:
    """Whose fault it is; what looks like a mistake of the job may be the card's, where that is broken too."""
    if beside.empty:
        return say(FAULTS[meant.fault])
    also = text("Alone it would be the fault of the job, but the card also reported {xids} and may be the cause.")
    return say(also, xids=say(" and ").join(f"Xid {number}" for number in numbers(beside, "number")))


def _cards(rows: pd.DataFrame, gpus: tuple[int, ...]) -> str:
    """The cards by their number, or by their PCI address where no print lists them."""
    unlisted = rows.loc[rows["gpu_index"].isna(), "pci_bus_id"].dropna()
    slots = [f"{slot:02x}" for slot in sorted({_bus(address) for address in unlisted})]
    said = [named("GPU", gpus)] if gpus else []
    if slots:
        one, some = text("the GPU on PCI bus {buses}"), text("the GPUs on PCI bus {buses}")
        said.append(say(one if len(slots) == 1 else some, buses=say(", ").join(slots[:MAX_NAMED])))
    cards = listed(said) if said else say("A GPU")
    return cards[0].upper() + cards[1:]


def _bus(address: str) -> int:
    """The bus of ``0000:cb:00`` or ``00000000:CB:00.0``."""
    return int(address.split(":")[1], 16)


def _next_step(number: int, meant: Xid, rows: pd.DataFrame, gpus: tuple[int, ...]) -> str:
    card = str(gpus[0]) if len(gpus) == 1 else "NUMBER"
    asked = [step for words, step in RECOVERY.items() if number == 154 and says(rows, f"(?i:{words})").any()]
    return say(asked[0] if asked else REMEDIES[meant.remedy], card=card)


def _confidence(meant: Xid) -> Confidence:
    if meant.fault == "unknown":
        return "low"
    return "high" if meant.fault in SURE else "medium"
