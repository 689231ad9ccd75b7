"""``smianalyze redact``: any input with other names of the same width."""

from smianalyze.redaction.redactor import Redactor

__all__ = ["Redactor"]
