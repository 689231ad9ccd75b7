"""Findings side by side: contradictions, symptoms, causes of errors, and what costs most.

An error that happened is never left out. Where its cause is known too, both are told, and the error names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from smianalyze.analyses.wording import listed
from smianalyze.findings import SEVERITIES, Finding, Severity
from smianalyze.language import say, sentences


class Symptoms(NamedTuple):
    """What a finding explains on its cards: these are left out there, and the finding mentions them.

    Attributes:
        cause: What explains them.
        symptoms: They.
        most: How severe they are at most; above that they are a matter of their own.
    """

    cause: str
    symptoms: tuple[str, ...]
    most: Severity = "high"


class Errors(NamedTuple):
    """Errors and what may have caused them.

    Attributes:
        errors: They name the cause.
        causes: Findings that may be it, the most likely first.
        shared: What both must have: ``log``, the same input with the cause before the error, as another run's is
            none; ``card``, a card that both name; ``none``, no more than that they name no different cards.
    """

    errors: tuple[str, ...]
    causes: tuple[str, ...]
    shared: Literal["log", "card", "none"]


ABSORBED = (
    # a hang shows as idle cards beside busy ones, and as power that differs: it is neither a slow loader nor a
    # slow rank
    Symptoms("collective-hang", ("rank-imbalance", "input-bound", "held-but-idle", "utilization-oscillates")),
    Symptoms("gpu-lost", ("held-but-idle", "rank-imbalance")),
    Symptoms("input-bound", ("held-but-idle", "utilization-oscillates")),
    # a card that fills up holds more than the others in the end; what other ranks are seen to hold there counts
    Symptoms("memory-grows", ("primary-card-overhead",), most="low"),
    Symptoms("thermal-slowdown", ("power-capped",)),
)

CAUSES = (
    # whether the overhead of a primary card was enough for it is decided from the sizes that the message says
    Errors(("out-of-memory",), ("memory-grows",), shared="card"),
    Errors(("cuda-error",), ("driver-mismatch", "gpu-lost", "xid", "ecc-errors"), shared="none"),
    Errors(("nccl-timeout",), ("gpu-lost", "xid", "collective-hang"), shared="none"),
    Errors(
        ("nccl-error", "nccl-timeout"),
        ("out-of-memory", "host-memory-killed", "shared-memory-full", "cuda-error"),
        shared="log",
    ),
    Errors(
        ("worker-failed",),
        ("out-of-memory", "host-memory-killed", "shared-memory-full", "cuda-error", "nccl-error", "nccl-timeout"),
        shared="log",
    ),
    Errors(("worker-failed",), ("gpu-lost", "xid", "host-memory-killed"), shared="none"),
    Errors(("host-memory-killed", "shared-memory-full"), ("loader-workers-mismatch",), shared="log"),
    Errors(("memory-ramp-slow",), ("runtime-older-than-gpu",), shared="none"),
    Errors(("rank-imbalance",), ("thermal-slowdown", "power-capped"), shared="none"),
)

GRAVE: tuple[Severity, ...] = ("medium", "high")
"""A small matter ends no run."""

MOST_COSTLY_FIRST = (
    *("driver-mismatch", "gpu-lost", "xid", "ecc-errors"),
    *(
        "memory-grows",
        "primary-card-overhead",
        "loader-workers-mismatch",
        "out-of-memory",
        "host-memory-killed",
        "shared-memory-full",
    ),
    *("cuda-error", "nan-loss", "collective-hang", "nccl-error", "nccl-timeout", "worker-failed"),
    *("input-bound", "thermal-slowdown", "power-capped", "rank-imbalance"),
    *("runtime-older-than-gpu", "memory-ramp-slow", "held-but-idle", "utilization-oscillates"),
    *("visible-gpu-unused", "unattributed-memory", "process-table-hidden", "batch-headroom"),
    *("sampling-too-coarse", "gap-in-series"),
)
"""Within a severity: what ends all work, what ended this run, what makes it slow, what is unused, what is unknown.
A cause stands before what it causes."""


def considered(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without contradictions and symptoms, errors with their causes, what costs most first."""
    kept = [finding for finding in findings if not any(_explains(other, finding) for other in findings)]
    told = [_with_symptoms(finding, findings) for finding in kept]
    return sorted((_with_cause(finding, kept) for finding in told), key=_costs)


def _costs(finding: Finding) -> tuple[int, int, tuple[int, ...]]:
    known = finding.id in MOST_COSTLY_FIRST
    place = MOST_COSTLY_FIRST.index(finding.id) if known else len(MOST_COSTLY_FIRST)
    return -SEVERITIES.index(finding.severity), place, finding.gpus


def _explains(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding explains all of another one: on all of its cards."""
    ids = any(
        rule.cause == cause.id
        and symptom.id in rule.symptoms
        and SEVERITIES.index(symptom.severity) <= SEVERITIES.index(rule.most)
        for rule in ABSORBED
    )
    return ids and bool(symptom.gpus) and set(symptom.gpus) <= set(cause.gpus)


def _with_symptoms(finding: Finding, findings: Sequence[Finding]) -> Finding:
    ids = [*dict.fromkeys(f"`{other.id}`" for other in findings if _explains(finding, other))]
    if not ids:
        return finding
    return replace(finding, why=sentences(finding.why, say("It also explains {ids} here.", ids=listed(ids))))


def _with_cause(error: Finding, findings: Sequence[Finding]) -> Finding:
    """The error with the first of its causes that was found for the same cards and run."""
    for rule in CAUSES:
        found = [other for other in findings if error.id in rule.errors and _may_cause(other, error, rule)]
        if found:
            cause = min(found, key=lambda other: rule.causes.index(other.id))
            return replace(
                error,
                why=sentences(
                    error.why, say("Its likely cause is `{cause}`{where}.", cause=cause.id, where=_where(cause))
                ),
                next_step=say(
                    "Settle `{cause}` first, its likely cause. If it comes back then: {step}",
                    cause=cause.id,
                    step=error.next_step,
                ),
            )
    return error


def _may_cause(cause: Finding, error: Finding, rule: Errors) -> bool:
    """Whether a finding is of the rule, and is about the same cards and, where that matters, an earlier line."""
    if cause.id not in rule.causes or cause.severity not in GRAVE:
        return False
    named = bool(cause.gpus and error.gpus)
    if (named or rule.shared == "card") and not set(cause.gpus) & set(error.gpus):
        return False
    return rule.shared != "log" or _stands_before(cause, error)


def _stands_before(cause: Finding, error: Finding) -> bool:
    """Whether both are told in one input, the cause first."""
    return any(
        one.source == other.source and one.line < other.line for one in cause.evidence for other in error.evidence
    )


def _where(cause: Finding) -> str:
    """The card of a cause, as an error often names none."""
    return say(" on GPU {gpu}", gpu=cause.gpus[0]) if len(cause.gpus) == 1 else ""
