"""Made-up runs with a known cause, or none, and what is found in them.

``python tests/simulator.py`` prints the confusion matrix.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from simulated_causes import CAUSES
from simulated_health import HEALTHY

import smianalyze
from smianalyze.findings import SEVERITIES, Finding

Strength = Literal["strong", "medium", "weak", "healthy"]
STRENGTHS: tuple[Strength, ...] = ("strong", "medium", "weak")
SOUND = "nothing is wrong"


class Scene(NamedTuple):
    """What was printed, and what is behind it: a cause (None for healthy work) on some cards."""

    name: str
    strength: Strength
    cause: str | None
    gpus: tuple[int, ...]
    texts: Mapping[str, str]

    def findings(self) -> list[Finding]:
        """What is found in it."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in self.texts]
            for path, text in zip(paths, self.texts.values(), strict=True):
                path.write_text(text, encoding="utf-8")
            return list(smianalyze.load(*paths).findings())


def scenes() -> Iterator[Scene]:
    """All scenes: each cause from strong to too weak to say, then the healthy ones."""
    for family in CAUSES:
        for number, strength in enumerate(STRENGTHS):
            name = f"{family.make.__name__.strip('_')}, {strength}"
            yield Scene(name, strength, family.cause, family.gpus, family.make(number))
    for name, healthy in HEALTHY.items():
        yield Scene(name, "healthy", None, (), healthy())


class Told(NamedTuple):
    """A scene and what is found in it."""

    scene: Scene
    findings: Sequence[Finding]


def is_found(told: Told) -> bool:
    """Whether the cause of a scene is told, on all of its cards and on no other."""
    return any(one.id == told.scene.cause and one.gpus == told.scene.gpus for one in told.findings)


def matrix(told: Sequence[Told]) -> str:
    """How many scenes of each cause and strength (rows) show each finding (columns)."""
    ids = sorted({finding.id for one in told for finding in one.findings})
    lines = [f"{'scenes':>35}" + "".join(f"{number:4}" for number in range(1, len(ids) + 1)) + "  most severe"]
    for cause, strength in dict.fromkeys((one.scene.cause, one.scene.strength) for one in told):
        findings = [one.findings for one in told if (one.scene.cause, one.scene.strength) == (cause, strength)]
        counts = [sum(any(finding.id == name for finding in found) for found in findings) for name in ids]
        cells = "".join(f"{count or '·':>4}" for count in counts)
        lines.append(f"{cause or SOUND:24}{strength:8}{len(findings):3}{cells}  {_most_severe(findings)}")
    return "\n".join([*lines, "", *(f"{number:4} {name}" for number, name in enumerate(ids, start=1))])


def summary(told: Sequence[Told]) -> str:
    """The two numbers that matter: strong causes found, and findings of high severity where nothing is wrong."""
    strong = [one for one in told if one.scene.strength == "strong"]
    sound = [finding for one in told if one.scene.cause is None for finding in one.findings]
    false = sum(finding.severity == "high" for finding in sound)
    return (
        f"{len(told)} scenes: {sum(map(is_found, strong))} of {len(strong)} strong causes found, "
        f"{false} false findings of high severity"
    )


def _most_severe(findings: Sequence[Sequence[Finding]]) -> str:
    ranks = [SEVERITIES.index(finding.severity) for found in findings for finding in found]
    return SEVERITIES[max(ranks)] if ranks else "-"


if __name__ == "__main__":
    every = [Told(scene, scene.findings()) for scene in scenes()]
    sys.stdout.write(f"{matrix(every)}\n\n{summary(every)}\n")
