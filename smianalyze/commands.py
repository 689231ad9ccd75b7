"""The group of commands: a file in place of a command is told what it lacks."""

from __future__ import annotations

from pathlib import Path

import click

from smianalyze import safe


class Commands(click.Group):
    """Commands of which ``report`` is suggested for a file that stands alone."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, see ``click.Group``."""
        name = args[0]
        if self.get_command(ctx, name) is None and Path(name).exists():
            given = " ".join(safe.line(arg, 60) for arg in args)
            raise click.UsageError(
                f"{safe.line(name, 60)} is no command but a file. Did you mean: smianalyze report {given}", ctx
            )
        return super().resolve_command(ctx, args)
