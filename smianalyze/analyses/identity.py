"""Which card each row of the GPU frame is about, over all inputs: by UUID, else bus id, else index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from smianalyze.analyses.matching import bus_key, known_true

Integers = NDArray[np.intp]

NAMES = ["host", "uuid", "pci_bus_id", "gpu_index"]
"""What an input may say of a card; hosts keep their cards apart."""


def numbered(rows: pd.DataFrame, names: Sequence[str]) -> tuple[Integers, Integers]:
    """For each row a number for what some columns say together, and for each number the first row that has it."""
    joint = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        if rows[name].notna().any():
            code, values = pd.factorize(rows[name], use_na_sentinel=False)
            joint *= len(values) + 1
            joint += code
    number = pd.factorize(joint)[0]
    return number, np.flatnonzero(~pd.Series(number).duplicated().to_numpy())


def identified(gpus: pd.DataFrame) -> tuple[Integers, pd.DataFrame]:
    """The number of the card that each row is about, and the cards.

    A table with bus ids and a CSV with UUIDs describe the same card where another row, or the index, joins
    them. An index or slot that has had two cards joins nothing. Rows that name no card at all are one card.

    Args:
        gpus: Has host, uuid, pci_bus_id, gpu_index.

    Returns:
        A number for each row, and a frame with the row of each number: host, uuid, pci_bus_id, gpu_index
        (the last one, as an index moves when a card is lost), sorted by host and index.
    """
    spelling, first = numbered(gpus, NAMES)
    names = _completed(gpus[NAMES].iloc[first].reset_index(drop=True))
    key = names["uuid"].fillna(names["pci_bus_id"]).fillna(names["gpu_index"].astype("string"))
    number = names.assign(key=key).groupby(["host", "key"], dropna=False, sort=False).ngroup()
    last = names.assign(number=number).groupby("number").last()
    order = last.sort_values(["host", "gpu_index", "pci_bus_id", "uuid"], kind="stable").index
    rank = np.empty(len(order), dtype=np.intp)
    rank[order.to_numpy()] = np.arange(len(order))
    return rank[number.to_numpy()][spelling], last.loc[order].reset_index(drop=True)


def _completed(names: pd.DataFrame) -> pd.DataFrame:
    """The names with what other rows of the same host say about the same card, bus ids in one spelling."""
    names = names.assign(pci_bus_id=bus_key(names["pci_bus_id"]))
    uuid = names["uuid"].fillna(_told(names, "pci_bus_id", "uuid"))
    by_index = _told(names, "gpu_index", "uuid")
    its_slot = _told(names, "uuid", "pci_bus_id", of=by_index)
    elsewhere = known_true(its_slot.ne(names["pci_bus_id"]))  # the index has moved to another card
    uuid = uuid.fillna(by_index.mask(elsewhere))
    uuid = uuid.fillna(_told(names.assign(uuid=uuid), "pci_bus_id", "uuid"))
    slot = names["pci_bus_id"].fillna(_told(names, "gpu_index", "pci_bus_id"))
    return names.assign(uuid=uuid, pci_bus_id=slot)


def _told(names: pd.DataFrame, by: str, wanted: str, *, of: pd.Series | None = None) -> pd.Series:
    """The wanted name that rows of the same host give to the same ``by``; NA if none do, or they differ.

    Args:
        names: What the rows say.
        by: Name that joins.
        wanted: Name to find.
        of: Values of ``by`` to look up in place of the rows' own.
    """
    pairs = names[["host", by, wanted]].dropna(subset=[by, wanted]).drop_duplicates()
    pairs = pairs.drop_duplicates(["host", by], keep=False)
    asked = names[["host", by]] if of is None else names[["host"]].assign(**{by: of})
    return asked.merge(pairs, on=["host", by], how="left")[wanted].astype("string")
