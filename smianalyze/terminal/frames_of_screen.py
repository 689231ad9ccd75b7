"""When a screen is complete: the rule "rest + order", and the size of the screen as the stream itself tells it.

Curses paints a change from top to bottom, scrolling and clearing first. Programs like watch leave the cursor in
the lower right corner until the next change (up to procps 4.0.4), or somewhere above (from 4.0.5). So a screen is
complete when the cursor leaves the corner, and when painting goes on above the place where it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from smianalyze.terminal.cells import MAX_COLUMNS, MAX_ROWS, UNPAINTED
from smianalyze.terminal.recordings import Size
from smianalyze.terminal.replay import CONTROL, MAX_DIGITS, SEQUENCE, SHORT, TEXT, TOKEN, Terminal, parameters

_MOVES = set("ABCDEFGH`adefLMSTr\r\n")  # what leaves the corner; BS, colours and modes do not
_PAINTS = set("KXP@b")
_SCROLLS = set("LMST")
# How the header of watch ends, in the last column: a time of day, perhaps with a year, a zone or "PM" behind.
_HEADER_END = re.compile(r"[0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}(?: .{1,12})?$")


class Screen(NamedTuple):
    """What stood on a screen when it was complete.

    Attributes:
        rows: Text of each row, without blanks at its end.
        position: Where in the stream the next change begins.
        height: Rows of the screen, None if unknown.
        width: Columns of the screen, None if unknown.
        at_rest: Whether the cursor rested in the corner: then one screen is one call of the watched command.
    """

    rows: tuple[str, ...]
    position: int
    height: int | None
    width: int | None
    at_rest: bool


class ScreenReader:
    """Reads a stream part by part; each part goes on where the last one ended."""

    def __init__(self, size: Size, *, term: str = "") -> None:
        """Begin with the size that is known from elsewhere."""
        self._height, self._width = size.height, size.width
        self._terminal = Terminal(
            size.height or MAX_ROWS, size.width or MAX_COLUMNS, wraps_late=not term.startswith("ansi")
        )
        self._known_width = size.width  # the width to assume after a clear if there is no header
        self._learns_width = self._learns_height = self._is_new = True
        self._rows: list[str] = []
        self._unpainted: set[int] = set()  # rows with cells that nobody has painted
        self._end: tuple[int, int] | None = None  # where the text of this change ended so far
        self._only_backspaces = self._was_moved = False
        self._rests = False  # whether the cursor was ever seen to rest in the corner

    def read(self, stream: str, start: int, end: int) -> Iterator[Screen]:
        """The screens that are complete in a part of a stream, which does not end within a sequence."""
        for token in TOKEN.finditer(stream, start, end):
            kind = token.lastindex
            if (kind == TEXT and self._paints_on(token)) or (kind == SEQUENCE and self._moves_on(token)):
                continue
            if self._is_complete(token):
                yield from self._screen(token.start())
            self._look_ahead(token)
            self._terminal.apply(token)
            self._look_back(token)

    def rest(self, position: int) -> Iterator[Screen]:
        """The screen at the end of the stream, if the cursor has come to rest."""
        if self._was_moved and self._is_at_rest():
            yield from self._screen(position)

    def leave(self, position: int) -> Iterator[Screen]:
        """The last screen of a program that ended by itself; one that rests has nothing more to show."""
        if not self._rests:
            yield from self._screen(position)

    def resize(self, size: Size) -> None:
        """The container says that the size has changed."""
        self._known_width = size.width or self._known_width
        self._set_size(size.height or self._height, size.width or self._width)

    def _paints_on(self, token: re.Match[str]) -> bool:
        """Print text that goes on with the change; not done where more has to be thought of."""
        row, column, text = token.group(1, 2, 3)
        if self._end is None or self._learns_width:
            return False
        terminal = self._terminal
        if row is None:
            y, x = terminal.y, terminal.x
            goes_on = self._only_backspaces or (y, x) >= self._end
        else:
            y, x = int(row) - 1, int(column) - 1
            goes_on = (y, x) >= self._end and (self._width is None or terminal.x < self._width - 1)
        if not goes_on or not terminal.paint(y, x, text):
            return False
        self._end, self._only_backspaces, self._was_moved = (y, terminal.x), True, False
        return True

    def _moves_on(self, token: re.Match[str]) -> bool:
        """Go to a column or row of the screen; not done in the last column, where the cursor may rest."""
        _, digits, final = token.group(4, 5, 6)
        if final == "m":
            return True
        terminal = self._terminal
        if final not in "Gd" or not digits.isdecimal() or self._width is None or terminal.x >= self._width - 1:
            return False
        number = int(digits[:MAX_DIGITS])
        if final == "G":
            terminal.to_column(max(number, 1))
        elif number <= terminal.height:
            terminal.to_row(number)
        else:
            return False
        self._was_moved, self._only_backspaces = True, False
        return True

    # when a screen is complete

    def _is_complete(self, token: re.Match[str]) -> bool:
        """Whether the screen is complete before this token."""
        terminal = self._terminal
        if token.lastindex == TEXT:
            if token[1] is None:
                return self._is_above(terminal.y, terminal.x)
            address = (int(token[1]) - 1, int(token[2]) - 1)
            return self._is_at_rest() or (self._end is not None and address < self._end)
        name = _name(token)
        if self._moves(name) and self._is_at_rest():
            return True
        if name in _PAINTS:
            return self._is_above(terminal.y, terminal.x)
        return self._end is not None and (name in _SCROLLS or name == "J" or self._scrolls(name))

    def _moves(self, name: str) -> bool:
        """Whether this leaves the place where painting ended; curses steps back there to fill the corner."""
        return name in _MOVES and (name != "D" or self._was_moved)

    def _scrolls(self, name: str) -> bool:
        """Whether this moves the cursor over the edge of the scroll region."""
        terminal = self._terminal
        if name == "RI":
            return terminal.y == terminal.top
        return name in ("\n", "IND") and terminal.y == terminal.bottom

    def _is_above(self, y: int, x: int) -> bool:
        """Whether painting here goes back behind what was painted last."""
        if x >= self._terminal.width:
            y, x = y + 1, 0
        return self._end is not None and (y, x) < self._end and not self._only_backspaces

    def _is_at_rest(self) -> bool:
        """Whether something was painted and the cursor is in the lower right corner."""
        terminal = self._terminal
        if not terminal.is_changed or self._width is None or terminal.x < self._width - 1:
            return False
        if self._learns_height:
            if not self._was_moved:
                return False  # a row that is full
            # curses goes to the last column only to paint there or to rest
            self._learns_height = False
            self._set_size(terminal.y + 1, self._width)
        self._rests |= self._is_corner()
        return self._is_corner()

    def _is_corner(self) -> bool:
        return self._terminal.y + 1 == self._height and self._terminal.x + 1 >= (self._width or MAX_COLUMNS)

    # what the stream says about the size

    def _look_ahead(self, token: re.Match[str]) -> None:
        """What a token says about the size before it is applied."""
        if token.lastindex == TEXT:
            row = int(token[1]) if token[1] else self._terminal.y + 1
            if self._learns_width and row > 1:
                self._take_width()
            self._grow(row, int(token[2] or 0))
            return
        name = _name(token)
        if name == "J" and (token[5] == "2" or self._terminal.y == self._terminal.x == 0):
            self._begin_again()
        elif name in ("d", "H") and token[5]:
            row, column = [*parameters(token[5]), 0][:2]
            if name == "d" or column == self._width:
                self._grow(row, 0)

    def _begin_again(self) -> None:
        """The screen is cleared: after a resize, or as a program begins. Any width may follow."""
        self._learns_width = self._learns_height = self._is_new = True
        self._terminal.erase_rows(0, self._terminal.height)
        self._set_size(self._height, None)

    def _take_width(self) -> None:
        """The header of watch ends in the last column; without a header the width is as before."""
        self._learns_width = False
        if _is_header(self._terminal.text(0)):
            self._known_width = self._terminal.end_of_text(0)
        if self._known_width != self._width:
            self._set_size(self._height, self._known_width)

    def _grow(self, row: int, column: int) -> None:
        """Nothing is painted outside of the screen."""
        if self._terminal.height < row <= MAX_ROWS:
            self._set_size(row, self._width)
        if self._width is not None and self._width < column <= MAX_COLUMNS:
            self._known_width = column
            self._set_size(self._height, column)

    def _take_region(self, numbers: Sequence[int]) -> None:
        """A scroll region from the first row on is the whole screen, as long as nothing is painted."""
        top, bottom = [*numbers, 0, 0][:2]
        if top <= 1 and bottom > 1 and self._is_new:
            self._set_size(min(bottom, MAX_ROWS), self._width)

    def _set_size(self, height: int | None, width: int | None) -> None:
        if (height, width) != (self._height, self._width):
            self._height, self._width = height, width
            self._terminal.resize(height or MAX_ROWS, width or MAX_COLUMNS)

    # the state of a change

    def _look_back(self, token: re.Match[str]) -> None:
        """Note where a token that was applied has left the change."""
        terminal = self._terminal
        if token.lastindex == TEXT:
            self._end, self._only_backspaces = (terminal.y, terminal.x), True
            self._was_moved = self._is_new = False
            return
        name = _name(token)
        if name in _PAINTS:
            self._end, self._only_backspaces = (terminal.y, terminal.x), True
            self._was_moved = False
        elif self._moves(name):
            self._was_moved, self._only_backspaces = True, False
        if name == "r":
            self._take_region(parameters(token[5]))

    def _screen(self, position: int) -> Iterator[Screen]:
        """The screen as it is now, unless no text has changed or a part of it was never painted."""
        terminal = self._terminal
        self._end = None
        rows = [*self._rows, *[""] * terminal.used][: terminal.used]
        for y in terminal.changed_rows():
            text = rows[y] = terminal.text(y)
            if UNPAINTED in text:
                self._unpainted.add(y)
            else:
                self._unpainted.discard(y)
        while rows and not rows[-1].strip(UNPAINTED):
            rows.pop()
        changed = rows != self._rows
        self._rows = rows
        if changed and not any(y < len(rows) for y in self._unpainted):
            yield Screen(tuple(rows), position, self._height, self._width, self._is_corner())


def _is_header(text: str) -> bool:
    """Whether the first row is the header of watch and not a date that the command prints."""
    return (text.startswith(" ") or ": " in text) and _HEADER_END.search(text) is not None


def _name(token: re.Match[str]) -> str:
    """The final letter of a sequence without private mark, IND and RI, or the control character."""
    kind = token.lastindex
    if kind == SEQUENCE:
        return "" if token[4] else token[6]
    if kind == SHORT:
        return {"D": "IND", "M": "RI"}.get(token[9], "")
    return token[10] if kind == CONTROL else ""
