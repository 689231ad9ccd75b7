"""The errors that smianalyze raises on purpose.

SmianalyzeError            base; its message is one sentence for a user, ready to print
  UnreadableInput          missing, not text, over a limit, broken compression
  UnknownFormat            nothing in the input is recognised
  OutputExists             the target is there and --force is not
  OutputFailed             disk full, no permission
  UnknownFinding           there is no finding of this id
  UnknownLayout            a layout of captures that cannot be understood

Bad *content* inside a readable input is never an exception: it becomes a row of the ``problems`` frame.
"""

from __future__ import annotations


class SmianalyzeError(Exception):
    """Base of every error that a caller may expect; ``exit_code`` is what the command line ends with."""

    exit_code = 1


class UnreadableInput(SmianalyzeError):
    """An input is missing, is no text, is over a limit or its compression is broken."""

    exit_code = 5


class UnknownFormat(SmianalyzeError):
    """Nothing in the input is recognised."""

    exit_code = 5


class OutputExists(SmianalyzeError):
    """The target exists and overwriting was not asked for."""

    exit_code = 2


class OutputFailed(SmianalyzeError):
    """The output could not be written."""


class UnknownFinding(SmianalyzeError):
    """There is no finding of this id."""

    exit_code = 2


class UnknownLayout(SmianalyzeError):
    """A layout of captures in folders that cannot be understood."""

    exit_code = 2
