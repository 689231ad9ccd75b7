"""The library's front door: load inputs, look at the frames, ask for findings, write the report."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from smianalyze import figures
from smianalyze.analyses import find
from smianalyze.analyses.comparison import compare as compare_frames
from smianalyze.analyses.comparison import compare_run
from smianalyze.columns import FRAMES
from smianalyze.compared import Comparison
from smianalyze.export import learn_names
from smianalyze.findings import Finding, Findings
from smianalyze.frames import Frames
from smianalyze.language import Language, lang_option, speaking, spoken
from smianalyze.masking import Level, Masker
from smianalyze.output import check_target, write_folder
from smianalyze.plots import Plots
from smianalyze.progress import current, each
from smianalyze.reading import read_inputs
from smianalyze.rendered import Shown
from smianalyze.report import HTML, REPORTS, Chart, ReportContent
from smianalyze.report.summary import capture_summary
from smianalyze.source import Input, from_text, open_inputs
from smianalyze.written import Report

DEFAULT_FOLDER = "smi-report"
NOT_A_FILE = ("<stdin>", "<text>")  # names of inputs that came through a pipe or as a string


@dataclass(frozen=True, eq=False)
class Capture(Shown):
    """What was read from one or more inputs.

    Attributes:
        frames: All frames; each is also an attribute of the capture (``capture.gpus`` …). Long and tidy, one row
            a thing, nullable dtypes: unknown is ``pd.NA``, never 0. Every row has ``source`` and ``line``.

    Example:
        >>> capture = load("smi_before.txt", "smi_after.txt")
        >>> capture.gpus.groupby("gpu_index")["memory_used_mib"].max().tolist()
        [31022, 27533]
    """

    frames: Frames

    @property
    def snapshots(self) -> pd.DataFrame:
        """One row for each nvidia-smi print, or tick of a series."""
        return self.frames.snapshots

    @property
    def gpus(self) -> pd.DataFrame:
        """One row for each GPU in each snapshot."""
        return self.frames.gpus

    @property
    def processes(self) -> pd.DataFrame:
        """One row for each process on each GPU in each snapshot."""
        return self.frames.processes

    @property
    def mig_devices(self) -> pd.DataFrame:
        """One row for each MIG device in each snapshot."""
        return self.frames.mig_devices

    @property
    def vgpus(self) -> pd.DataFrame:
        """One row for each vGPU of a host in each snapshot."""
        return self.frames.vgpus

    @property
    def devices(self) -> pd.DataFrame:
        """One row for each line of ``nvidia-smi -L``."""
        return self.frames.devices

    @property
    def links(self) -> pd.DataFrame:
        """One row for each pair of ``nvidia-smi topo -m``."""
        return self.frames.links

    @property
    def hosts(self) -> pd.DataFrame:
        """One row for each sample of ``top`` and each ``lscpu``."""
        return self.frames.hosts

    @property
    def host_processes(self) -> pd.DataFrame:
        """One row for each process in each sample of ``top``."""
        return self.frames.host_processes

    @property
    def steps(self) -> pd.DataFrame:
        """One row for each metric record of a training log."""
        return self.frames.steps

    @property
    def events(self) -> pd.DataFrame:
        """One row for each message with a meaning: an error, a lost GPU."""
        return self.frames.events

    @property
    def problems(self) -> pd.DataFrame:
        """One row for each line that looked like ours and could not be read."""
        return self.frames.problems

    @property
    def inputs(self) -> pd.DataFrame:
        """One row for each input; ``lines == used + ignored + problem_lines``."""
        return self.frames.inputs

    @cached_property
    def comparison(self) -> Comparison | None:
        """Before against after, where the capture has two snapshots or more."""
        return Comparison.of(compare_run(self.frames))

    @cached_property
    def plot(self) -> Plots:
        """Its pictures: ``plot.timeline()``, ``memory``, ``utilization``, ``power``, ``steps``, ``comparison``.

        Example:
            >>> load("smi_before.txt", "smi_after.txt").plot.comparison().get_suptitle()
            'GPU 0 also holds a context of PID 813: 612 MiB'
        """
        return Plots(self.frames, self.comparison)

    def findings(self, *, lang: Language | None = None) -> list[Finding]:
        """What is wrong, the most severe first; empty when nothing stands out.

        Args:
            lang: Language of the texts, ``en`` or ``zh``; if not given, the one that is spoken: English outside of
                :func:`smianalyze.language.speaking`.

        Example:
            >>> [finding.id for finding in load("smi_before.txt", "smi_after.txt").findings()]
            ['primary-card-overhead']
        """
        language = lang or spoken()
        if language not in self._findings:
            with speaking(language):
                self._findings[language] = find(self.frames, self.comparison)
        return Findings(self._findings[language])

    @cached_property
    def _findings(self) -> dict[Language, list[Finding]]:
        return {}

    def report(
        self,
        folder: str | Path = DEFAULT_FOLDER,
        *,
        force: bool = False,
        mask: Level = "default",
        html: bool = False,
        lang: Language | None = None,
    ) -> Report:
        """Write ``report.md``, ``report.json`` and the charts into a folder, as a whole or not at all.

        Args:
            folder: Made by this call; ``smi-report`` below the working directory if not given.
            force: Replace a report that stands there.
            mask: How much of names and paths is hidden: ``default``, ``all`` or ``none``.
            html: Write ``report.html`` too, one file that holds the charts.
            lang: As of :meth:`findings`.

        Raises:
            OutputExists: The folder is there and ``force`` is not set, or it is no report of ours.
            OutputFailed: It could not be written.

        Example:
            >>> load("smi_before.txt", "smi_after.txt").report("out", html=True)
            <Report: out, 1 finding>
        """
        target = Path(folder)
        check_target(target, force=force)
        with speaking(lang or spoken()):
            content = self.content(Masker(mask))
        written = (*REPORTS, HTML) if html else REPORTS
        files = content.pictures | {
            file.file_name: file.text(content).encode("utf-8", "backslashreplace") for file in written
        }
        write_folder(target, files, force=force, private=mask == "none")
        return Report(target, tuple(content.findings), content)

    def content(self, masker: Masker) -> ReportContent:
        """What a report of it holds, its pictures included.

        Args:
            masker: Hides names.
        """
        learn_names([getattr(self.frames, name) for name in FRAMES], masker)
        findings = self.findings()
        current().stage("pictures", unit="")
        pictures = figures.pictures(self.frames, self.comparison, masker=masker, findings=findings)
        return ReportContent(
            frames=self.frames,
            comparison=self.comparison,
            findings=findings,
            masker=masker,
            command=self._command(masker),
            charts=[
                Chart(one.file_name, one.title, figures.png(one.figure))
                for one in each("pictures", pictures, unit="pictures")
            ],
            drawn_in=figures.drawn_language(),
        )

    def _command(self, masker: Masker) -> str:
        names = [str(name) for name in self.inputs["source"]]
        return shlex.join(
            [
                "smianalyze",
                "report",
                *("-" if name in NOT_A_FILE else masker.source(name) for name in names),
                *lang_option(),
            ]
        )

    def _repr_markdown_(self) -> str:
        return capture_summary(self.frames, self.comparison, self.findings())

    def __repr__(self) -> str:
        """One line: how much was read."""
        return (
            f"<Capture: {len(self.inputs)} inputs, {len(self.snapshots)} snapshots, {len(self.gpus)} GPU rows,"
            f" {len(self.processes)} process rows, {len(self.events)} events, {len(self.problems)} problems>"
        )


@speaking("en")
def load(
    *inputs: Input,
    host: str | None = None,
    csv_columns: str | None = None,
    timing: str | Path | None = None,
    compact: bool = False,
) -> Capture:
    """Read files, globs, folders (every readable file, sorted), ``-`` (standard input) and open binary files.

    Frames are data: what they say of a damaged line is English whatever is spoken.

    Args:
        inputs: What to read; text goes to :func:`loads`.
        host: Name of the host that the inputs come from.
        csv_columns: Fields in order, separated by commas, of a ``--query-gpu`` CSV without a header line.
        timing: The timing file that ``script`` wrote with the first input; one beside it under the usual name is
            found without.
        compact: Make frames that take less memory, whose numbers may be ``Int32``, and that must not be written
            to; findings and reports are the same.

    Raises:
        UnreadableInput: An input is missing, is no text, or its compression is broken. A member of a folder
            that cannot be read is a row of ``problems`` instead.

    Example:
        >>> load("smi_before.txt", "smi_after.txt")
        <Capture: 2 inputs, 2 snapshots, 4 GPU rows, 7 process rows, 0 events, 0 problems>
    """
    sources = open_inputs(*inputs, timing=timing)
    return Capture(read_inputs(sources, host=host, csv_columns=fields_of(csv_columns), compact=compact))


@speaking("en")
def loads(text: str, *, host: str | None = None, csv_columns: str | None = None) -> Capture:
    """Read a text, such as a pasted table; the arguments are those of :func:`load`.

    Example:
        >>> loads("0, 31022 MiB", csv_columns="index,memory.used").gpus["memory_used_mib"].tolist()
        [31022]
    """
    return Capture(read_inputs([from_text(text)], host=host, csv_columns=fields_of(csv_columns)))


def fields_of(csv_columns: str | None) -> tuple[str, ...] | None:
    """Fields of a CSV in order, as a user names them."""
    return None if csv_columns is None else tuple(field.strip() for field in csv_columns.split(","))


def compare(before: Capture, after: Capture) -> Comparison | None:
    """Two captures side by side: the first snapshot of one against the last of the other.

    Returns:
        None where one of them has no snapshot.

    Example:
        >>> compare(load("smi_before.txt"), load("smi_after.txt"))
        <Comparison: 2 cards, 5 process rows, primary GPU 0>
    """
    return Comparison.of(compare_frames(before.frames, after.frames))
