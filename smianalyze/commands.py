"""The group of commands: what was meant by a word that is none of them."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from smianalyze import safe

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
