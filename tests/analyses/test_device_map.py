"""Which card a GPU number of a log stands for: what tells it, and what must leave it unknown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from out_of_memory_rows import Row, capture, cards, launch, new_wording, old_wording, process

from smianalyze.analyses.device_map import DeviceMap, Place
from smianalyze.analyses.oom_parts import out_of_memory_events
from smianalyze.frames import Frames

UNKNOWN = Place(None, "unknown")
H200 = 143771


def place(frames: Frames) -> Place:
    """The card of the last message; where that stands has a test of its own."""
    return DeviceMap(frames).place(out_of_memory_events(frames.events)[-1])._replace(evidence=())


@pytest.mark.parametrize(
    ("devices", "logical", "expected"),
    [
        ("2,3", 0, 2),
        ("2,3", 1, 3),
        ("2,3", 2, None),
        ("3", None, 3),
        ("2,3", None, None),
        ("2,-1,3", 1, None),
        ("", 0, None),
        ("MIG-4b6f2f5e", 0, None),
        ("²,3", 0, None),
    ],
)
def test_visible_devices_of_the_log_give_the_card(devices: str, logical: int | None, expected: int | None) -> None:
    frames = capture([launch(devices), old_wording(gpu_index=logical)], cards(0, 0, 0, 0))

    assert place(frames) == (UNKNOWN if expected is None else Place(expected, "visible"))


def nccl(gpu: int, **card: object) -> Row:
    """NCCL's line on the card of a logical number."""
    return {"kind": "device_map", "gpu_index": gpu, "source": "train.log", "line": 1, **card}


def test_log_that_names_the_card_itself_tells_it() -> None:
    frames = capture([nccl(0, physical_gpu_index=3), old_wording()], cards(0, 0, 0, 0))

    assert DeviceMap(frames).place(out_of_memory_events(frames.events)[-1]) == (3, "printed", (("train.log", 1),))


@pytest.mark.parametrize(("slot", "expected"), [("0000:5e:00.0", 1), ("0000:99:00.0", None)])
def test_slot_counts_more_than_the_number_in_a_container(slot: str, expected: int | None) -> None:
    slots = ("00000000:3B:00.0", "00000000:5E:00.0")
    gpus = [{**row, "pci_bus_id": bus} for row, bus in zip(cards(0, 0), slots, strict=True)]
    frames = capture([nccl(0, physical_gpu_index=0, pci_bus_id=slot), old_wording()], gpus)

    assert place(frames).gpu_index == expected


def test_ranks_that_all_call_their_card_0_are_told_apart() -> None:
    ranks = [nccl(0, rank=rank, physical_gpu_index=4 + rank) for rank in range(2)]

    assert place(capture([*ranks, old_wording(rank=1)])) == Place(5, "printed")
    assert place(capture([*ranks, old_wording()])) == UNKNOWN


def test_log_and_visible_devices_that_disagree_tell_nothing() -> None:
    frames = capture([launch("2,3"), nccl(0, physical_gpu_index=0), old_wording()], cards(0, 0, 0, 0))

    assert place(frames) == UNKNOWN


@pytest.mark.parametrize(("devices", "expected"), [("GPU-5ebe9f43", 1), ("GPU-5eb", None), ("GPU-77777777", None)])
def test_visible_device_may_be_the_beginning_of_a_uuid(devices: str, expected: int | None) -> None:
    uuids = ["GPU-ac33420d-1", "GPU-5ebe9f43-2"]
    gpus = [{**row, "uuid": uuid} for row, uuid in zip(cards(0, 0), uuids, strict=True)]

    assert place(capture([launch(devices), old_wording()], gpus)).gpu_index == expected


def test_last_launch_before_the_message_counts() -> None:
    events = [launch("0", line=1), launch("2", line=3), old_wording(line=5), launch("3", line=9)]

    assert place(capture(events[:3], cards(0, 0, 0, 0))) == Place(2, "visible")
    assert DeviceMap(capture(events)).place(out_of_memory_events(capture(events).events)[0]).gpu_index == 2


def test_launches_of_other_inputs_count_only_if_they_agree() -> None:
    elsewhere = [launch("2", source="a.sh"), launch("2", source="b.sh")]

    assert place(capture([*elsewhere, old_wording()])) == Place(2, "visible")
    assert place(capture([*elsewhere, launch("3", source="c.sh"), old_wording()])) == UNKNOWN


def test_rank_has_the_list_of_its_own() -> None:
    own = [launch("2", rank=0), launch("3", rank=1, line=2)]

    assert place(capture([*own, old_wording(rank=0, line=9)])) == Place(2, "visible")
    assert place(capture([*own, old_wording(line=9)])) == UNKNOWN


def test_card_of_another_size_is_not_believed() -> None:
    frames = capture([launch("1"), old_wording()], cards(0, 0, 0, total=[11264, 24576, 24576]))

    assert place(frames) == Place(0, "capacity")


def test_numbers_are_less_sure_where_cards_differ() -> None:
    gpus = [{**row, "name": name} for row, name in zip(cards(0, 0), ("RTX 3090", "RTX 4090"), strict=True)]

    assert place(capture([launch("1"), old_wording()], gpus)) == Place(1, "order")


def test_process_of_the_message_in_a_table_gives_the_card() -> None:
    frames = capture([new_wording()], cards(4, 90561, total=H200), [process(1, 3784, 90552)])

    assert place(frames) == Place(1, "pid")


def test_process_on_several_cards_is_told_by_its_size() -> None:
    gpus, sizes = cards(612, 90561, total=H200), ((0, 612), (1, 90552))

    assert place(capture([new_wording()], gpus, [process(gpu, 3784, mib) for gpu, mib in sizes])) == Place(
        1, "pid"
    )
    assert place(capture([new_wording()], gpus, [process(gpu, 3784, 90552) for gpu in (0, 1)])) == UNKNOWN


def test_own_pid_counts_as_well() -> None:
    frames = capture([{"kind": "oom", "tried_mib": 10.0, "pid": 7, "line": 1}], cards(0, 9), [process(1, 7, None)])

    assert place(frames) == Place(1, "pid")


def test_witnesses_that_disagree_leave_it_unknown() -> None:
    frames = capture([launch("0"), new_wording()], cards(4, 90561, total=H200), [process(1, 3784, 90552)])

    assert place(frames) == UNKNOWN


def full(*prints: Sequence[int]) -> list[Row]:
    return [row for number, used in enumerate(prints) for row in cards(*used, snapshot=number)]


def test_only_card_that_became_as_full_is_it() -> None:
    assert place(capture([old_wording()], full((0, 0), (0, 9200)))) == Place(1, "course")


@pytest.mark.parametrize("used", [(9200, 9200), (0, 5000), (0, 11000), (0, 0)])
def test_two_cards_of_that_level_or_none_tell_nothing(used: tuple[int, int]) -> None:
    assert place(capture([old_wording()], full((0, 0), used))) == UNKNOWN


def test_card_that_was_full_all_the_time_is_another_jobs() -> None:
    assert place(capture([old_wording()], full((0, 9200), (0, 9200)))) == UNKNOWN


def test_only_card_of_that_size_is_it() -> None:
    gpus = cards(0, 0, total=[24576, 11264])

    assert place(capture([old_wording()], gpus)) == Place(1, "capacity")
    assert place(capture([old_wording()], gpus, process_section="absent")) == UNKNOWN
    assert place(capture([old_wording()], cards(0, 0))) == UNKNOWN


def test_part_of_a_card_is_smaller_than_its_card() -> None:
    gpus = cards(4, 90561, total=H200, mig_mode="Enabled")
    part = new_wording(total_mib=18000.0)

    assert place(capture([part], gpus, [process(1, 3784, 90552)])) == Place(1, "pid")
    assert place(capture([part], gpus[1:])) == UNKNOWN


def test_prints_of_several_hosts_tell_nothing() -> None:
    frames = capture([launch("1"), old_wording()], full((0, 0), (0, 0)))
    frames = Frames.from_rows(
        {
            "snapshots": [{"snapshot": number, "host": host} for number, host in enumerate("ab")],
            "gpus": frames.gpus.to_dict("records"),
            "events": frames.events.to_dict("records"),
        }
    )

    assert place(frames) == UNKNOWN


def test_card_that_the_message_itself_names_is_it() -> None:
    assert place(capture([old_wording(physical_gpu_index=3)])) == Place(3, "printed")


def test_line_that_tells_the_card_is_evidence() -> None:
    frames = capture([launch("1"), new_wording(line=7)], cards(4, 90561, total=H200), [process(1, 3784, 90552)])
    (oom,) = out_of_memory_events(frames.events)
    unlisted = Frames.from_rows({"processes": frames.processes.to_dict("records")})

    assert DeviceMap(frames).place(oom).evidence == (("train.log", 1),)
    assert DeviceMap(unlisted).place(oom).evidence == (("smi.txt", 40),)
