"""What the bars of the memory picture are made of: other jobs, the job's processes, the surplus, the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from smianalyze import safe
from smianalyze.analyses.primary_card import Primary
from smianalyze.cards import Card, Process
from smianalyze.figures import style
from smianalyze.language import say, text
from smianalyze.masking import Masker
from smianalyze.quantities import UNKNOWN, Number

SECOND_SHADE = 0.35
"""Share of white in every second process of a card, so that two neighbours can be told apart."""
FADED = 0.55
"""Share of white in what has ended or changed since the first snapshot."""


class Piece(NamedTuple):
    """A piece of a bar; of its texts, longest first, the first that fits is written into it."""

    mib: Number
    colour: str
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """One card in one snapshot; ``used_mib`` is None where it was not printed, the name is English."""

    name: str
    used_mib: Number | None
    pieces: tuple[Piece, ...]

    @property
    def end_mib(self) -> Number:
        """Where it ends; a process table may name more than the card says."""
        return max(sum(piece.mib for piece in self.pieces), self.used_mib or 0)


def bars(card: Card, primary: Primary | None, *, masker: Masker) -> list[Bar]:
    """The bars of a card: before and after, or one without a name for a single snapshot.

    Args:
        card: With its processes.
        primary: The card that stands out, this one or another.
        masker: Names the processes.
    """
    standing_out = primary if primary and primary.gpu_index == card.gpu_index else None
    sized = [process for process in card.processes if process.memory.after]
    if sized and all(process.change != "unknown" for process in sized):
        pieces = _by_process(card, standing_out, masker)
    else:
        pieces = _by_growth(card, standing_out)
    now = tuple(piece for piece in pieces if piece.mib > 0)
    if card.state == "present":
        return [Bar("", card.memory.after, now)]
    return [
        Bar(text("before"), card.memory.before, tuple(_earlier(card, masker))),
        Bar(text("after"), card.memory.after, now),
    ]


def _by_process(card: Card, standing_out: Primary | None, masker: Masker) -> list[Piece]:
    extra = {context.pid for context in standing_out.extra_contexts} if standing_out else set()
    sized = [process for process in card.processes if process.memory.after]
    mine = [process for process in sized if process.change != "unchanged" and process.pid not in extra]
    mine.sort(key=lambda process: -(process.memory.after or 0))
    own = [_piece(process, process.memory.after, masker) for process in mine]
    own = [piece._replace(colour=_shade(card, number)) for number, piece in enumerate(own)]
    if extra:
        own.append(Piece(sum(p.memory.after or 0 for p in sized if p.pid in extra), style.SURPLUS))
    elif standing_out and own:
        own[:1] = _split(own[0], standing_out.overhead_mib)
    others = [process for process in sized if process.change == "unchanged"]
    pieces = [*_together(others, masker), *own]
    return [*pieces, _rest(card.memory.after, pieces)]


def _by_growth(card: Card, standing_out: Primary | None) -> list[Piece]:
    """Where no process size is known: what was held before, and the growth with the surplus in it."""
    used = card.memory.after or 0
    held = min(card.memory.before or 0, used)
    growth = Piece(used - held, style.card_colour(card.gpu_index))
    return [
        Piece(held, style.OTHERS, (say("held before"),)),
        *_split(growth, standing_out.overhead_mib if standing_out else 0),
    ]


def _earlier(card: Card, masker: Masker) -> list[Piece]:
    sized = [process for process in card.processes if process.memory.before]
    if not sized:
        return [Piece(card.memory.before, style.OTHERS)] if card.memory.before else []
    faded = style.paler(style.card_colour(card.gpu_index), by=FADED)
    pieces = _together([process for process in sized if process.change == "unchanged"], masker)
    moved = (process for process in sized if process.change != "unchanged")
    pieces += [_piece(process, process.memory.before, masker)._replace(colour=faded) for process in moved]
    rest = _rest(card.memory.before, pieces)
    return [*pieces, rest] if rest.mib else pieces


def _together(others: Sequence[Process], masker: Masker) -> list[Piece]:
    """Processes that did not change, as one quiet piece: they are other people's jobs."""
    if len(others) <= 1:
        return [_piece(process, process.memory.after, masker) for process in others]
    total = sum(process.memory.after or 0 for process in others)
    texts = (say("other jobs ({count} processes)", count=len(others)), say("other jobs"))
    return [Piece(total, style.OTHERS, texts)]


def _piece(process: Process, mib: Number | None, masker: Masker) -> Piece:
    pid = f"PID {UNKNOWN if process.pid is None else process.pid}"
    named = (f"{pid} · {safe.label(masker.process_name(process.name))}",) if process.name else ()
    return Piece(mib or 0, style.OTHERS, (*named, pid))


def _shade(card: Card, number: int) -> str:
    return style.paler(style.card_colour(card.gpu_index), by=SECOND_SHADE * (number % 2))


def _split(piece: Piece, surplus_mib: Number) -> list[Piece]:
    """The piece with the surplus at its end set apart."""
    surplus = min(surplus_mib, piece.mib)
    return [piece._replace(mib=piece.mib - surplus), Piece(surplus, style.SURPLUS)]


def _rest(used: Number | None, pieces: Sequence[Piece]) -> Piece:
    """What the card holds beyond its listed processes."""
    rest = (used or 0) - sum(piece.mib for piece in pieces)
    return Piece(max(rest, 0), style.UNLISTED, (say("no process listed"),))
