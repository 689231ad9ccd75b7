"""Real recordings against what NVML itself said every 0.2 s, counted here by a plain loop.

The recordings lie in the shared corpora beside the checkout (``../shared``, or where SMIANALYZE_SHARED says).
"""

from __future__ import annotations

import csv
import os
import statistics
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import smianalyze
from smianalyze.analyses.over_time import OverTime

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("SMIANALYZE_SHARED", ROOT.parent / "shared")) / "corpus" / "h200"
SCENES = ("ddp", "ddpbug", "fed", "hf", "imbalance", "leak", "starved")
RECORDINGS = [f"{scene}_{ending}" for scene in SCENES for ending in ("l1.txt", "gpu.csv")]
PROCESSES = [f"{scene}_l1.txt" for scene in SCENES if scene != "imbalance"]
SAMPLES_APART_S = 1.3
"""A print each 1 to 1.3 s: what happens in between is not seen by it."""
MOMENT_MIB = 80
"""leak_gpu.csv catches 76 MiB more in one print, between two samples of the truth."""

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the shared corpora are not beside this checkout")


class Sample(NamedTuple):
    """One line of the truth."""

    at: float
    use: float
    mib: float
    watts: float


@cache
def over(recording: str) -> OverTime:
    return OverTime(smianalyze.load(FOLDER / recording).frames)


@cache
def truth(recording: str) -> dict[int, list[Sample]]:
    """The samples of each card that fall into the recording."""
    ends = over(recording).sampling.iloc[0]
    first, last = (pd.Timestamp(ends[end]).timestamp() for end in ("start", "end"))
    samples: dict[int, list[Sample]] = {}
    with (FOLDER / f"{scene_of(recording)}_truth_gpu.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            at = seconds(row["time"])
            if first <= at <= last + 1:
                values = (float(row[name]) for name in ("util_gpu", "mem_used_mib", "power_w"))
                samples.setdefault(int(row["index"]), []).append(Sample(at, *values))
    return samples


def scene_of(recording: str) -> str:
    return recording.partition("_")[0]


def seconds(time: str) -> float:
    return pd.Timestamp(datetime.fromisoformat(time)).timestamp()


def chance(values: list[float], count: int) -> float:
    """Three standard errors of a mean of so many samples, and a percent or watt of rounding."""
    return 3 * statistics.pstdev(values) / count**0.5 + 1


@pytest.mark.parametrize("recording", RECORDINGS)
def test_utilization_is_that_of_nvml(recording: str) -> None:
    for row in over(recording).utilization.itertuples():
        use = [sample.use for sample in truth(recording)[row.gpu_index]]
        idle = [100.0 * (percent <= 5) for percent in use]

        assert row.mean_pct == pytest.approx(statistics.fmean(use), abs=chance(use, row.samples))
        assert 100 * row.idle_share == pytest.approx(statistics.fmean(idle), abs=chance(idle, row.samples))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_utilization_while_the_job_ran_is_that_of_nvml(recording: str) -> None:
    start, end = (pd.Timestamp(over(recording).spans.hosts[name].iloc[0]).timestamp() for name in ("start", "end"))
    for row in over(recording).utilization.itertuples():
        use = [sample.use for sample in truth(recording)[row.gpu_index] if start <= sample.at <= end]

        assert row.active_mean_pct == pytest.approx(statistics.fmean(use), abs=chance(use, row.active_samples))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_peak_memory_is_that_of_nvml(recording: str) -> None:
    for row in over(recording).memory.itertuples():
        mib = [sample.mib for sample in truth(recording)[row.gpu_index]]

        assert row.peak_mib == pytest.approx(max(mib), abs=MOMENT_MIB)
        assert row.rest_mib == pytest.approx(min(mib), abs=1)


@pytest.mark.parametrize("recording", RECORDINGS)
def test_energy_is_that_of_nvml(recording: str) -> None:
    for row in over(recording).power.itertuples():
        samples = truth(recording)[row.gpu_index]
        joules = 0.0
        for before, after in pairwise(samples):
            joules += (after.at - before.at) * (before.watts + after.watts) / 2
        hours = joules / (samples[-1].at - samples[0].at) * row.counted_s / 3600
        watts = [sample.watts for sample in samples]

        assert row.energy_wh == pytest.approx(hours, rel=0.04)
        assert row.mean_w == pytest.approx(statistics.fmean(watts), abs=chance(watts, row.samples))
        assert row.peak_w <= max(watts) + 25  # sampled at other moments
        assert row.left_out_s == 0


@pytest.mark.parametrize("recording", PROCESSES)
def test_processes_are_those_of_nvml(recording: str) -> None:
    first, last = (pd.Timestamp(over(recording).sampling.iloc[0][end]).timestamp() for end in ("start", "end"))
    seen: dict[tuple[int, int], list[tuple[float, float]]] = {}
    with (FOLDER / f"{scene_of(recording)}_truth_proc.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if first <= seconds(row["time"]) <= last + 1:
                who = (int(row["index"]), int(row["pid"]))
                seen.setdefault(who, []).append((seconds(row["time"]), float(row["mem_mib"])))
    rows = {(row.gpu_index, row.pid): row for row in over(recording).processes.itertuples()}

    assert set(rows) == set(seen)
    for who, row in rows.items():
        times = [at for at, _ in seen[who]]

        assert row.first_seen.timestamp() == pytest.approx(min(times), abs=2 * SAMPLES_APART_S)
        assert row.last_seen.timestamp() == pytest.approx(max(times), abs=2 * SAMPLES_APART_S)


@pytest.mark.parametrize("scene", SCENES)
def test_the_interval_is_that_of_the_command(scene: str) -> None:
    assert over(f"{scene}_gpu.csv").sampling["interval_s"].iloc[0] == pytest.approx(0.2, abs=0.02)
    assert 1 <= over(f"{scene}_l1.txt").sampling["interval_s"].iloc[0] <= SAMPLES_APART_S


@pytest.mark.parametrize("recording", RECORDINGS)
def test_healthy_runs_have_no_finding_that_costs_anything(recording: str) -> None:
    said = {
        finding.id
        for finding in smianalyze.load(FOLDER / recording).findings()
        if finding.id in ("held-but-idle", "input-bound", "utilization-oscillates", "gap-in-series")
    }

    expected = {"starved_l1.txt": {"held-but-idle"}, "starved_gpu.csv": {"input-bound"}}
    assert said == expected.get(recording, set())


def test_a_starved_card_idles_with_short_spikes_while_memory_is_held() -> None:
    row = over("starved_l1.txt").utilization.iloc[1]

    assert (row["active_p50_pct"], row["active_idle_share"] >= 0.9) == (0, True)
    assert over("starved_l1.txt").memory["peak_mib"].tolist() == [0, 14923]


def test_a_starved_card_has_the_rhythm_of_its_steps() -> None:
    """The log says 2.1 s a step at first and 1.9 s later on."""
    assert over("starved_gpu.csv").utilization["period_s"].iloc[1] == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("recording", ["leak_l1.txt", "leak_gpu.csv"])
def test_a_leak_grows_steeply_up_to_its_peak(recording: str) -> None:
    row = over(recording).memory.iloc[0]

    assert row["peak_mib"] == pytest.approx(143045, abs=MOMENT_MIB)
    assert row["slope_mib_per_s"] == pytest.approx(18000, rel=0.1)  # it stands at its peak for a second
    assert row["rising_share"] > 0.9


@pytest.mark.parametrize("recording", ["imbalance_l1.txt", "imbalance_gpu.csv"])
def test_an_imbalance_is_equal_utilization_and_unequal_power(recording: str) -> None:
    rows = over(recording).between_cards.set_index("quantity")

    assert rows.loc["utilization_gpu_pct", "spread_of_means"] < 3
    assert rows.loc["power_draw_w", "spread_of_means"] > 280
    assert rows.loc["power_draw_w", ["lowest_gpu", "highest_gpu"]].tolist() == [1, 0]


def test_a_power_cap_is_seen() -> None:
    rows = over("imbalance_gpu.csv").throttling
    capped = rows[rows["reason"].eq("sw_power_cap") & rows["gpu_index"].eq(0)]

    assert capped["active_share"].iloc[0] > 0.9


def test_all_recordings_of_a_run_count_once() -> None:
    files = [FOLDER / f"ddpbug_{ending}" for ending in ("l1.txt", "gpu.csv", "dmon.txt")]
    together = OverTime(smianalyze.load(*files).frames)

    pd.testing.assert_frame_equal(together.utilization, over("ddpbug_gpu.csv").utilization)
    assert together.sampling["prints"].tolist() == [44, 215, 41]
