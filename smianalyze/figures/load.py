"""How hard each card works: utilization, power as a share of its limit, temperature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smianalyze.analyses.comparison import Comparison
from smianalyze.cards import Card, Reading, cards
from smianalyze.figures import style
from smianalyze.figures.fonts import speaking_as_drawn
from smianalyze.frames import Frames
from smianalyze.language import say, text
from smianalyze.quantities import Number, span, whole

BAR_IN = 0.17
STEP_IN = 0.28
LEFT_IN = 0.75
AXIS_IN = 0.5
WORDS_IN = 1.05
"""Right of each panel's bars, for ``122 → 491 W of ?``."""
FULL = 100
"""Each panel ends at 100 %, 100 % of the power limit, or 100 °C; a longer bar is cut, its words are not."""


class Quantity(NamedTuple):
    """One panel: its name, the unit of its words, its value, and the value of a full bar."""

    name: str
    unit: str
    of: Callable[[Card], Reading]
    full: Callable[[Card], Number | None]


UTILIZATION = Quantity(text("Utilization"), "%", lambda card: card.utilization, lambda _: FULL)
POWER = Quantity(text("Power"), "W", lambda card: card.power, lambda card: card.power_limit_w)
QUANTITIES = (
    UTILIZATION,
    POWER,
    Quantity(text("Temperature"), "°C", lambda card: card.temperature, lambda _: FULL),
)


@speaking_as_drawn()
def load(
    frames: Frames, comparison: Comparison | None = None, *, quantities: Sequence[Quantity] = QUANTITIES
) -> Figure:
    """Utilization, power and temperature of each card; a tick marks the value before.

    Args:
        frames: Of a capture; without a comparison its last snapshot is drawn.
        comparison: Before and after.
        quantities: What is drawn.
    """
    found = cards(frames, comparison)
    shown = found[: style.MOST_CARDS]
    top = style.TITLE_IN + style.SUBTITLE_IN
    height = max(len(shown), 1) * STEP_IN
    place = (style.WIDTH_IN - LEFT_IN - style.MARGIN_IN) / len(quantities)
    known = tuple(quantity for quantity in quantities if is_known(found, quantity)) or quantities
    with style.plain_style():
        figure = style.sheet(_title(found, known[0]), _subtitle(found), height_in=top + height + AXIS_IN)
        for number, quantity in enumerate(known):
            left = LEFT_IN + number * place
            axes = style.panel(figure, left=left, top=top, width=place - WORDS_IN, height=height)
            axes.set_xlim(0, FULL)
            axes.set_xticks([0, FULL / 2, FULL])
            axes.set_xlabel(_axis(quantity, found), loc="left")
            for row, card in enumerate(shown):
                _draw(axes, card, quantity, y=(row + 0.5) * STEP_IN)
        for row, card in enumerate(shown):
            style.card_name(figure.axes[0], card.label, y=(row + 0.5) * STEP_IN, left_in=LEFT_IN)
    return figure


def is_known(found: Sequence[Card], quantity: Quantity) -> bool:
    """Whether any card has a value of the quantity."""
    return any(value is not None for card in found for value in quantity.of(card))


def _draw(axes: Axes, card: Card, quantity: Quantity, *, y: float) -> None:
    reading, full = quantity.of(card), quantity.full(card)
    if full and reading.after is not None:
        length = min(reading.after / full, 1) * FULL
        axes.barh(y, length, BAR_IN, color=style.card_colour(card.gpu_index))
    if full and reading.before is not None:
        at = min(reading.before / full, 1) * FULL
        half = STEP_IN * 0.42
        axes.plot([at, at], [y - half, y + half], color=style.INK, linewidth=1.4, clip_on=False)
    known = reading.before is not None or reading.after is not None
    words = f"{_words(card, reading)} {quantity.unit}" if known else say("unknown")
    if known and not full:
        words = say("{value} of ?", value=words)
    style.after(axes, words, x=FULL, y=y).set_color(style.INK if known else style.QUIET)


def _words(card: Card, reading: Reading) -> str:
    if card.state == "present":
        return whole(reading.after)
    return f"{whole(reading.before)} → {whole(reading.after)}"


def _axis(quantity: Quantity, found: Sequence[Card]) -> str:
    if quantity.name != "Power":
        return say("{name}, {unit}", name=say(quantity.name.lower()), unit=quantity.unit)
    limits = [card.power_limit_w for card in found if card.power_limit_w]
    return say("power, % of {limit} W", limit=span(limits)) if limits else say("power, % of limit")


def _title(found: Sequence[Card], quantity: Quantity) -> str:
    readings = [quantity.of(card) for card in found]
    before = [reading.before for reading in readings if reading.before is not None]
    after = [reading.after for reading in readings if reading.after is not None]
    name, unit = say(quantity.name), quantity.unit
    was, now = (span(values) if values else "" for values in (before, after))
    if after and before == after:
        return say("{name} stayed at {now} {unit}", name=name, now=now, unit=unit)
    if before and after:
        return say("{name} was {was} {unit} and is {now} {unit}", name=name, was=was, now=now, unit=unit)
    if after:
        return say("{name} is {now} {unit}", name=name, now=now, unit=unit)
    if before:
        return say("{name} was {was} {unit}", name=name, was=was, unit=unit)
    return say("{name} is not known", name=name)


def _subtitle(found: Sequence[Card]) -> str:
    kinds = style.kinds(card.name for card in found)
    if all(card.state == "present" for card in found):
        return kinds
    return say("{kinds}; the bar is after, the tick before", kinds=kinds)
