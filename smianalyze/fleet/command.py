"""The command ``smianalyze fleet``; heavy imports stand inside, so that ``--help`` answers at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from smianalyze import options, safe
from smianalyze.errors import OutputFailed, UnreadableInput
from smianalyze.quantities import counted

if TYPE_CHECKING:
    from smianalyze.fleet.run import FleetRun, Progress
    from smianalyze.masking import Level

MB = 1_000_000
NO_PYARROW = "A dataset needs pyarrow: pip install 'smianalyze[fleet]'."


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "dataset", required=True, type=click.Path(path_type=Path), help="Folder of the dataset.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes at once.  [default: one for each core]")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers do it.")
@click.option(
    "--layout",
    metavar="PATTERN",
    help="Where below FOLDER a path tells host and run: '{host}/{run}/*.log'.",
)
@click.option("-o", "--output", default="fleet-report", show_default=True, help="Folder of the report.")
@options.several(options.mask, options.force, options.quiet)
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
        from smianalyze.fleet.engine import Engine
        from smianalyze.fleet.report import write_report
        from smianalyze.fleet.run import update
    except ModuleNotFoundError as error:
        raise OutputFailed(NO_PYARROW) from error
    from smianalyze.masking import Masker
    from smianalyze.output import check_target

    if not folder.is_dir():
        raise UnreadableInput(f"{folder}: there is no such folder.")
    check_target(Path(output), force=force)
    with _progress(shown=sys.stderr.isatty() and not quiet) as progress:
        engine = Engine(workers=workers, scheduler=scheduler)
        run = update(folder, dataset, layout=layout, engine=engine, progress=progress)
    command = ["smianalyze", "fleet", str(folder), "--to", str(dataset), *(["--layout", layout] if layout else [])]
    write_report(dataset, Path(output), run=run, masker=Masker(mask), command=command)
    if not quiet:
        click.echo(safe.line(f"{_account(run)} Written: {Path(output) / 'report.md'}", 500), err=True)


def _account(run: FleetRun) -> str:
    parts = [f"{counted(run.read, 'capture')} read", f"{run.unchanged:,} unchanged"]
    parts += [f"{run.removed:,} taken out"] if run.removed else []
    parts += [f"{len(run.faults):,} could not be read"] if run.faults else []
    parts += [f"{counted(len(run.outside), 'file')} outside the layout"] if run.outside else []
    return f"{', '.join(parts)}."


@contextmanager
def _progress(*, shown: bool) -> Iterator[Progress | None]:
    """A line with rate and time left while captures are read, on a terminal only."""
    if not shown:
        yield None
        return
    start = time.monotonic()
    with click.progressbar(length=1, file=sys.stderr, label="captures", show_pos=True) as bar:

        def tell(done: int, count: int, size: int) -> None:
            bar.length = count
            bar.label = f"captures, {size / MB / (time.monotonic() - start):,.1f} MB/s"
            bar.update(done - bar.pos)

        yield tell
