"""Each out-of-memory error: which card it was, where its memory went, and whether a setting could have helped."""

from __future__ import annotations

from collections.abc import Sequence

from smianalyze.analyses.comparison import Comparison
from smianalyze.analyses.device_map import DeviceMap
from smianalyze.analyses.matching import known_true
from smianalyze.analyses.moment import HELD_MIB
from smianalyze.analyses.oom_parts import OutOfMemory, out_of_memory_events
from smianalyze.analyses.oom_verdict import Judge, Judged
from smianalyze.analyses.oom_wording import next_step, title, why
from smianalyze.analyses.visible_gpus import unused_gpus
from smianalyze.findings import Confidence, Evidence, Finding
from smianalyze.frames import Frames
from smianalyze.language import say, sentences

MAX_PLACES = 6
"""Ranks and retries repeat a message; so many places are evidence enough."""


def out_of_memory(frames: Frames, comparison: Comparison | None) -> list[Finding]:
    """One finding for each input, framework and verdict; ranks and retries that say the same are one."""
    events = _telling(out_of_memory_events(frames.events))
    if not events:
        return []
    devices = DeviceMap(frames)
    judge = Judge(frames, comparison, devices)
    groups: dict[tuple[str, str | None, str], list[Judged]] = {}
    for judged in map(judge.judged, events):
        framework = judged.oom.framework if judged.oom.tried_mib is not None else None
        groups.setdefault((judged.oom.source, framework, judged.verdict), []).append(judged)
    surroundings = _Surroundings(frames, devices)
    return [_finding(group, surroundings) for group in groups.values()]


def _telling(events: Sequence[OutOfMemory]) -> list[OutOfMemory]:
    """The messages without those that say the same failure again, without sizes, through another layer."""
    sized = {oom.source for oom in events if oom.tried_mib is not None}
    return [oom for oom in events if oom.tried_mib is not None or oom.source not in sized]


def _finding(group: Sequence[Judged], surroundings: _Surroundings) -> Finding:
    """The finding for messages of one kind; its numbers are those of the last one, which ended the run."""
    last = group[-1]
    went_on = surroundings.went_on(last.oom)
    return Finding(
        id="out-of-memory",
        severity="medium" if went_on else "high",
        title=title(group),
        why=sentences(*why(last, surroundings.unseen(last)), say("The log goes on after it.") if went_on else ""),
        next_step=next_step(last, surroundings.with_room(last), surroundings.idle.get(last.oom.source, ())),
        gpus=tuple(sorted({judged.place.gpu_index for judged in group if judged.place.gpu_index is not None})),
        evidence=_evidence(group),
        confidence=_confidence(last),
    )


def _evidence(group: Sequence[Judged]) -> tuple[Evidence, ...]:
    """The messages, and what tells their cards, each place once."""
    few = group[:MAX_PLACES]
    messages = [Evidence(judged.oom.source, judged.oom.line) for judged in few]
    return tuple(dict.fromkeys([*messages, *(place for judged in few for place in judged.place.evidence)]))


def _confidence(judged: Judged) -> Confidence:
    sure = judged.verdict not in ("unsized", "open", "no-shortfall", "outside")
    return "high" if sure and judged.place.witness not in ("order", "course", "capacity") else "medium"


class _Surroundings:
    """What the capture says about other cards, and what came after a message."""

    def __init__(self, frames: Frames, devices: DeviceMap) -> None:
        self._devices = devices
        self._cards = frames.gpus[frames.gpus["snapshot"].eq(frames.gpus["snapshot"].max())]
        self._last_step = frames.steps.dropna(subset=["line"]).groupby("source")["line"].max().to_dict()
        self.idle = {found.source: found.unused for found in unused_gpus(frames)}
        """For each input the cards that its job may see and never used."""

    def went_on(self, oom: OutOfMemory) -> bool:
        """Whether the same log has training steps behind the message: then the script survived it."""
        return bool(self._last_step.get(oom.source, 0) > oom.line)

    def unseen(self, judged: Judged) -> dict[int, int]:
        """Memory in use on cards that the job cannot see; empty where it is not known which it sees."""
        visible = self._devices.visible_to(judged.oom)
        if judged.place.witness != "visible" or None in visible:
            return {}
        others = self._cards[~self._cards["gpu_index"].isin(visible)].dropna(subset=["gpu_index"])
        used = others.set_index("gpu_index")["memory_used_mib"].dropna()
        return {int(str(gpu)): int(value) for gpu, value in used.items() if value >= HELD_MIB}

    def with_room(self, judged: Judged) -> list[int]:
        """Other cards on which all of it would have fit."""
        oom, cards = judged.oom, self._cards
        held = oom.process_mib or oom.held_mib
        if held is None or oom.tried_mib is None or judged.place.gpu_index is None:
            return []
        free = cards["memory_free_mib"].fillna(cards["memory_total_mib"] - cards["memory_used_mib"])
        other = cards["gpu_index"].ne(judged.place.gpu_index)
        return sorted(
            int(gpu) for gpu in cards.loc[known_true(other & (free > held + oom.tried_mib)), "gpu_index"]
        )
