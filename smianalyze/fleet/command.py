"""The command ``smianalyze fleet``; heavy imports stand inside, so that ``--help`` answers at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from smianalyze import options, safe
from smianalyze.errors import OutputFailed, UnreadableInput
from smianalyze.language import lang_option, say, sentences
from smianalyze.progress import Progress, on_terminal
from smianalyze.quantities import counted
from smianalyze.wrapping import wrapped

if TYPE_CHECKING:
    from smianalyze.fleet.run import FleetRun, Work
    from smianalyze.masking import Level

NO_PYARROW = "A dataset needs pyarrow: pip install 'smianalyze[fleet]'."


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "dataset", required=True, type=click.Path(path_type=Path), help="Folder of the dataset.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes at once.  [default: one for each core]")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler whose workers do it.  [default: of Dask's configuration]",
)
@click.option(
    "--layout",
    metavar="PATTERN",
    help="Where below FOLDER a path tells host and run: '{host}/{run}/*.log'.",
)
@click.option("-o", "--output", default="fleet-report", show_default=True, help="Folder of the report.")
@options.several(options.mask, options.language, options.force, options.quiet)
def fleet(
    folder: Path,
    dataset: Path,
    workers: int | None,
    scheduler: str | None,
    layout: str | None,
    output: str,
    mask: Level,
    force: bool,
    quiet: bool,
) -> None:
    """Read a folder of captures into a Parquet dataset and report on all its hosts.

    What is in the dataset already and did not change is not read again.

    Example: smianalyze fleet fixtures/demo --to dataset
    """
    try:
        from smianalyze.fleet.engine import chosen_engine
        from smianalyze.fleet.report import About, write_report
        from smianalyze.fleet.run import update
    except ModuleNotFoundError as error:
        raise OutputFailed(NO_PYARROW) from error
    from smianalyze.masking import Masker
    from smianalyze.output import check_target

    if not folder.is_dir():
        raise UnreadableInput(f"{folder}: there is no such folder.")
    check_target(Path(output), force=force)
    engine = chosen_engine(workers, scheduler)
    command = ["smianalyze", "fleet", str(folder), "--to", str(dataset), *(["--layout", layout] if layout else [])]
    with on_terminal(quiet=quiet) as progress:
        run = update(folder, dataset, layout=layout, engine=engine, progress=partial(_show_work, progress))
        about = About(masker=Masker(mask), command=[*command, *lang_option()], engine=engine)
        said = write_report(dataset, Path(output), run=run, about=about, progress=partial(_show_pages, progress))
    if not quiet:
        written = say("Written: {place}", place=Path(output) / "report.md")
        click.echo(safe.line(sentences(_account(run), written), 500), err=True)
        for verdict in said:
            click.echo(wrapped(verdict.plain))


def _account(run: FleetRun) -> str:
    parts = [
        say("{captures} read", captures=counted(run.read, "capture")),
        say("{unchanged:,} unchanged", unchanged=run.unchanged),
    ]
    parts += [say("{removed:,} taken out", removed=run.removed)] if run.removed else []
    parts += [say("{faults:,} could not be read", faults=len(run.faults))] if run.faults else []
    parts += [say("{files} outside the layout", files=counted(len(run.outside), "file"))] if run.outside else []
    return say("{clause}.", clause=say(", ").join(parts))


def _show_work(progress: Progress, work: Work) -> None:
    name = f"{work.captures:,} of {counted(work.of_captures, 'capture')}"
    if not work.captures:
        progress.stage(name, work.of_size)
    progress.advance(work.size - progress.done, name=name)


def _show_pages(progress: Progress, made: int, total: int) -> None:
    if not made:
        progress.stage("pages of the worst runs", total, unit="pages")
    else:
        progress.advance()
