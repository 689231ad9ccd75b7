"""Findings side by side: contradictions, symptoms, causes, and the order of a report."""

from __future__ import annotations

import pytest

from smianalyze.analyses.explanations import EXPLANATIONS
from smianalyze.analyses.rules import ABSORBED, CAUSES, MOST_COSTLY_FIRST, considered
from smianalyze.findings import Evidence, Finding, Severity


def finding(
    finding_id: str, *gpus: int, severity: Severity = "high", source: str = "train.log", line: int = 5
) -> Finding:
    return Finding(
        id=finding_id,
        severity=severity,
        title="Title.",
        why="Why.",
        next_step="Next.",
        gpus=gpus,
        evidence=(Evidence(source, line),),
    )


def ids(*findings: Finding) -> list[str]:
    return [one.id for one in considered(findings)]


def test_hang_is_not_also_an_imbalance() -> None:
    assert ids(finding("rank-imbalance", 0, 1), finding("collective-hang", 0, 1)) == ["collective-hang"]


def test_cause_absorbs_the_idle_card_and_mentions_it() -> None:
    (told,) = considered(
        [finding("held-but-idle", 1), finding("input-bound", 1), finding("utilization-oscillates", 1)]
    )

    assert told.id == "input-bound"
    assert told.why == "Why. It also explains `held-but-idle` and `utilization-oscillates` here."


@pytest.mark.parametrize(("severity", "told"), [("low", 1), ("medium", 2)])
def test_growth_explains_more_memory_than_on_other_cards_unless_its_cause_was_seen(
    severity: Severity, told: int
) -> None:
    more = finding("primary-card-overhead", 1, severity=severity)

    assert len(considered([finding("memory-grows", 1, severity="medium"), more])) == told


@pytest.mark.parametrize("cards", [(2,), (1, 2), ()])
def test_idle_card_elsewhere_is_told(cards: tuple[int, ...]) -> None:
    assert set(ids(finding("held-but-idle", *cards), finding("input-bound", 1))) == {
        "held-but-idle",
        "input-bound",
    }


def test_error_is_never_absorbed_and_names_its_cause() -> None:
    told = considered([finding("out-of-memory", 0), finding("memory-grows", 0, source="run.csv")])

    assert [one.id for one in told] == ["memory-grows", "out-of-memory"]
    assert told[1].why == "Why. Its likely cause is `memory-grows` on GPU 0."
    assert told[1].next_step == "Settle `memory-grows` first, its likely cause. If it comes back then: Next."
    assert told[0].why == "Why."


@pytest.mark.parametrize("cards", [(0,), ()])
def test_growth_of_a_card_that_the_error_does_not_name_is_no_cause(cards: tuple[int, ...]) -> None:
    told = considered([finding("out-of-memory", *cards), finding("memory-grows", 1)])

    assert all(one.why == "Why." for one in told)


@pytest.mark.parametrize(
    ("source", "line", "named"), [("train.log", 2, True), ("train.log", 9, False), ("other.log", 2, False)]
)
def test_failed_rank_names_what_its_own_log_says_before(source: str, line: int, *, named: bool) -> None:
    cause = finding("out-of-memory", source=source, line=line)
    told = {one.id: one.why for one in considered([cause, finding("worker-failed")])}

    assert ("`out-of-memory`" in told["worker-failed"]) is named


def test_primary_card_is_the_cause_only_where_the_sizes_say_so() -> None:
    told = considered([finding("primary-card-overhead", 0), finding("out-of-memory", 0)])

    assert all(one.why == "Why." for one in told)


def test_small_matter_is_no_cause() -> None:
    told = considered([finding("xid", 0, severity="low", line=1), finding("worker-failed")])

    assert all(one.why == "Why." for one in told)


def test_first_cause_of_the_table_counts() -> None:
    causes = [finding("nccl-timeout", line=1), finding("host-memory-killed", line=2)]
    (error,) = (one for one in considered([*causes, finding("worker-failed")]) if one.id == "worker-failed")

    assert error.why.endswith("`host-memory-killed`.")


def test_what_costs_most_comes_first() -> None:
    findings = [
        finding("sampling-too-coarse", severity="info"),
        finding("held-but-idle", 1, severity="medium"),
        finding("input-bound", severity="medium"),
        finding("worker-failed"),
        finding("xid", 3),
        finding("xid", 1),
    ]

    assert [(one.id, one.gpus) for one in considered(findings)] == [
        ("xid", (1,)),
        ("xid", (3,)),
        ("worker-failed", ()),
        ("input-bound", ()),
        ("held-but-idle", (1,)),
        ("sampling-too-coarse", ()),
    ]


def test_tables_hold_every_finding_and_no_other() -> None:
    ruled = {rule.cause for rule in ABSORBED} | {name for rule in ABSORBED for name in rule.symptoms}
    ruled |= {name for rule in CAUSES for name in (*rule.errors, *rule.causes)}

    assert set(MOST_COSTLY_FIRST) >= set(EXPLANATIONS) | ruled
    assert len(set(MOST_COSTLY_FIRST)) == len(MOST_COSTLY_FIRST)


def test_cause_stands_before_its_error_in_the_order() -> None:
    place = MOST_COSTLY_FIRST.index
    late = [(cause, error) for rule in CAUSES for error in rule.errors for cause in rule.causes]

    assert [pair for pair in late if place(pair[0]) > place(pair[1])] == []


def test_no_error_is_a_symptom() -> None:
    errors = {"out-of-memory", "xid", "gpu-lost", "ecc-errors", "nccl-timeout", "worker-failed", "nan-loss"}
    errors |= {"cuda-error", "nccl-error", "host-memory-killed", "shared-memory-full", "driver-mismatch"}

    assert errors & {name for rule in ABSORBED for name in rule.symptoms} == set()
