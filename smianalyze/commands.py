"""What commands have in common: what was meant by a word that is none of them, and how inputs are read."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from smianalyze import progress, safe
from smianalyze.columns import FRAMES
from smianalyze.errors import UnknownFormat

if TYPE_CHECKING:
    from smianalyze.capture import Capture

LETTERS = 60
"""A word or a file name is cut here."""


class Commands(click.Group):
    """Commands of which the nearest is suggested for a wrong word, and ``report`` for a file that stands alone."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, see ``click.Group``."""
        word = args[0]
        if word.startswith("-") or self.get_command(ctx, word) or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        shown, *others = (safe.line(arg, LETTERS) for arg in args)
        if Path(word).exists():
            meant = " ".join(["smianalyze report", shown, *others])
            raise click.UsageError(f"{shown} is no command but a file. Did you mean: {meant}", ctx)
        near = difflib.get_close_matches(word, self.commands, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise click.UsageError(f"No such command {shown!r}.{hint}", ctx)


def capture_of(
    files: Sequence[str], csv_columns: str | None, timing: str | None, *, quiet: bool, compact: bool = True
) -> Capture:
    """What some inputs hold; the arguments are those of :func:`smianalyze.load`.

    Raises:
        UnknownFormat: Nothing in them is known.
        click.UsageError: Columns are named, and nothing is CSV.
    """
    from smianalyze.capture import load
    from smianalyze.hints import columns_without_csv, nothing_recognised

    with progress.shown(quiet=quiet):
        capture = load(*files, csv_columns=csv_columns, timing=timing, compact=compact)
    wrong = csv_columns and columns_without_csv(capture.inputs)
    if wrong:
        raise click.UsageError(wrong)
    if all(getattr(capture, frame).empty for frame in FRAMES if frame not in ("problems", "inputs")):
        raise UnknownFormat(nothing_recognised(capture.inputs, files))
    return capture
