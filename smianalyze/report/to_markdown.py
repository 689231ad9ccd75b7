"""The report as Markdown: verdicts, then numbers, then pictures, then what was read and what was not."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from smianalyze import safe
from smianalyze.analyses.memory_accounting import accounting_of
from smianalyze.analyses.moment import HELD_MIB, OWN_MIB
from smianalyze.analyses.primary_card import NOISE_MIB, NOISE_SHARE, Primary
from smianalyze.analyses.unknowns import cannot_tell
from smianalyze.analyses.wording import mib
from smianalyze.cards import Card, cards, processes
from smianalyze.language import say, sentences, some, speaking, text
from smianalyze.markup import legend, prose
from smianalyze.quantities import counted, share, signed_span
from smianalyze.report.card_tables import card_table, mig_table, process_table
from smianalyze.report.content import NO_FONT, ReportContent
from smianalyze.report.log_tables import training_logs
from smianalyze.report.readings import event_table, input_table, print_table, problem_table
from smianalyze.report.series_tables import over_the_run
from smianalyze.report.verdicts import verdicts

MOST_INPUTS = 4
"""Inputs named in the title."""
MOST_HELD = 8
"""Other jobs named in the sentence about them; the table below has all."""

PROCESS_SECTIONS = {
    "none_found": text("nvidia-smi found no running process."),
    "not_supported": text("nvidia-smi cannot list processes on this card."),
    "empty": text("The process table is empty, as it is inside a container that does not share the host's PIDs."),
    "foreign": text("The process table is that of another tool."),
}
"""What an empty list of processes means; ``absent`` is the rest."""

NOT_COUNTED = text("That memory is not counted in the growth below.")


def markdown(content: ReportContent) -> str:
    """The whole report in the language of its content; the same content gives the same text."""
    with speaking(content.language):
        return "\n\n".join(_blocks(content)) + "\n"


def _blocks(content: ReportContent) -> list[str]:
    frames, masker = content.frames, content.masker
    shown = cards(frames, content.comparison)
    return [
        _title(content),
        *verdicts(content.findings, content.frames, shown, masker=masker),
        *_cards(content, shown),
        *_charts(content),
        *over_the_run(frames, masker),
        *training_logs(frames, masker),
        *_processes(content),
        *_instances(content),
        *(prose(unknown) for unknown in cannot_tell(frames)),
        *_messages(content),
        *_read(content),
    ]


def _title(content: ReportContent) -> str:
    names = [safe.code(content.masker.source(str(name))) for name in content.frames.inputs["source"]]
    prints = content.frames.snapshots["source"].nunique()
    before_after = content.comparison is not None and len(names) == prints == 2
    inputs = " → ".join(names) if before_after else some(names, most=MOST_INPUTS)
    where = f" ({safe.code(content.masker.host(content.host))})" if content.host else ""
    return say("# GPU report: {inputs}", inputs=inputs + where)


def _cards(content: ReportContent, shown: Sequence[Card]) -> list[str]:
    if not shown:
        return []
    primary = content.comparison.primary if content.comparison else None
    listed = card_table(shown, primary)
    notes = [_held_before(shown), _which_prints(content), listed, legend(listed), _besides(shown, primary)]
    return [note for note in notes if note]


def _which_prints(content: ReportContent) -> str:
    """Which prints the numbers are of, and how far apart they are."""
    prints, comparison = len(content.frames.snapshots), content.comparison
    if comparison is None:
        if prints <= 1:
            return ""
        return say("{prints:,} prints were read; the numbers are those of the last one.", prints=prints)
    said = []
    if prints > 2:
        first, second = comparison.before + 1, comparison.after + 1
        said.append(
            say(
                "Print {first:,} and print {second:,} of {prints:,} are compared.",
                first=first,
                second=second,
                prints=prints,
            )
        )
    seconds = round(comparison.elapsed_s or 0)
    apart = counted(abs(seconds), "second")
    if seconds > 0:
        said.append(say("The second print was made {apart} after the first.", apart=apart))
    if seconds < 0:
        said.append(say("The second print is {apart} older than the first: is the order right?", apart=apart))
    return sentences(*said)


def _held_before(shown: Sequence[Card]) -> str:
    """What was held before and is not part of the growth."""
    held = [
        say("{size} of PID {pid} on {card}", size=mib(process.memory.after), pid=process.pid, card=card.label)
        for card in shown
        for process in card.processes
        if process.change == "unchanged" and process.memory.after
    ]
    if held and not any(card.used_by_job for card in shown):
        return say("No process started or grew between the two prints. Both show {held}.", held=_some(held))
    if held:
        others = say("Other jobs were there before and did not change: {held}.", held=_some(held))
        return sentences(others, say(NOT_COUNTED))
    if any(card.processes for card in shown):
        return ""
    held = [
        say("{size} on {card}", size=mib(card.memory.before), card=card.label)
        for card in shown
        if card.used_by_job and card.memory.before and card.memory.before >= HELD_MIB
    ]
    if not held:
        return ""
    unknown = say("Memory was in use before, no process list says by whom: {held}.", held=_some(held))
    return sentences(unknown, say(NOT_COUNTED))


def _some(things: Sequence[str]) -> str:
    shown, left = say("; ").join(things[:MOST_HELD]), len(things) - MOST_HELD
    return say("{shown} and {left:,} more", shown=shown, left=left) if left > 0 else shown


def _besides(shown: Sequence[Card], primary: Primary | None) -> str:
    """How even the growth of the job's cards is without the contexts of other cards' processes."""
    if primary is None or primary.basis != "delta" or not primary.extra_contexts:
        return ""
    extra = sum(context.used_gpu_memory_mib for context in primary.extra_contexts)
    growth = [
        card.memory.delta - (extra if card.gpu_index == primary.gpu_index else 0)
        for card in shown
        if card.memory.delta is not None and card.gpu_index in (primary.gpu_index, *primary.peers)
    ]
    by = signed_span(growth)
    if len(primary.extra_contexts) == 1:
        return say("Without the extra context the job's cards grew by {by} MiB.", by=by)
    return say("Without the extra contexts the job's cards grew by {by} MiB.", by=by)


def _charts(content: ReportContent) -> list[str]:
    shown = [f"![{prose(chart.title)}]({chart.file_name})" for chart in content.charts]
    if not shown or content.drawn_in == content.language:
        return shown
    return [*shown, say(NO_FONT)]


def _processes(content: ReportContent) -> list[str]:
    primary = content.comparison.primary if content.comparison else None
    listed = processes(content.frames, content.comparison)
    if listed:
        shown = process_table(listed, primary, masker=content.masker)
        return [say("## Processes"), *filter(None, [shown, legend(shown), _unattributed(content)])]
    sections = content.frames.snapshots["process_section"].dropna().unique()
    said = [say(PROCESS_SECTIONS[section]) for section in sorted(sections) if section in PROCESS_SECTIONS]
    return [say("## Processes"), sentences(*said)] if said else []


def _unattributed(content: ReportContent) -> str:
    """What the cards hold beyond their listed processes."""
    rows = accounting_of(content.frames, _shown_print(content)).sort_values("gpu_index", kind="stable")
    rows = rows[rows["unattributed_mib"].gt(0).fillna(False)]
    held = zip(rows["gpu_index"], rows["unattributed_mib"], strict=True)
    beyond = [say("{size} on card {gpu}", size=mib(size), gpu=gpu) for gpu, size in held]
    if not beyond:
        return ""
    return say(
        "Held by no listed process: {sizes} (up to {usual} MiB is usual).",
        sizes=say(", ").join(beyond),
        usual=OWN_MIB,
    )


def _instances(content: ReportContent) -> list[str]:
    rows = _of_shown_print(content, content.frames.mig_devices)
    if rows.empty:
        return []
    shown = mig_table(rows)
    return [say("## MIG instances"), *filter(None, [shown, legend(shown)])]


def _of_shown_print(content: ReportContent, rows: pd.DataFrame) -> pd.DataFrame:
    """Those rows that belong to the print whose numbers the tables show."""
    return rows[rows["snapshot"].eq(_shown_print(content)).fillna(False)]


def _shown_print(content: ReportContent) -> int:
    """The number of the print whose numbers the tables show; -1 where there is none."""
    if content.comparison is not None:
        return content.comparison.after
    numbers = content.frames.gpus["snapshot"]
    return int(numbers.max()) if numbers.notna().any() else -1


def _messages(content: ReportContent) -> list[str]:
    events = content.frames.events
    return [] if events.empty else [say("## Messages"), event_table(events, masker=content.masker)]


def _read(content: ReportContent) -> list[str]:
    frames, masker = content.frames, content.masker
    blocks = [say("## What was read"), input_table(frames.inputs, masker=masker)]
    if not frames.snapshots.empty:
        prints = print_table(frames.snapshots, masker=masker)
        blocks += filter(None, [prints, legend(prints)])
    if not frames.problems.empty:
        blocks += [
            say("### {places} could not be read", places=counted(len(frames.problems), "place")),
            problem_table(frames.problems, masker=masker),
        ]
    thresholds = say(
        "Thresholds: a card stands out when it grew by {size} and {share} more than its peers; memory that no "
        "listed process holds counts above {usual}.",
        size=mib(NOISE_MIB),
        share=share(NOISE_SHARE, 1),
        usual=mib(OWN_MIB),
    )
    again = say("Reproduce: {command}", command=safe.code(content.command))
    return [*blocks, prose(masker.summary()), thresholds, again]
