"""Training logs in tests: the rows of ``steps`` without what says where they stood."""

from __future__ import annotations

import pandas as pd

import smianalyze


def steps_of(text: str) -> list[dict[str, object]]:
    """What is known of each record of a text."""
    steps = smianalyze.loads(text).steps.drop(columns=["source", "line"])
    return [{key: value for key, value in row.items() if not pd.isna(value)} for row in steps.to_dict("records")]
