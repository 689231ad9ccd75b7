"""Prints of ``-q`` and ``-q -x`` to rows, with the index of each GPU: neither says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from smianalyze.formats.format import Reading, Row
from smianalyze.formats.smi_details import CardRows
from smianalyze.formats.smi_values import is_unknown
from smianalyze.formats.values import printed_time

FIRST_BUS = "00000000:01:00.0"
"""nvidia-smi counts by bus id, and before this one there is only the bus of the root: its GPU has index 0."""

_HEAD = {
    "driver_version": ("driver_version", "kmd_version"),
    "cuda_version": ("cuda_version", "cuda_umd_version"),
}


@dataclass(slots=True)
class DetailPrint:
    """One print: the texts above its GPUs, and their rows."""

    line: int
    head: dict[str, str] = field(default_factory=dict)
    cards: list[CardRows] = field(default_factory=list)

    @property
    def says_something(self) -> bool:
        """Whether it is a print of GPUs: one that ends before the first, or of units (``-q -u``), is none."""
        return bool(self.cards) or self.head.get("attached_gpus") == "0"

    @property
    def is_whole(self) -> bool:
        """Whether it lists as many GPUs as are there; ``-i`` and a cut text leave some out."""
        return self.head.get("attached_gpus") == str(len(self.cards))

    def process_section(self) -> str:
        """What it says of processes; ``absent`` where a GPU is left out or has no list, since it may have some."""
        lists = {card.process_list for card in self.cards}
        if "" not in lists and "listed" in lists:
            return "listed"
        if "" in lists or not lists or not self.is_whole:
            return "absent"
        return "not_supported" if "not_supported" in lists else "none_found"


def add_prints(reading: Reading, prints: Sequence[DetailPrint]) -> None:
    """Add the rows of all prints of one text."""
    prints = [one for one in prints if one.says_something]
    for snapshot, (one, indices) in enumerate(zip(prints, _indices(prints), strict=True)):
        shared: Row = {"snapshot": snapshot, "time": printed_time(one.head.get("timestamp", ""))}
        head = {name: _known(one.head, names) for name, names in _HEAD.items()}
        section = {"process_section": one.process_section(), "line": one.line}
        reading.add("snapshots", {**head, **shared, **section})
        for card, index in zip(one.cards, indices, strict=True):
            _add_card(reading, card, {**shared, "gpu_index": index})


def _known(head: dict[str, str], names: Sequence[str]) -> str | None:
    return next((head[name] for name in names if name in head and not is_unknown(head[name])), None)


def _add_card(reading: Reading, card: CardRows, shared: Row) -> None:
    reading.add("gpus", {**card.gpu, **shared})
    for row in card.processes:
        reading.add("processes", {**row, **shared})
    for row in card.mig_devices:
        reading.add("mig_devices", {**row, **shared})
    for row in card.lost:
        reading.add("events", {**row, "time": shared["time"], "gpu_index": shared["gpu_index"]})


def _indices(prints: Sequence[DetailPrint]) -> list[list[int | None]]:
    """The index of each GPU of each print.

    A print that lists all GPUs lists them in order. In one that leaves some out, a GPU keeps the index that it
    has in a whole print of the same text; else order is index where the minor numbers say the same.
    """
    whole: dict[tuple[str, str], int | None] = {("", FIRST_BUS): 0}
    for one in prints:
        for index, place in enumerate(_places(one) if one.is_whole else ()):
            whole[place] = index if whole.get(place, index) == index else None
    return [
        list(range(len(one.cards)))
        if one.is_whole or _minor_numbers_are_in_order(one)
        else [whole.get(place, whole.get(("", place[1]))) for place in _places(one)]
        for one in prints
    ]


def _places(one: DetailPrint) -> list[tuple[str, str]]:
    """What tells each GPU from the others: how many there are, and its bus id."""
    attached = one.head.get("attached_gpus", "")
    return [(attached, str(card.gpu.get("pci_bus_id", f"line {card.gpu['line']}"))) for card in one.cards]


def _minor_numbers_are_in_order(one: DetailPrint) -> bool:
    return [card.gpu.get("minor_number") for card in one.cards] == list(range(len(one.cards)))
