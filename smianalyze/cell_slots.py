"""Cells that were met, found by a hash of their words: for many cells at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smianalyze.offsets import Words
from smianalyze.shapes import Flags, Indexes

_MIX = np.uint64(0x9E3779B97F4A7C15)  # any odd number: it mixes the words of a cell
_NO_TEXT = (1 << 64) - 1  # words that are no UTF-8
_SIZES = (6, 9, 12)  # binary digits of a slot's number: the first that keeps all cells apart is taken
_MOST = 512  # cells with a slot …
_WORDS = 8  # … and words of each: other cells are told apart anew in each block


class Slots:
    """A slot for each cell by a hash of its words; a cell whose slot is another one's has none.

    Attributes:
        count: How many words the longest cell has.
    """

    def __init__(self) -> None:
        """No cells."""
        self.count = 0
        self._known = np.zeros((0, 0), np.uint64)
        self._codes = np.zeros(0, np.int64)
        self._fill()

    def codes(self, words: Sequence[Words]) -> tuple[Indexes, Flags]:
        """The code of each cell, and whether it has one.

        Args:
            words: Of each cell, from its end on; :attr:`count` or more.
        """
        count = len(self._slot_words)
        slots = self._slots(words[:count], self._size)
        codes = self._slot_codes[slots]
        is_same = words[0] == self._slot_words[0][slots]
        for known, word in zip(self._slot_words[1:], words[1:count], strict=True):
            is_same &= word == known[slots]
        for word in words[count:]:
            is_same &= word == 0
        return codes, is_same

    def add(self, words: Sequence[Words], codes: Indexes) -> None:
        """Find some cells from now on.

        Args:
            words: Of each of them.
            codes: Their codes.
        """
        if len(self._codes) == _MOST:
            return
        given = np.array(words)
        fit = ~given[_WORDS:].any(axis=0)
        self.count = max(self.count, min(len(words), _WORDS))
        known = np.zeros((self.count, len(self._codes) + int(fit.sum())), np.uint64)
        known[: len(self._known), : len(self._codes)] = self._known
        known[: len(words), len(self._codes) :] = given[: self.count, fit]
        self._known = known[:, :_MOST]
        self._codes = np.concatenate((self._codes, codes[fit]))[:_MOST]
        self._fill()

    def _fill(self) -> None:
        for self._size in _SIZES:
            slots = self._slots(self._known, self._size)
            if len(np.unique(slots)) == len(slots):
                break
        slots = slots[::-1]  # the first of two stays
        self._slot_codes = np.zeros(1 << self._size, np.int64)
        self._slot_codes[slots] = self._codes[::-1]
        self._slot_words = np.full((max(1, self.count), 1 << self._size), _NO_TEXT, np.uint64)
        self._slot_words[: self.count, slots] = self._known[:, ::-1]

    @staticmethod
    def _slots(words: Sequence[Words] | Words, size: int) -> Indexes:
        mixed = np.zeros(0, np.uint64)
        for place, word in enumerate(words):
            mixed = word * _MIX if place == 0 else (mixed ^ word) * _MIX
        return (mixed >> np.uint64(64 - size)).view(np.int64)
