"""Which card a row is about, whatever name of it an input prints."""

from __future__ import annotations

import pandas as pd
from text_tables import frames_of

from smianalyze.analyses.identity import identified


def cards_of(table: str) -> tuple[list[int], pd.DataFrame]:
    numbers, cards = identified(frames_of(gpus=table).gpus)
    return numbers.tolist(), cards


def test_a_csv_without_uuids_and_a_table_with_bus_ids_are_the_same_cards() -> None:
    numbers, cards = cards_of("""
        snapshot gpu_index pci_bus_id       uuid
        0        0         -                GPU-a
        0        1         -                GPU-b
        1        0         00000000:3B:00.0 -
        1        1         00000000:5E:00.0 -
        2        -         0000:5e:00.0     -
        2        -         -                GPU-a
        """)

    assert numbers == [0, 1, 0, 1, 1, 0]
    assert cards["gpu_index"].tolist() == [0, 1]


def test_an_index_that_moved_to_another_slot_joins_nothing() -> None:
    numbers, _ = cards_of("""
        snapshot gpu_index pci_bus_id
        0        0         00000000:3B:00.0
        0        1         00000000:5E:00.0
        1        0         00000000:5E:00.0
        """)

    assert numbers[1] == numbers[2] != numbers[0]


def test_a_uuid_of_the_index_is_not_given_to_a_card_in_another_slot() -> None:
    numbers, _ = cards_of("""
        snapshot gpu_index pci_bus_id       uuid
        0        0         00000000:3B:00.0 GPU-a
        1        0         00000000:5E:00.0 -
        """)

    assert len(set(numbers)) == 2


def test_hosts_keep_their_cards_apart() -> None:
    numbers, cards = cards_of("""
        snapshot gpu_index host
        0        0         a
        1        0         b
        2        0         -
        """)

    assert sorted(numbers) == [0, 1, 2]
    assert cards["host"].tolist()[:2] == ["a", "b"]


def test_rows_that_name_no_card_are_one_card() -> None:
    numbers, cards = cards_of("snapshot gpu_index\n0 -\n1 -")

    assert numbers == [0, 0]
    assert cards["gpu_index"].isna().all()
