"""A terminal for text: what ncurses sends to xterm, screen, tmux, linux, vt100 and ansi, applied to cells.

Colours, titles and answers have no effect. Any input ends in bounded time and space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from smianalyze.terminal.cells import Cells, ScreenCells, fitted

MAX_DIGITS = 9  # of a parameter; a longer one counts as the highest number of so many digits
TAB_COLUMNS = 8
LONGEST_TOKEN = 9_000  # characters; only text may be longer, and text may be read in pieces

TOKEN = re.compile(
    r"(?:\x1b\[([0-9]{1,4});([0-9]{1,4})H)?([^\x00-\x1f\x7f-\x9f]+)"  # text, with the address right before it
    r"|\x1b\[([<-?]?)([0-9;:]{0,8192})([@-~])"  # a control sequence
    r"|\x1b([()])([0-~])"  # the choice of a character set
    r"|\x1b([78DEMc])"  # a short sequence
    r"|([\x08-\x0f])"  # a control character
    # without effect: strings (dropped after 4 KiB), sequences of other kinds, and what breaks off
    r"|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"
    r"|\x1b\[[0-?]{0,8192}[ -/]{0,64}[@-~]?"
    r"|\x1b[ -/]{0,64}[0-Z\\^-~]?"
    r"|[\x00-\x1f\x7f-\x9f]"
)
"""One step of a terminal; the last group that matched says which kind it is (:data:`TEXT` and so on)."""
TEXT, SEQUENCE, CHARSET, SHORT, CONTROL = 3, 6, 8, 9, 10

_LINE_DRAWING = dict(
    zip(map(ord, "`abcdefghijklmnopqrstuvwxyz{|}~"), "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£⋅", strict=True)
)
_ALTERNATE_SCREEN = {47, 1047, 1049}


class Terminal(ScreenCells):
    """A screen that understands control sequences.

    Attributes:
        alternate: Whether this is the alternate screen.
        is_simple: Whether text simply takes the place of what is there: no insert mode, no other characters.
    """

    def reset(self, fill: str) -> None:
        """Begin again with the same size."""
        super().reset(fill)
        self.alternate = False
        self._primary: list[Cells] = []
        self._cursor_of_primary = (0, 0)
        self._saved = (0, 0)
        self._sets = ["B", "B"]
        self._set = 0
        self._origin = False
        self._printed = ""
        self.is_simple = True

    def apply(self, token: re.Match[str]) -> None:
        """Do what one match of :data:`TOKEN` says."""
        kind = token.lastindex
        if kind == TEXT:
            row, column, text = token.group(1, 2, 3)
            if row is not None:
                self.place(int(row), int(column))
            self._print(text)
        elif kind == SEQUENCE:
            private, numbers, final = token.group(4, 5, 6)
            if final in "hl":
                self._set_modes(private, parameters(numbers), on=final == "h")
            elif not private and final in _SEQUENCES:
                _SEQUENCES[final](self, parameters(numbers))
        elif kind in (CONTROL, SHORT):
            action = _CHARACTERS.get(token[kind])
            if action:
                action(self)
        elif kind == CHARSET:
            self._sets["()".index(token[7])] = token[8]
            self._note_modes()

    def paint(self, y: int, x: int, text: str) -> bool:
        """Print text at a place, which is what most of a recording does; not done where it is not that simple."""
        end = x + len(text)
        row = self.rows[y] if 0 <= y < self.height else None
        if not self.is_simple or not isinstance(row, str) or not 0 <= x <= end < self.width or not text.isascii():
            return False
        self.rows[y] = row[:x] + text + row[end:]
        self._printed = text[-1]
        self.y, self.x = y, end
        self._note_change()
        return True

    def _note_modes(self) -> None:
        self.is_simple = self.wraps and not self.inserts and not self._origin and self._sets[self._set] != "0"

    def _print(self, text: str) -> None:
        if self._sets[self._set] == "0":
            text = text.translate(_LINE_DRAWING)
        self._printed = text[-1]
        self.write(text)

    def _repeat(self, numbers: Sequence[int]) -> None:
        if self._printed:
            self.write(self._printed * min(_count(numbers), self.width))

    def _set_modes(self, private: str, numbers: Sequence[int], *, on: bool) -> None:
        for number in numbers:
            if private == "?" and number == 7:
                self.wraps = on
            elif private == "?" and number == 6:
                self._origin = on
                self.place(1, 1)
            elif private == "?" and number in _ALTERNATE_SCREEN:
                self._switch(alternate=on)
            elif not private and number == 4:
                self.inserts = on
        self._note_modes()

    def _switch(self, *, alternate: bool) -> None:
        if alternate == self.alternate:
            return
        if alternate:
            self._save()
            self._primary, self._cursor_of_primary = self.rows, self._saved
            self.rows = [self._blank] * self.height
        else:
            self.rows, self._primary = self._primary, []
            if (len(self.rows), len(self.rows[0])) != (self.height, self.width):
                rows = [*self.rows, *[self._blank] * self.height][: self.height]
                self.rows = [fitted(row, self.width) for row in rows]
            self._saved = self._cursor_of_primary
            self._restore()
        self.alternate = alternate
        self.used = 0 if alternate else self.height
        self.touch(0, self.height)

    def place(self, row: int, column: int) -> None:
        """Put the cursor on a row and column that count from 1."""
        top, last = (self.top, self.bottom) if self._origin else (0, self.height - 1)
        self.y = min(max(row, 1) - 1 + top, last)
        self.x = min(max(column, 1), self.width) - 1

    def move(self, rows: int, columns: int) -> None:
        """Move the cursor; the margins stop it if it is between them."""
        self.x = min(max(min(self.x, self.width - 1) + columns, 0), self.width - 1)
        first = self.top if self.y >= self.top else 0
        last = self.bottom if self.y <= self.bottom else self.height - 1
        if rows:
            self.y = min(max(self.y + rows, first), last)

    def to_row(self, row: int) -> None:
        """Put the cursor on a row that counts from 1; it keeps its column."""
        self.place(row, min(self.x, self.width - 1) + 1)

    def to_column(self, column: int) -> None:
        """Put the cursor on a column that counts from 1; it keeps its row."""
        self.x = min(column, self.width) - 1

    def _set_region(self, numbers: Sequence[int]) -> None:
        top, bottom = _count(numbers), _count(numbers[1:], self.height)
        if top < min(bottom, self.height):
            self.top, self.bottom = top - 1, min(bottom, self.height) - 1
            self.place(1, 1)

    def _erase_screen(self, numbers: Sequence[int]) -> None:
        part = numbers[0] if numbers else 0
        if part == 2:
            self.erase_rows(0, self.height)
        elif part == 0:
            self.erase_rows(self.y + 1, self.height)
        elif part == 1:
            self.erase_rows(0, self.y)
        self._erase_line(numbers)

    def _erase_line(self, numbers: Sequence[int]) -> None:
        part = numbers[0] if numbers else 0
        x = min(self.x, self.width - 1)
        if part in (0, 1, 2):
            self.erase_cells(0 if part else x, x + 1 if part == 1 else self.width)

    def _erase_characters(self, numbers: Sequence[int]) -> None:
        x = min(self.x, self.width - 1)
        self.erase_cells(x, x + _count(numbers))

    def _save(self, _: Sequence[int] = ()) -> None:
        self._saved = (self.y, min(self.x, self.width - 1))

    def _restore(self, _: Sequence[int] = ()) -> None:
        self.y, self.x = min(self._saved[0], self.height - 1), min(self._saved[1], self.width - 1)

    def _return(self) -> None:
        self.x = 0

    def _next_line(self) -> None:
        self.line_feed()
        self.x = 0

    def _tab(self) -> None:
        self.x = min((self.x // TAB_COLUMNS + 1) * TAB_COLUMNS, self.width - 1)

    def _shift(self, number: int) -> None:
        self._set = number
        self._note_modes()


def parameters(text: str) -> list[int]:
    """The numbers of a control sequence; one that is left out is 0."""
    if not text:
        return []
    return [int(number[:MAX_DIGITS] or 0) for number in text.replace(":", ";").split(";")]


def _count(numbers: Sequence[int], default: int = 1) -> int:
    """The first number; where it is left out or 0, the default."""
    return (numbers[0] if numbers else 0) or default


_SEQUENCES: dict[str, Callable[[Terminal, Sequence[int]], None]] = {
    "@": lambda terminal, n: terminal.insert_cells(_count(n)),
    "A": lambda terminal, n: terminal.move(-_count(n), 0),
    "B": lambda terminal, n: terminal.move(_count(n), 0),
    "C": lambda terminal, n: terminal.move(0, _count(n)),
    "D": lambda terminal, n: terminal.move(0, -_count(n)),
    "E": lambda terminal, n: terminal.move(_count(n), -terminal.width),
    "F": lambda terminal, n: terminal.move(-_count(n), -terminal.width),
    "G": lambda terminal, n: terminal.to_column(_count(n)),
    "H": lambda terminal, n: terminal.place(_count(n), _count(n[1:])),
    "J": Terminal._erase_screen,
    "K": Terminal._erase_line,
    "L": lambda terminal, n: terminal.scroll_at_cursor(-_count(n)),
    "M": lambda terminal, n: terminal.scroll_at_cursor(_count(n)),
    "P": lambda terminal, n: terminal.delete_cells(_count(n)),
    "S": lambda terminal, n: terminal.scroll(terminal.top, _count(n)),
    "T": lambda terminal, n: terminal.scroll(terminal.top, -_count(n)),
    "X": Terminal._erase_characters,
    "b": Terminal._repeat,
    "d": lambda terminal, n: terminal.to_row(_count(n)),
    "r": Terminal._set_region,
    "s": Terminal._save,
    "u": Terminal._restore,
}
_SEQUENCES |= {"`": _SEQUENCES["G"], "a": _SEQUENCES["C"], "e": _SEQUENCES["B"], "f": _SEQUENCES["H"]}

_CHARACTERS: dict[str, Callable[[Terminal], None]] = {
    "\b": lambda terminal: terminal.move(0, -1),
    "\t": Terminal._tab,
    "\n": Terminal.line_feed,
    "\v": Terminal.line_feed,
    "\f": Terminal.line_feed,
    "\r": Terminal._return,
    "\x0e": lambda terminal: terminal._shift(1),
    "\x0f": lambda terminal: terminal._shift(0),
    "7": Terminal._save,
    "8": Terminal._restore,
    "D": Terminal.line_feed,
    "E": Terminal._next_line,
    "M": Terminal.reverse_line_feed,
    "c": lambda terminal: terminal.reset(" "),
}
