"""What reports are written from: a scene with findings and pictures, and one text wherever an input may put it."""

from __future__ import annotations

from collections.abc import Sequence

from scenes import Print, Scene, gpu, process, scene

from smianalyze.findings import Evidence, Finding
from smianalyze.masking import Masker
from smianalyze.report import Chart, ReportContent


def content_of(one: Scene, findings: Sequence[Finding] = (), charts: Sequence[Chart] = ()) -> ReportContent:
    return ReportContent(
        frames=one.frames,
        comparison=one.comparison,
        findings=findings,
        masker=Masker(),
        command="smianalyze report before_smi.txt after_smi.txt",
        charts=charts,
    )


def content_full_of(text: str, charts: Sequence[Chart] = ()) -> ReportContent:
    head = {"driver_version": text, "cuda_version": text, "host": text}
    quoted = {"source": text, "line": 1}
    one = scene(
        Print(text, [gpu(0, name=text, memory_used_mib=9000)], [process(0, 1, text, 8000)], head=head),
        events=[{**quoted, "kind": "oom", "message": text}],
        problems=[{**quoted, "what": "cut off", "text": text}],
    )
    evidence = (Evidence(text, 1),)
    finding = Finding(id="x", severity="low", title="One.", why="Two.", next_step="Three.", evidence=evidence)
    return content_of(one, [finding], charts)
