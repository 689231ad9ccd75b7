"""Lines of an input that are left to other formats, when most of it was read in blocks."""

from __future__ import annotations

from collections.abc import Set

MAX_BLANKS = 3  # in a row that are shown: more say no more


class LeftLines:
    """The lines that were not read, and those around them that show that something stands between.

    Beside each line that is left, the next line above and below that was read is shown, and blank ones between.
    """

    def __init__(self) -> None:
        """What is read first is shown in any case: it may have a date."""
        self._texts: dict[int, str] = {}
        self._shown: set[int] = set()
        self._before: list[tuple[int, str]] = []
        self.wants_next = True

    def lines(self, used: Set[int]) -> list[tuple[int, str]]:
        """The lines with their numbers, in order.

        Args:
            used: Numbers of lines that turned out to be read; they are only shown where they have to be.
        """
        return sorted(line for line in self._texts.items() if line[0] in self._shown or line[0] not in used)

    def leave(self, number: int, text: str) -> None:
        """Leave a line."""
        self._show((*self._before, (number, text)))
        self._before = []
        self.wants_next = True

    def keep(self, number: int, text: str) -> None:
        """Leave a line unless it turns out to be read."""
        self._texts[number] = text

    def pass_over(self, number: int, text: str) -> None:
        """A line that was read."""
        self._before = [(number, text)]
        if self.wants_next:
            self._show(self._before)
        self.wants_next = False

    def blank(self, number: int, text: str) -> None:
        """A blank line."""
        if self.wants_next:
            self._show([(number, text)])
        elif len(self._before) <= MAX_BLANKS:
            self._before.append((number, text))

    def _show(self, lines: list[tuple[int, str]] | tuple[tuple[int, str], ...]) -> None:
        self._texts.update(lines)
        self._shown.update(number for number, _ in lines)
