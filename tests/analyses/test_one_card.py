"""Five short runs on one card, each captured in four ways: what is wrong is found in each, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

import smianalyze

RUNS = FIXTURES / "runs" / "one_card"
SERIES = ("watch.typescript", "gpu.csv", "dmon.txt")
# what is known of a run, and what a series alone says of it: findings that fit
CAUSES = {
    "waiting": {"input-bound", "utilization-oscillates"},
    "growing": {"memory-grows"},
    "held": {"held-but-idle"},
}
OF_THE_CAPTURE = {"sampling-too-coarse"}  # it is no fault of the run


def found(*paths: Path) -> set[str]:
    return {finding.id for finding in smianalyze.load(*paths).findings()} - OF_THE_CAPTURE


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("run", CAUSES)
def test_series_alone_shows_what_is_wrong(run: str, series: str) -> None:
    assert found(RUNS / run / series)
    assert found(RUNS / run / series) <= CAUSES[run]


@pytest.mark.parametrize("series", SERIES)
def test_series_and_log_name_the_loader(series: str) -> None:
    capture = smianalyze.load(RUNS / "waiting" / series, RUNS / "waiting" / "train.log")
    (finding,) = [one for one in capture.findings() if one.id not in OF_THE_CAPTURE]

    assert (finding.id, finding.severity, finding.gpus) == ("input-bound", "high", (0,))


@pytest.mark.parametrize("names", [*((name,) for name in SERIES), (*SERIES, "train.log")])
@pytest.mark.parametrize("run", ["steady", "evaluations"])
def test_nothing_is_said_of_a_healthy_run(run: str, names: tuple[str, ...]) -> None:
    assert found(*(RUNS / run / name for name in names)) == set()
