"""What all pictures share: size, colours, letters, and the way to PNG bytes.

Positions are inches from the top left corner, so a picture's size depends on the number of its rows alone and
never on the length of a text.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from smianalyze import safe
from smianalyze.figures import fonts
from smianalyze.language import say
from smianalyze.quantities import Number, counted, whole

WIDTH_IN = 8.0
"""Shown 800 pixels wide, 8 points are 11 pixels: the smallest size that reads well."""
DPI = 160
"""Twice as many pixels as most screens show, so that letters stay crisp."""
POINTS_PER_IN = 72
SMALL_PT = 8.0
TITLE_PT = 11.0
TITLE_IN = 0.34
"""Height kept for the title."""
SUBTITLE_IN = 0.24
MARGIN_IN = 0.1
MOST_CARDS = 32
"""Cards in one picture: more would be higher than 4,000 pixels."""
MOST_COLOURED = 8
"""Cards told apart by colour; of more, only the one that the title is about has its colour."""
PRODUCT_LETTERS = 40
"""A product name is cut here; NVIDIA's longest have about 30 letters."""

# Okabe and Ito's palette, safe for colour-blind readers, without its yellow and black (too pale, too loud).
CARD_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
SURPLUS = "#b2182b"
OTHERS = "#c8cbcf"
UNLISTED = "#ecedef"
INK = "#222222"
QUIET = "#5f6368"
GRID = "#e6e7e9"
HATCH = "#9aa0a6"
SHADE = "#f5f6f7"

DARK = 0.52
"""White letters on colours of less brightness than this, 0 to 1; black ones on the others."""

NO_GLYPH = "\N{REPLACEMENT CHARACTER}"
"""Drawn for a character that the font lacks (Chinese, emoji): visible, unlike a silent empty box."""

_STYLE: dict[Any, object] = {
    "font.size": SMALL_PT,
    "text.parse_math": False,  # a "$" in a process name is a dollar sign
    "axes.edgecolor": QUIET,
    "axes.labelcolor": QUIET,
    "axes.linewidth": 0.6,
    "xtick.color": QUIET,
    "text.color": INK,
}


@contextmanager
def plain_style() -> Iterator[None]:
    """Our style over matplotlib's defaults, whatever the user's own settings are; restored afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE | {"font.family": fonts.families()})
        yield


QUICK = {"compress_level": 1}
"""Packs our flat areas nearly as well as the default level, in half the time."""


def png(figure: Figure) -> bytes:
    """The figure as PNG; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with plain_style():
        figure.savefig(buffer, format="png", metadata={"Software": None}, pil_kwargs=QUICK)
    return buffer.getvalue()


class Sheet(Figure):
    """A figure that a notebook shows also where nothing has imported pyplot."""

    def _repr_png_(self) -> bytes:
        return png(self)


def sheet(title: str, subtitle: str, *, height_in: float) -> Sheet:
    """An empty figure of our width with its title, and a quiet line below it that says how to read it."""
    figure = Sheet(figsize=(WIDTH_IN, height_in), dpi=DPI, facecolor="white")
    width = WIDTH_IN - 2 * MARGIN_IN
    figure.suptitle(
        fitted(title, width, size=TITLE_PT, weight="bold"),
        x=MARGIN_IN / WIDTH_IN,
        y=1 - MARGIN_IN / height_in,
        ha="left",
        va="top",
        fontsize=TITLE_PT,
        fontweight="bold",
    )
    figure.text(
        MARGIN_IN / WIDTH_IN,
        1 - TITLE_IN / height_in,
        fitted(subtitle, width, size=SMALL_PT),
        va="top",
        fontsize=SMALL_PT,
        color=QUIET,
    )
    return figure


def panel(figure: Figure, *, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place in inches; its y axis runs downwards in inches and shows no ticks."""
    page_width, page_height = figure.get_size_inches()
    box = (left / page_width, 1 - (top + height) / page_height, width / page_width, height / page_height)
    axes = figure.add_axes(box)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=SMALL_PT, length=2.5, width=0.6)
    axes.xaxis.label.set_fontsize(SMALL_PT)
    return axes


def card_name(axes: Axes, name: str, *, y: float, left_in: float) -> None:
    """The name of a card at the left edge of a picture whose axes start so many inches from it."""
    beside(axes, name, y=y, inches=left_in - MARGIN_IN).set(ha="left", fontweight="bold")


def beside(axes: Axes, text: str, *, y: float, inches: float) -> Text:
    """A text that ends so many inches left of the axes."""
    return axes.annotate(
        text,
        (0, y),
        (-inches * POINTS_PER_IN, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="center_baseline",
        annotation_clip=False,
    )


def after(axes: Axes, text: str, *, x: float, y: float) -> Text:
    """A text right of a place in the axes, such as a value at the end of its bar."""
    return axes.annotate(text, (x, y), (4, 0), textcoords="offset points", va="center_baseline")


def make_unknown(patch: Patch) -> None:
    """Give a patch the look of what is not known: hatched, as grey alone would in print be a shade of blue."""
    patch.set(facecolor=UNLISTED, edgecolor=HATCH, hatch="//////", linewidth=0)


def kinds(names: Iterable[str | None], *, most: int = MOST_CARDS) -> str:
    """How many cards of which products, such as ``2 cards, NVIDIA H200``.

    Args:
        names: One product name for each card, None where it is not known.
        most: So many of them are drawn at most.
    """
    names = list(names)
    products = sorted({safe.label(name, limit=PRODUCT_LETTERS) for name in names if name})
    shown = say(" ({most} shown)", most=most) if len(names) > most else ""
    cards = counted(len(names), "card") + shown
    return say("{cards}, {products}", cards=cards, products=say(", ").join(products)) if products else cards


def scale(axes: Axes, low: Number, high: Number, *, right_in: float, unit: str) -> None:
    """An x axis from ``low`` to ``high`` with so many inches for words right of it; 0 is part of it."""
    inches = axes.get_position().width * WIDTH_IN
    axes.set_xlim(low, low + (high - low) * inches / (inches - right_in))
    ticks = MaxNLocator(nbins=6, integer=True).tick_values(low, high)
    axes.set_xticks(*zip(*((tick, whole(tick)) for tick in ticks if low <= tick <= high), strict=True))
    axes.spines["bottom"].set_bounds(low, high)
    axes.set_xlabel(unit, loc="left")


def first_that_fits(axes: Axes, texts: Sequence[str], *, span: float) -> str:
    """The first of the texts that fits between two places ``span`` apart on the x axis, or nothing."""
    low, high = axes.get_xlim()
    inches = span / (high - low) * axes.get_position().width * WIDTH_IN - 0.08
    drawable = (fitted(text, WIDTH_IN) for text in texts)
    return next((text for text in drawable if width_in(text) <= inches), "")


def card_colour(gpu_index: int | None) -> str:
    """The colour of a card, the same in all pictures."""
    return OTHERS if gpu_index is None else CARD_COLOURS[gpu_index % len(CARD_COLOURS)]


def paler(colour: str, *, by: float) -> str:
    """The colour mixed with white; ``by`` is the share of white, 0 to 1."""
    red, green, blue = (channel + (1 - channel) * by for channel in to_rgb(colour))
    return to_hex((red, green, blue))


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on the colour."""
    red, green, blue = to_rgb(colour)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < DARK else INK


def width_in(text: str, *, size: float = SMALL_PT, weight: str = "normal") -> float:
    """Width in inches of a text whose characters the font has."""
    font = fonts.font(weight)
    font.set_size(size, POINTS_PER_IN)
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64 / POINTS_PER_IN  # the font counts in 64ths of a point


def fitted(text: str, width: float, *, size: float = SMALL_PT, weight: str = "normal") -> str:
    """The text as the font can draw it, cut with ``…`` to a width in inches."""
    text = fonts.drawable(text, weight=weight, instead=NO_GLYPH)
    if not text or width_in(text, size=size, weight=weight) <= width:
        return text
    while text and width_in(text + "…", size=size, weight=weight) > width:
        text = text[:-1]
    return text + "…"
