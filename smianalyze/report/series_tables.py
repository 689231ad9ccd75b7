"""The part of a report about the run as a whole: how it was recorded, when the job ran, what each card did."""

from __future__ import annotations

from collections.abc import Mapping

from smianalyze import safe
from smianalyze.analyses.active_span import IDLE_PCT
from smianalyze.analyses.comparison import SERIES_PRINTS
from smianalyze.analyses.over_time import OverTime
from smianalyze.analyses.sampling import GAP_STEPS
from smianalyze.analyses.utilization import ACTIVE
from smianalyze.cards import records
from smianalyze.frames import Frames
from smianalyze.language import say, sentences, text
from smianalyze.markup import legend, table
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, Number, counted, share, whole

MOST_RECORDINGS = 4
"""Recordings that are described; the table of inputs has all."""

Record = Mapping[str, object]
BASES = {
    "memory grew": text("memory in use was higher than before and after"),
    "memory held": text("memory was held from the first print to the last"),
    "utilization": text("from the first print with utilization to the last"),
}
NO_CYCLE = {
    "irregular": text("none"),
    "steady": text("none"),
    "too fast for the samples": text("too fast"),
    "too few samples": text("too few prints"),
    "no times": "",
}
"""Why a card has no cycle; without times it is not known whether it has one."""


def over_the_run(frames: Frames, masker: Masker) -> list[str]:
    """The blocks of the section; none where the prints were taken by hand.

    Args:
        frames: Of a capture.
        masker: Names inputs and hosts.
    """
    over = frames.once(OverTime)
    if not over.is_series:
        return []
    shown = _card_table(over, masker)
    notes = [_recordings(over, masker), _active(over, masker), shown, legend(shown), _how(over)]
    return [say("## Over the run"), *filter(None, notes)]


def _recordings(over: OverTime, masker: Masker) -> str:
    """How often and how regularly each input prints."""
    rows = [row for row in records(over.sampling) if _number(row, "prints", 0) >= SERIES_PRINTS]
    said = [
        say("{log}: {place}.", log=safe.code(masker.source(str(row["source"]))), place=_recording(row))
        for row in rows[:MOST_RECORDINGS]
    ]
    left = len(rows) - MOST_RECORDINGS
    return sentences(*said, say("{recordings} more.", recordings=counted(left, "recording")) if left > 0 else "")


def _recording(row: Record) -> str:
    prints = counted(int(_number(row, "prints", 0)), "print")
    if row["duration_s"] is None:
        return say("{prints} without a time", prints=prints)
    gaps = int(_number(row, "gaps", 0))
    said = say("{prints} in {seconds} s", prints=prints, seconds=_whole(row["duration_s"]))
    if row["interval_s"] is not None:
        said += say(", one each {seconds} s", seconds=_decimal(row["interval_s"]))
    if gaps:
        missing = whole(_number(row, "missing_s", 0))
        said += say(" and {gaps} of {seconds} s in all", gaps=counted(gaps, "gap"), seconds=missing)
    return said


def _active(over: OverTime, masker: Masker) -> str:
    """When the job ran, and how that is known."""
    said = []
    for row in records(over.spans.hosts):
        host = safe.code(masker.host(str(row["host"]))) if row["host"] else ""
        where = say("On {host} the", host=host) if host else say("The")
        if row["basis"] is None:
            said.append(say("{where} cards did nothing.", where=where))
            continue
        basis = say(BASES[str(row["basis"])])
        if row["start"] is None:
            said.append(say("{where} job's prints are those in which {basis}.", where=where, basis=basis))
        else:
            said.append(
                say(
                    "{where} job ran from {start:%Y-%m-%d %H:%M:%S} to {end:%H:%M:%S} ({seconds} s): {basis}.",
                    where=where,
                    start=row["start"],
                    end=row["end"],
                    seconds=_whole(row["duration_s"]),
                    basis=basis,
                )
            )
    return sentences(*said)


def _card_table(over: OverTime, masker: Masker) -> str:
    """One row a card."""
    hosts = over.series.cards["host"].notna().any()
    header = [
        *([say("host")] if hosts else []),
        say("card"),
        say("mean utilization"),
        say("of all prints"),
        say("median"),
        say("95th percentile"),
        say("idle"),
        say("longest idle"),
        say("cycle"),
        say("peak memory"),
        say("mean power"),
        say("energy"),
    ]
    frames = (records(frame) for frame in (over.utilization, over.memory, over.power))
    return table(header, (_row(*parts, masker=masker if hosts else None) for parts in zip(*frames, strict=True)))


def _row(use: Record, memory: Record, power: Record, *, masker: Masker | None) -> list[str]:
    active = {name.removeprefix(ACTIVE): value for name, value in use.items() if name.startswith(ACTIVE)}
    ran = bool(active["samples"])
    levels = active if ran else use
    watts = power["active_mean_w"] if ran else power["mean_w"]
    host = safe.cell(masker.host(str(use["host"]))) if masker and use["host"] else UNKNOWN
    return [
        *([host] if masker else []),
        UNKNOWN if use["gpu_index"] is None else str(use["gpu_index"]),
        f"{_decimal(levels['mean_pct'])} %",
        f"{_decimal(use['mean_pct'])} %",
        f"{_whole(levels['p50_pct'])} %",
        f"{_whole(levels['p95_pct'])} %",
        share(_known(levels["idle_share"]), 1),
        f"{_decimal(levels['longest_idle_s'])} s",
        _cycle(use),
        f"{_whole(memory['peak_mib'])} MiB ({share(_known(memory['peak_mib']), _known(memory['total_mib']))})",
        f"{_whole(watts)} W",
        f"{_hundredths(power['energy_wh'])} ± {_hundredths(power['energy_error_wh'])} Wh",
    ]


def _cycle(use: Record) -> str:
    if use["period_s"] is not None:
        return f"{_decimal(use['period_s'])} s"
    why = NO_CYCLE[str(use["period_verdict"])] if use["samples"] else ""
    return say(why) if why else UNKNOWN


def _how(over: OverTime) -> str:
    """What the numbers are of."""
    ran = over.spans.hosts["basis"].notna().any()
    return sentences(
        say("Numbers are those of the job, but for the third column, peak memory and energy.") if ran else "",
        say(
            "Idle is at most {idle} %. Energy is that of the whole recording without pauses of more than "
            "{steps} steps; behind ± stands by how much half as many prints would change it.",
            idle=IDLE_PCT,
            steps=GAP_STEPS,
        ),
    )


def _known(value: object) -> Number | None:
    return value if isinstance(value, int | float) else None


def _number(row: Record, name: str, otherwise: Number) -> Number:
    value = _known(row[name])
    return otherwise if value is None else value


def _whole(value: object) -> str:
    return whole(_known(value))


def _hundredths(value: object) -> str:
    number = _known(value)
    return UNKNOWN if number is None else f"{number:,.2f}"


def _decimal(value: object) -> str:
    """With one decimal, below 1 with two."""
    number = _known(value)
    if number is None:
        return UNKNOWN
    return f"{number:,.2f}" if 0 < abs(number) < 1 else f"{number:,.1f}"
