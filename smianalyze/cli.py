"""The command line: options, one library call, print. The only place that prints or exits.

Heavy imports stand inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from smianalyze import __version__, options, progress, safe
from smianalyze.columns import FRAMES
from smianalyze.commands import Commands, capture_of
from smianalyze.errors import SmianalyzeError
from smianalyze.fleet.command import fleet
from smianalyze.language import say

if TYPE_CHECKING:
    from smianalyze.capture import Capture
    from smianalyze.masking import Level
    from smianalyze.run_pair import RunPair

EXIT_FOUND = 3
EXIT_INTERRUPTED = 130
_COLOURS = {"high": "red", "medium": "yellow", "low": "cyan", "info": None}


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Read what nvidia-smi and a training job left behind, and say what was wrong.

    Example: smianalyze report smi_before.txt smi_after.txt
    """


@cli.command()
@options.files
@options.folder
@options.several(options.html, options.csv_columns, options.timing, options.mask, options.language)
@options.several(options.fail_on, options.force, options.quiet, options.no_color)
def report(
    files: tuple[str, ...],
    output: str,
    html: bool,
    csv_columns: str | None,
    timing: str | None,
    mask: Level,
    force: bool,
    **shown: Unpack[options.Shown],
) -> None:
    """Read any mix of inputs and write report.md, report.json and charts.

    With two snapshots the first is before, the second after. FILE may be a file, a folder, a glob or -.

    Example: smianalyze report smi_before.txt smi_after.txt -o out
    """
    capture = capture_of(files, csv_columns, timing, quiet=shown["quiet"])
    _report(capture, output, mask=mask, force=force, html=html, **shown)


@cli.command()
@click.argument("before", type=options.INPUT)
@click.argument("after", type=options.INPUT)
@options.several(options.page, options.csv_columns, options.mask, options.language, options.fail_on)
@options.several(options.force, options.quiet, options.no_color)
def compare(
    before: str,
    after: str,
    output: str | None,
    csv_columns: str | None,
    mask: Level,
    force: bool,
    **shown: Unpack[options.Shown],
) -> None:
    """Print two snapshots, or two whole runs, side by side: BEFORE and AFTER.

    A run is a recording or a log with steps; a folder stands for all files of its run.

    Example: smianalyze compare smi_before.txt smi_after.txt
    """
    from smianalyze.run_pair import run_pair, snapshots_text

    capture = capture_of((before, after), csv_columns, None, quiet=shown["quiet"])
    pair = run_pair(capture.frames, before)
    text = pair.text() if pair else snapshots_text(capture.frames, capture.comparison, (before, after), mask=mask)
    if output is not None:
        (pair or capture).report(output, force=force, mask=mask)
    click.echo(text + "\n")
    _say(pair or capture, mask=mask, **shown)


@cli.command()
@options.files
@options.several(options.frame, options.file_format)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file; standard output if not given.")
@click.option("-q", "--quiet", is_flag=True, help="Give no hints.")
@options.several(options.csv_columns, options.timing, options.mask, options.force)
def frames(
    files: tuple[str, ...],
    frame: str,
    file_format: str,
    output: Path | None,
    quiet: bool,
    csv_columns: str | None,
    timing: str | None,
    mask: Level,
    force: bool,
) -> None:
    """Print one frame of what was read as CSV, JSON or Parquet.

    Example: smianalyze frames smi_after.txt --frame processes --format json
    """
    from smianalyze.export import check_format, exported, learn_names
    from smianalyze.hints import other_frames
    from smianalyze.masking import Masker
    from smianalyze.output import write_file

    check_format(file_format)
    masker = Masker(mask)
    if output is not None and file_format == "parquet" and timing is None:
        from smianalyze.long_export import parquet_of_long

        with progress.shown(quiet=quiet):
            chunks = parquet_of_long(files, frame, masker=masker, csv_columns=csv_columns)
            if chunks is not None:
                write_file(output, chunks, force=force, private=mask == "none")
                return
    capture = capture_of(files, csv_columns, timing, quiet=quiet, compact=False)
    learn_names([getattr(capture, name) for name in FRAMES], masker)
    hint = other_frames(capture.frames, frame)
    if hint and not quiet:
        click.echo(f"smianalyze: {hint}", err=True)
    data = exported(getattr(capture, frame), file_format, masker=masker)
    if output is None:
        click.echo(data, nl=False)
    else:
        write_file(output, data, force=force, private=mask == "none")


@cli.command()
@options.files
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file or a folder; stdout if not given.")
@click.option("--also", multiple=True, metavar="WORD", help="Replace this word too; may be given several times.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say what was replaced.")
@options.several(options.csv_columns, options.mask, options.force)
def redact(
    files: tuple[str, ...],
    output: Path | None,
    also: tuple[str, ...],
    quiet: bool,
    csv_columns: str | None,
    mask: Level,
    force: bool,
) -> None:
    """Print the input itself without users, hosts, paths, UUIDs, serials and secrets, to be posted.

    Layout and widths stay as they are, and so do all numbers. The same name has the same alias in all inputs.

    Example: smianalyze redact smi_before.txt
    """
    from smianalyze.redaction import Redactor
    from smianalyze.redaction import files as redacted_files

    redactor = Redactor(mask, also=also, csv_columns=csv_columns or "")
    notes: list[str] = []
    on_terminal = output is None and sys.stdout.isatty()
    with progress.shown(quiet=quiet or on_terminal), redacted_files.opened_twice(files) as sources:
        if output is None and len(sources()) > 1:
            raise click.UsageError("Several inputs need a folder to be written to: -o FOLDER.")
        redacted_files.learn(sources(), redactor)
        if output is not None:
            redacted_files.write_redacted(sources(), redactor, notes, output=output, force=force)
        else:
            for piece in redacted_files.printed(sources()[0], redactor, notes, on_terminal=on_terminal):
                click.echo(piece, nl=False)
    for note in [] if quiet else [*notes, redacted_files.summary(redactor)]:
        click.echo(note, err=True)


@cli.command()
@options.language
def formats() -> None:
    """List what smianalyze reads, with the command that makes each.

    Example: smianalyze formats
    """
    from smianalyze.formats import FORMATS

    for one in FORMATS:
        click.echo(f"{one.name:12} {say(one.title)}\n{'':12} {one.command}")


@cli.command()
@click.argument("finding_id", metavar="FINDING-ID", shell_complete=options.finding_ids)
@options.language
def explain(finding_id: str) -> None:
    """Say what a finding means, how it is decided and what to do.

    Example: smianalyze explain primary-card-overhead
    """
    from smianalyze.report.explanation import checked_id, explanation_text

    click.echo(explanation_text(checked_id(finding_id)))


@cli.command()
@options.folder
@options.several(options.html, options.language, options.force, options.quiet, options.no_color)
def demo(output: str, html: bool, force: bool, quiet: bool, no_color: bool) -> None:
    """Write a report from captures inside the package; needs no GPU and no file.

    Example: smianalyze demo -o demo-report
    """
    from importlib.resources import as_file, files

    with as_file(files("smianalyze.demo")) as folder:
        names = [str(folder / name) for name in ("smi_before.txt", "smi_after.txt")]
        capture = capture_of(names, None, None, quiet=quiet)
        shown: options.Shown = {"fail_on": None, "quiet": quiet, "no_color": no_color}
        _report(capture, output, mask="default", force=force, html=html, **shown)


cli.add_command(fleet)


def _report(
    capture: Capture, output: str, *, mask: Level, force: bool, html: bool, **shown: Unpack[options.Shown]
) -> None:
    with progress.shown(quiet=shown["quiet"]):
        written = capture.report(output, force=force, mask=mask, html=html)
    if not shown["quiet"]:
        place = safe.line(str(written.path / ("report.html" if html else "report.md")))
        click.echo(say("Written: {place}", place=place), err=True)
    _say(capture, mask=mask, **shown)


def _say(capture: Capture | RunPair, *, mask: Level, fail_on: str | None, quiet: bool, no_color: bool) -> None:
    """Print the findings, and end with the exit code that --fail-on asks for."""
    from smianalyze.findings import LEVELS, reaches
    from smianalyze.masking import Masker
    from smianalyze.report.to_terminal import terminal_text

    with progress.shown(quiet=quiet):
        findings = capture.findings()
    colours = {say(LEVELS[level]): colour for level, colour in _COLOURS.items()}
    coloured = False if no_color or os.environ.get("NO_COLOR") else None  # None: only on a terminal
    if not quiet:
        for line in terminal_text(findings, capture.frames, masker=Masker(mask)).splitlines():
            word = line.partition(" ")[0]
            level = click.style(word, fg=colours[word], bold=True) if word in colours else word
            click.echo(level + line.removeprefix(word), color=coloured)
    if fail_on and any(reaches(finding, fail_on) for finding in findings):
        raise SystemExit(EXIT_FOUND)


def main() -> None:
    """Run the command line; every way it can end has an exit code, and no input text reaches the terminal raw."""
    # most of a short run is imports, and the collector's default looks through them again and again
    gc.set_threshold(1_000_000, 50, 50)
    stdout = sys.stdout
    try:
        code = cli.main(prog_name="smianalyze", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except SmianalyzeError as error:
        click.echo(f"smianalyze: {safe.line(str(error), 500)}", err=True)
        code = error.exit_code
    except OSError as error:  # the disk behind standard output is full, say
        click.echo(f"smianalyze: {safe.line(error.strerror or str(error))}", err=True)
        code = 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("smianalyze: interrupted", err=True)
        code = EXIT_INTERRUPTED
    except SystemExit as ended:  # click puts another stdout where a pipe was closed: `… | head` has what it wanted
        code = ended.code if sys.stdout is stdout else 0
    except Exception:  # a fault of ours; the traceback may quote an input
        for line in traceback.format_exc().splitlines():
            click.echo(safe.line(line), err=True)
        code = 1
    gc.freeze()  # what ends with the program need not be searched for garbage first
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
