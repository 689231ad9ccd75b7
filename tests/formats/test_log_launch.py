from __future__ import annotations

import random
from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

from smianalyze.reading import read_rows
from smianalyze.source import from_text

CUTS = 150
PLACES = ("visible_devices", "nproc_per_node", "world_size", "local_rank")


def launches(text: str) -> list[dict[str, object]]:
    """What a text says of each launch, without what is unknown."""
    events = read_rows([from_text(text)]).get("events", [])
    return [
        {key: row[key] for key in PLACES if row.get(key) is not None} for row in events if row["kind"] == "launch"
    ]


@pytest.mark.parametrize("capture", captures("log_launch"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("log_launch"))
def test_cut_anywhere_gives_no_other_gpus(capture: Path) -> None:
    text = capture.read_text(encoding="utf-8")
    whole = launches(text)
    places = random.Random(capture.name).choices(range(1, len(text)), k=CUTS)  # noqa: S311 - a fixed seed

    wrong = {place: cut for place in places if not is_part(cut := launches(text[:place]), whole)}

    assert wrong == {}


def is_part(cut: list[dict[str, object]], whole: list[dict[str, object]]) -> bool:
    return len(cut) <= len(whole) and all(a.items() <= b.items() for a, b in zip(cut, whole, strict=False))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("CUDA_VISIBLE_DEVICES=2,3 python t.py", {"visible_devices": "2,3"}),
        ("root@host:/w# CUDA_VISIBLE_DEVICES=0 ./run.sh", {"visible_devices": "0"}),
        ("CUDA_VISIBLE_DEVICES= python t.py", {"visible_devices": ""}),
        ("nohup torchrun --nproc_per_node 8 t.py &", {"nproc_per_node": "8"}),
        (
            "accelerate launch --num_processes=2 --gpu_ids=6,7 t.py",
            {"visible_devices": "6,7", "nproc_per_node": "2"},
        ),
        ("horovodrun -np 8 -H a:4,b:4 python t.py", {"world_size": 8}),
        ("deepspeed --include a:0,1@b:0,1 t.py", {}),
    ],
)
def test_command_says_which_gpus_and_how_many_ranks(line: str, expected: dict[str, object]) -> None:
    assert launches(f"{line}\nnext\n") == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        "# CUDA_VISIBLE_DEVICES=0,1 python old.py",
        "Set CUDA_VISIBLE_DEVICES=0 to use a single GPU.",
        "Please run with CUDA_VISIBLE_DEVICES=0,1 if you have two cards",
        'setenv("CUDA_VISIBLE_DEVICES", "0", 1);',
        'parser.add_argument("--gpu_ids", default="0,1")',
        "the CUDA_VISIBLE_DEVICES variable is not set",
        "The module torch.distributed.launch is deprecated. Use torchrun instead.",
        "We recommend torchrun --nproc_per_node=8 for this.",
        "INFO CUDA_VISIBLE_DEVICES=None world_size=2",
        "python train.py --gpus 2",
        "pip install deepspeed accelerate",
        "```bash\nCUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=2 train.py\n```",
    ],
)
def test_prose_manuals_and_source_code_are_no_launch(text: str) -> None:
    assert launches(f"{text}\nnext\n") == []


def test_rank_and_time_of_the_line_are_kept() -> None:
    line = "[rank2]: 2026-02-11 08:00:01,204 Setting CUDA_VISIBLE_DEVICES=1,3\nnext\n"
    (event,) = read_rows([from_text(line)])["events"]

    assert (event["rank"], str(event["time"])) == (2, "2026-02-11 08:00:01.204000")
