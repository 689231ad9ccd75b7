"""What each finding means that is read from messages of logs: its part of ``smianalyze explain``."""

from __future__ import annotations

from smianalyze.analyses.explanation import Explanation

MESSAGE_EXPLANATIONS: dict[str, Explanation] = {}
