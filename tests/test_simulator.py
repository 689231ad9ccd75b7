"""Made-up runs: causes that are strong are found, weak ones are not made much of, and health is left alone."""

from __future__ import annotations

import pytest
import simulator
from simulator import Scene, Told, is_found

SCENES = list(simulator.scenes())
GRAVE = ("medium", "high")

pytestmark = pytest.mark.slow


def of(*strengths: str) -> list[pytest.param]:
    return [pytest.param(scene, id=scene.name) for scene in SCENES if scene.strength in strengths]


@pytest.mark.parametrize("scene", of("strong", "medium"))
def test_cause_is_found_on_its_cards_and_nothing_else_is_grave(scene: Scene) -> None:
    findings = scene.findings()

    assert is_found(Told(scene, findings))
    assert [finding.id for finding in findings if finding.severity in GRAVE and finding.id != scene.cause] == []


@pytest.mark.parametrize("scene", of("weak", "healthy"))
def test_nothing_grave_is_said_of_health_and_of_what_is_too_weak(scene: Scene) -> None:
    assert [finding.title for finding in scene.findings() if finding.severity in GRAVE] == []


def test_there_are_scenes_enough() -> None:
    strengths = [scene.strength for scene in SCENES]

    assert len(SCENES) >= 30
    assert strengths.count("strong") == strengths.count("weak") == strengths.count("medium")


def test_matrix_counts_each_finding() -> None:
    found = [Told(scene, scene.findings()) for scene in SCENES[:3]]

    assert simulator.matrix(found).splitlines() == [
        "                             scenes   1  most severe",
        "input-bound             strong    1   1  high",
        "input-bound             medium    1   1  medium",
        "input-bound             weak      1   ·  -",
        "",
        "   1 input-bound",
    ]
    assert simulator.summary(found) == ("3 scenes: 1 of 1 strong causes found, 0 false findings of high severity")
