"""A capture as ``smianalyze redact`` writes it."""

from __future__ import annotations

from pathlib import Path

from smianalyze.redaction import Redactor
from smianalyze.redaction.inputs import redacted
from smianalyze.source import open_inputs


def redacted_file(path: Path, redactor: Redactor | None = None) -> bytes:
    """The bytes of a redacted file; what the whole file tells is known from its first line on."""
    redactor = redactor or Redactor()
    for _ in range(2):
        (source,) = open_inputs(path)
        done = b"".join(redacted(source, redactor, []))
    return done


def redacted_text(text: str, redactor: Redactor | None = None) -> str:
    """The lines of a text, redacted once in their order."""
    redactor = redactor or Redactor()
    return "\n".join(redactor.line(line) for line in text.split("\n"))
