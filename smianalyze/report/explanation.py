"""The text of ``smianalyze explain``."""

from __future__ import annotations

import difflib

from smianalyze.analyses.explanations import EXPLANATIONS
from smianalyze.errors import UnknownFinding
from smianalyze.language import say
from smianalyze.wrapping import wrapped


def checked_id(finding_id: str) -> str:
    """The id itself, if there is such a finding.

    Raises:
        UnknownFinding: There is none; the message names the nearest ids.
    """
    if finding_id not in EXPLANATIONS:
        near = difflib.get_close_matches(finding_id, EXPLANATIONS, n=3, cutoff=0.4) or sorted(EXPLANATIONS)
        raise UnknownFinding(f"There is no finding {finding_id!r}. Did you mean: {', '.join(near)}?")
    return finding_id


def explanation_text(finding_id: str) -> str:
    """What a finding means, how it is decided, what to do, and an example, in 80 columns."""
    explanation = EXPLANATIONS[finding_id]
    parts = (
        explanation.meaning,
        say("How it is decided: {how}", how=explanation.decided),
        say("What to do: {step}", step=explanation.next_step),
    )
    example = [wrapped(line, indent="  ", hanging=2) for line in explanation.example.splitlines()]
    return "\n\n".join([finding_id, *map(wrapped, parts), "\n".join([say("Example:"), *example])])
