"""What ``smianalyze explain`` says about one finding."""

from __future__ import annotations

from smianalyze.language import say, text

QUOTE = text("{quote}")
"""An example that is a line of an input and nothing else: quotes are values, which no language changes."""


class Explanation:
    """One finding id: its meaning, its rule with thresholds, the next step, and an example of an input.

    Each is said in the language that is spoken when it is asked for.

    Args:
        meaning: What the finding says.
        decided: How it is decided; thresholds are values.
        next_step: What to do.
        example: An input that shows it.
        **values: What the names in braces stand for.
    """

    def __init__(self, *, meaning: str, decided: str, next_step: str, example: str, **values: object) -> None:
        self._meaning, self._decided, self._next_step, self._example = meaning, decided, next_step, example
        self._values = values

    @property
    def meaning(self) -> str:
        """What the finding says."""
        return say(self._meaning, **self._values)

    @property
    def decided(self) -> str:
        """How it is decided, with the thresholds."""
        return say(self._decided, **self._values)

    @property
    def next_step(self) -> str:
        """What to do."""
        return say(self._next_step, **self._values)

    @property
    def example(self) -> str:
        """An input that shows it."""
        return say(self._example, **self._values)
