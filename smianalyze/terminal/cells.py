"""The cells of a terminal and the cursor in them: printing, erasing and scrolling, text only and within limits."""

from __future__ import annotations

import unicodedata

MAX_COLUMNS = 1_000
MAX_ROWS = 500
MAX_MARKS = 8  # combining marks that a cell keeps; text of a real language has three at most
UNPAINTED = "\0"

Cells = str | list[str]
"""The cells of a row: a text where each cell holds one narrow character, which nearly all rows are; else a list,
in which the right half of a double-width character is an empty string."""


class ScreenCells:
    """A screen of a known or assumed size; a cell that nobody has painted is told from a blank.

    Attributes:
        height: Rows of the screen.
        width: Columns of the screen.
        rows: Cells of each row.
        used: Rows from the first one to the last that was written to since the screen was cleared.
        y: Row of the cursor, from 0.
        x: Column of the cursor, from 0; ``width`` while the next character wraps.
        top: First row of the scroll region.
        bottom: Last row of the scroll region.
        wraps: Whether text goes on in the next row.
        wraps_late: Whether it does so with the next character only (all terminals but TERM=ansi).
        inserts: Whether text moves what is right of it.
    """

    def __init__(self, height: int, width: int, *, wraps_late: bool = True) -> None:
        """Begin with an unpainted screen."""
        self.height = max(1, min(height, MAX_ROWS))
        self.width = max(1, min(width, MAX_COLUMNS))
        self.wraps_late = wraps_late
        self._dirty: set[int] = set()
        self._moved = (self.height, 0)  # from here up to there rows were moved or blanked since the last look
        self.reset(UNPAINTED)

    def reset(self, fill: str) -> None:
        """Begin again with the same size."""
        self._blank = " " * self.width
        self.rows: list[Cells] = [fill * self.width] * self.height
        self.touch(0, self.height)
        self.used = 0
        self.y = self.x = self.top = 0
        self.bottom = self.height - 1
        self.wraps, self.inserts = True, False

    def resize(self, height: int, width: int) -> None:
        """Cut or extend the screen at its right and lower edges; the cursor stays inside."""
        height, width = max(1, min(height, MAX_ROWS)), max(1, min(width, MAX_COLUMNS))
        was_blank = self.rows.count(self._blank) == self.height
        self._blank = " " * width
        if was_blank:
            self.rows = [self._blank] * self.height
        elif width != self.width:
            self.rows = [fitted(row, width) for row in self.rows]
        self.rows = self.rows[:height] + [self._blank] * (height - self.height)
        self.height, self.width = height, width
        self.used = min(self.used, height)
        self.top, self.bottom = 0, height - 1
        self.y, self.x = min(self.y, height - 1), min(self.x, width)

    @property
    def is_changed(self) -> bool:
        """Whether a row may have changed since the last look."""
        return bool(self._dirty) or self._moved[0] < self._moved[1]

    def changed_rows(self) -> set[int]:
        """Rows that may have changed since the last call."""
        rows = {row for row in self._dirty if row < self.used}
        rows.update(range(self._moved[0], min(self._moved[1], self.used)))
        self._dirty.clear()
        self._moved = (self.height, 0)
        return rows

    def touch(self, start: int, end: int) -> None:
        """These rows may have changed."""
        self._moved = (min(start, self._moved[0]), max(end, self._moved[1]))

    def end_of_text(self, row: int) -> int:
        """The column behind the last character of a row that is no blank."""
        cells = self.rows[row]
        if isinstance(cells, str):
            return len(cells.rstrip(" "))
        return next((x for x in range(self.width, 0, -1) if cells[x - 1] != " "), 0)

    def text(self, row: int) -> str:
        """The characters of a row without blanks at the end."""
        cells = self.rows[row]
        if cells is self._blank:
            return ""
        return (cells if isinstance(cells, str) else "".join(cells)).rstrip(" ")

    def write(self, text: str) -> None:
        """Print text at the cursor."""
        if text.isascii():
            self._write_narrow(text)
            return
        for character in text:
            if character > "\u02ff" and unicodedata.category(character) in ("Mn", "Me", "Cf"):
                self._add_mark(character)
            elif unicodedata.east_asian_width(character) in "WF":
                self._write_wide(character)
            else:
                self._write_narrow(character)

    def _write_narrow(self, text: str) -> None:
        while text:
            room = self._room(1)
            piece, text = text[:room], text[room:]
            if text and not self.wraps:
                piece, text = piece[:-1] + text[-1], ""
            if self.inserts:
                self.insert_cells(len(piece))
            end = self.x + len(piece)
            self._put(self.x, end, piece)
            self._end_write(end)

    def _put(self, start: int, end: int, text: str) -> None:
        """Let these columns of the cursor's row hold this text, a narrow character each."""
        self._note_change()
        row = self.rows[self.y]
        if isinstance(row, str):
            self.rows[self.y] = row[:start] + text + row[end:]
        else:
            self._part_wide(row, start, end)
            row[start:end] = text

    def _write_wide(self, character: str) -> None:
        if self.width < 2:
            return
        self._room(2)
        if self.inserts:
            self.insert_cells(2)
        row = self._listed_row()
        self._part_wide(row, self.x, self.x + 2)
        row[self.x : self.x + 2] = (character, "")
        self._end_write(self.x + 2)

    def _room(self, needed: int) -> int:
        """Columns left in this row, after wrapping to the next one if they are too few."""
        if self.width - self.x < needed:
            if self.wraps:
                self.x = 0
                self.line_feed()
            else:
                self.x = self.width - needed
        return self.width - self.x

    def _end_write(self, x: int) -> None:
        self.x = x if self.wraps else min(x, self.width - 1)
        if x >= self.width and self.wraps and not self.wraps_late:
            self.x = 0
            self.line_feed()

    def _add_mark(self, mark: str) -> None:
        """A combining mark belongs to the character before the cursor."""
        row = self._listed_row()
        x = self.x - 1
        if x > 0 and not row[x]:
            x -= 1
        if x >= 0 and len(row[x]) <= MAX_MARKS:
            row[x] += mark

    def _note_change(self) -> None:
        self._dirty.add(self.y)
        if self.used <= self.y:
            self.used = self.y + 1

    def _listed_row(self) -> list[str]:
        """The cells of the cursor's row as a list, to be changed."""
        self._note_change()
        row = self.rows[self.y]
        if isinstance(row, str):
            row = self.rows[self.y] = list(row)
        return row

    def _part_wide(self, row: list[str], start: int, end: int) -> None:
        """Blank the halves of double-width characters that a change of these cells parts."""
        if start < self.width and not row[start]:
            row[start - 1] = row[start] = " "
        if end < self.width and not row[end]:
            row[end - 1] = row[end] = " "

    def line_feed(self) -> None:
        """One row down, scrolling at the end of the region."""
        self.x = min(self.x, self.width - 1)
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        elif self.y < self.height - 1:
            self.y += 1

    def reverse_line_feed(self) -> None:
        """One row up, scrolling at the start of the region."""
        self.x = min(self.x, self.width - 1)
        if self.y == self.top:
            self.scroll(self.top, -1)
        elif self.y > 0:
            self.y -= 1

    def scroll(self, top: int, count: int) -> None:
        """Move the rows from ``top`` to the end of the region up, or down below 0."""
        end = self.bottom + 1
        count = max(top - end, min(count, end - top))
        blank = [self._blank] * abs(count)
        if count > 0:
            del self.rows[top : top + count]
            self.rows[end - count : end - count] = blank
        else:
            del self.rows[end + count : end]
            self.rows[top:top] = blank
        self.touch(top, end)
        if self.used > top:
            self.used = max(self.used, end)

    def scroll_at_cursor(self, count: int) -> None:
        """Delete lines at the cursor, or insert them below 0."""
        if self.top <= self.y <= self.bottom:
            self.scroll(self.y, count)
            self.x = 0

    def erase_cells(self, start: int, end: int) -> None:
        """Blank these columns of the cursor's row."""
        end = min(end, self.width)
        if start == 0 and end == self.width:
            self._note_change()
            self.rows[self.y] = self._blank
        else:
            self._put(start, end, " " * (end - start))

    def erase_rows(self, start: int, end: int) -> None:
        """Blank whole rows."""
        self.rows[start:end] = [self._blank] * (end - start)
        self.touch(start, end)
        if end == self.height:
            self.used = min(self.used, start)

    def insert_cells(self, count: int) -> None:
        """Move what is at the cursor and right of it to the right."""
        self.x = min(self.x, self.width - 1)
        count = min(count, self.width - self.x)
        self._move_cells(self.x, self.width - count, blanks_before=count)

    def delete_cells(self, count: int) -> None:
        """Remove cells at the cursor; what is right of them moves left."""
        self.x = min(self.x, self.width - 1)
        count = min(count, self.width - self.x)
        self._move_cells(self.x + count, self.width, blanks_behind=count)

    def _move_cells(self, start: int, end: int, *, blanks_before: int = 0, blanks_behind: int = 0) -> None:
        """Let these cells of the cursor's row stand at the cursor, with blanks before or behind them."""
        self._note_change()
        row = self.rows[self.y]
        if isinstance(row, str):
            moved = " " * blanks_before + row[start:end] + " " * blanks_behind
            self.rows[self.y] = row[: self.x] + moved
            return
        self._part_wide(row, self.x, start if blanks_behind else self.width)
        row[self.x :] = [*" " * blanks_before, *row[start:end], *" " * blanks_behind]


def fitted(row: Cells, width: int) -> Cells:
    """A row cut or extended with blanks to so many columns."""
    if isinstance(row, str):
        return row[:width].ljust(width)
    return [*row[:width], *" " * (width - len(row))]
