from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import captures, check_pair

import smianalyze


@pytest.mark.parametrize("capture", captures("list_gpus"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


def test_cut_line_keeps_the_name_and_no_part_of_the_uuid() -> None:
    capture = smianalyze.loads("GPU 0: Tesla T4 (UUID: GPU-30a9b0ea-1d10")

    assert capture.devices["name"].tolist() == ["Tesla T4"]
    assert capture.devices["uuid"].isna().all()
    assert capture.problems["line"].tolist() == [1]


def test_line_that_is_cut_in_the_name_is_no_gpu() -> None:
    assert len(smianalyze.loads("GPU 0: Tesla T").devices) == 0


def test_mig_device_below_a_damaged_gpu_belongs_to_no_other_gpu() -> None:
    capture = smianalyze.loads(
        "GPU 0: NVIDIA A30 (UUID: GPU-30a9b0ea-1d10-47a8-8ad0-25ae2f8ba5a4)\n"
        "GPU #: NVIDIA A30 (UUID: GPU-6bc1bee2-2e40-9f96-e93d-7e117393172a)\n"
        "  MIG 1g.6gb Device 0: (UUID: MIG-5dda3f1a-07f2-5e1c-8f4c-0d9b2a6c7e11)\n"
    )

    assert capture.devices["gpu_index"].tolist() == [0, pd.NA]
