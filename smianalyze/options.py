"""Options of commands, most of them shared; what they need is imported when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, TypeVar

import click

from smianalyze.columns import FRAMES
from smianalyze.language import LANGUAGES, Language, of_locale, speaking

Command = TypeVar("Command", bound=Callable[..., object])

INPUT = click.Path(allow_dash=True)  # any text; the type lets a shell complete names of files
files = click.argument("files", nargs=-1, required=True, metavar="FILE…", type=INPUT)


def finding_ids(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """The finding ids that start so, for a shell to complete."""
    from smianalyze.analyses.explanations import EXPLANATIONS

    return [finding_id for finding_id in EXPLANATIONS if finding_id.startswith(start)]


def _limits(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """What --fail-on takes and starts so."""
    from smianalyze.findings import SEVERITIES

    severities = [severity for severity in SEVERITIES if severity.startswith(start)]
    return severities + finding_ids(context, parameter, start)


def _checked(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A severity or a finding id, as --fail-on takes it."""
    if value is None:
        return None
    from smianalyze.findings import SEVERITIES

    if value in SEVERITIES:
        return value
    from smianalyze.report.explanation import checked_id

    return checked_id(value)


def _speak(context: click.Context, _: click.Parameter, value: Language | None) -> None:
    """Speak the language until the command has ended."""
    context.with_resource(speaking(value or of_locale()))


language = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    callback=_speak,
    is_eager=True,  # before what is said about other options
    expose_value=False,
    help="Language of what is said.  [default: that of the locale]",
)
mask = click.option(
    "--mask",
    type=click.Choice(["default", "all", "none"]),
    default="default",
    show_default=True,
    help="How much of names, paths and hosts is hidden.",
)
folder = click.option("-o", "--output", default="smi-report", show_default=True, help="Folder of the report.")
html = click.option("--html", is_flag=True, help="Write report.html too: one file that holds the charts.")
csv_columns = click.option(
    "--csv-columns",
    metavar="FIELDS",
    help="Fields of a --query-gpu CSV without a header line, in order: timestamp,index,…",
)
timing = click.option(
    "--timing", metavar="FILE", type=INPUT, help="Timing file that script wrote with the first input."
)
force = click.option("--force", is_flag=True, help="Replace what stands at the target.")
fail_on = click.option(
    "--fail-on",
    metavar="SEVERITY|ID",
    callback=_checked,
    shell_complete=_limits,
    help="Exit with 3 on a finding of this severity (info, low, medium, high) or above, or with this id.",
)
frame = click.option(
    "--frame",
    type=click.Choice([*FRAMES]),
    default="gpus",
    show_default=True,
    help="Which frame.",
)
file_format = click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "json", "parquet"]),
    default="csv",
    show_default=True,
    help="How it is written.",
)
page = click.option("-o", "--output", metavar="FOLDER", help="Write a page with charts into this folder too.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print no findings.")
no_color = click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR set.")


class Shown(TypedDict):
    """How findings are printed, and what they do to the exit code."""

    fail_on: str | None
    quiet: bool
    no_color: bool


def several(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, shown in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
