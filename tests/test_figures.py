"""Pictures: what they say, that any text draws, and that the same input gives the same bytes."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from scenes import (
    Print,
    Scene,
    extra_context,
    gpu,
    idle,
    named,
    no_process_table,
    one_node,
    one_print,
    process,
    scene,
    unknown_values,
)

from smianalyze import figures
from smianalyze.cards import cards
from smianalyze.figures import style
from smianalyze.figures.pieces import bars
from smianalyze.masking import Masker

SCENES = {
    "extra context": extra_context(),
    "no process table": no_process_table(),
    "one print": one_print(),
    "idle": idle(),
    "one card": scene(Print("smi.txt", [gpu(0)])),
    "8 cards": one_node(8),
    "16 cards": one_node(16),
    "unknown values": unknown_values(),
    "dollars and Chinese": named("$x_y$ \\frac{ 显卡🙂 " + "long " * 30),
    "underscore": named("_name"),
}
MAX_SIDE_PX = 4000
MAX_BYTES = 2_000_000


def drawn(one: Scene) -> dict[str, Figure]:
    pictures = figures.pictures(one.frames, one.comparison, masker=Masker())
    return {picture.file_name: picture.figure for picture in pictures}


def drawn_memory(name: str) -> Figure:
    return figures.memory(*named(name), masker=Masker())


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in visible(figure)]


def visible(figure: Figure) -> Iterator[Text]:
    found = figure.findobj(Text)
    return (text for text in found if isinstance(text, Text) and text.get_visible() and text.get_text().strip())


def pixels(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def every_picture() -> list[pytest.param]:
    pictures = (
        (name, file_name, figure) for name, one in SCENES.items() for file_name, figure in drawn(one).items()
    )
    return [pytest.param(figure, id=f"{name} {file_name}") for name, file_name, figure in pictures]


def test_pictures_of_two_prints_say_what_was_found() -> None:
    pictures = figures.pictures(*SCENES["extra context"], masker=Masker())

    assert [(picture.file_name, picture.title) for picture in pictures] == [
        ("memory.png", "GPU 0 also holds a context of PID 813: 612 MiB"),
        ("growth.png", "GPU 0 grew by 619 MiB more than GPU 1"),
        ("load.png", "Utilization was 0 to 27 % and is 80 to 99 %"),
    ]


def test_pictures_of_one_print_say_what_is() -> None:
    pictures = figures.pictures(*SCENES["one print"], masker=Masker())

    assert [(picture.file_name, picture.title) for picture in pictures] == [
        ("memory.png", "GPU 0 holds most memory: 4,692 MiB"),
        ("load.png", "Utilization is 0 to 45 %"),
    ]


def test_without_cards_there_is_no_picture() -> None:
    assert drawn(scene()) == {}


def test_a_picture_without_a_known_value_is_left_out() -> None:
    only_utilization = gpu(0, memory_used_mib=None, power_draw_w=None, temperature_gpu_c=None)

    assert list(drawn(scene(Print("gpu.csv", [only_utilization])))) == ["load.png"]


@pytest.mark.parametrize("figure", every_picture())
def test_picture_has_our_width_and_bounded_size(figure: Figure) -> None:
    png = figures.png(figure)
    width, height = pixels(png)

    assert width == style.WIDTH_IN * style.DPI
    assert height <= MAX_SIDE_PX
    assert len(png) <= MAX_BYTES


@pytest.mark.parametrize("figure", every_picture())
def test_texts_stay_inside_and_do_not_touch(figure: Figure) -> None:
    FigureCanvasAgg(figure).draw()
    page = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in visible(figure)]
    outside = [text for text, box in boxes if box.x0 < 0 or box.x1 > page.x1 or box.y0 < 0 or box.y1 > page.y1]
    touching = [(a, b) for (a, one), (b, other) in itertools.combinations(boxes, 2) if one.overlaps(other)]

    assert outside == []
    assert touching == []


@pytest.mark.parametrize("figure", every_picture())
def test_letters_are_at_least_8_points(figure: Figure) -> None:
    assert min(text.get_fontsize() for text in visible(figure)) >= 8


def test_many_cards_are_cut_and_counted() -> None:
    pictures = drawn(scene(Print("smi.txt", [gpu(index) for index in range(200)])))

    for figure in pictures.values():
        assert pixels(figures.png(figure))[1] <= MAX_SIDE_PX
        assert any(text.startswith("200 cards (32 shown)") for text in texts(figure))


@pytest.mark.parametrize("one", SCENES.values(), ids=SCENES)
def test_pieces_of_a_bar_make_up_the_memory_in_use(one: Scene) -> None:
    primary = one.comparison.primary if one.comparison else None
    drawn_bars = [bar for card in cards(*one) for bar in bars(card, primary, masker=Masker())]

    assert [sum(piece.mib for piece in bar.pieces) for bar in drawn_bars] == [
        bar.used_mib or 0 for bar in drawn_bars
    ]


def test_context_of_another_rank_is_the_red_piece() -> None:
    frames, comparison = SCENES["extra context"]
    _, after = bars(cards(frames, comparison)[0], comparison.primary, masker=Masker())

    assert [(piece.mib, piece.colour, piece.texts[:1]) for piece in after.pieces] == [
        (14552, style.OTHERS, ("PID 609 · python3",)),
        (15836, style.card_colour(0), ("PID 812 · python",)),
        (612, style.SURPLUS, ()),
        (22, style.UNLISTED, ("no process listed",)),
    ]


def test_surplus_without_a_process_table_is_the_end_of_the_growth() -> None:
    frames, comparison = SCENES["no process table"]
    _, after = bars(cards(frames, comparison)[0], comparison.primary, masker=Masker())

    assert [(piece.mib, piece.colour) for piece in after.pieces] == [
        (14568, style.OTHERS),
        (19997, style.card_colour(2)),
        (1088, style.SURPLUS),
    ]


def test_surplus_of_a_process_on_one_card_is_split_off_it() -> None:
    idle_cards = [gpu(index) for index in range(3)]
    sizes = {0: 9000, 1: 8000, 2: 8000}
    busy = [gpu(index, memory_used_mib=mib) for index, mib in sizes.items()]
    listed = [process(index, 70, "python", mib) for index, mib in sizes.items()]
    frames, comparison = scene(Print("a.txt", idle_cards, section="none_found"), Print("b.txt", busy, listed))
    _, after = bars(cards(frames, comparison)[0], comparison.primary, masker=Masker())

    assert [(piece.mib, piece.colour) for piece in after.pieces] == [
        (8000, style.card_colour(0)),
        (1000, style.SURPLUS),
    ]


def test_processes_that_may_have_been_there_are_not_called_new() -> None:
    before = Print("a.txt", [gpu(0, memory_used_mib=500)], section="absent")
    after = Print("b.txt", [gpu(0, memory_used_mib=900)], [process(0, 1, "python", 890)])
    frames, comparison = scene(before, after)
    _, bar = bars(cards(frames, comparison)[0], None, masker=Masker())

    assert [(piece.mib, piece.colour) for piece in bar.pieces] == [
        (500, style.OTHERS),
        (400, style.card_colour(0)),
    ]


def test_unknown_memory_is_said_and_not_drawn() -> None:
    figure = drawn(scene(Print("smi.txt", [gpu(0, memory_used_mib=None), gpu(1, memory_used_mib=9)])))[
        "memory.png"
    ]
    bars_drawn = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]

    assert "unknown" in texts(figure)
    assert [bar.get_width() for bar in bars_drawn] == [9]


def test_unknown_load_is_said_and_not_drawn() -> None:
    no_limit = gpu(0, utilization_gpu_pct=None, power_limit_w=None, power_draw_w=80.0)
    figure = drawn(scene(Print("smi.txt", [no_limit, gpu(1, utilization_gpu_pct=40)])))["load.png"]
    utilization, power, _ = figure.axes

    assert [bar.get_width() for bar in utilization.patches] == [40]
    assert len(power.patches) == 1
    assert {"unknown", "80 W of ?"} <= set(texts(figure))


def test_bars_start_at_zero() -> None:
    for name in ("memory.png", "growth.png", "load.png"):
        assert all(axes.get_xlim()[0] == 0 for axes in drawn(SCENES["extra context"])[name].axes)


def test_a_card_keeps_its_colour() -> None:
    colours = [
        {to_hex(patch.get_facecolor()) for axes in figure.axes for patch in axes.patches}
        for figure in drawn(SCENES["extra context"]).values()
    ]

    assert all({style.card_colour(0), style.card_colour(1)} <= found for found in colours)


def test_capacity_is_drawn_only_where_it_does_not_flatten_the_bars() -> None:
    near, far = (drawn(SCENES[name])["memory.png"].axes[0] for name in ("no process table", "extra context"))

    assert {line.get_xdata()[0] for line in near.lines} == {40536}
    assert list(far.lines) == []
    assert far.get_xlabel() == "memory used, MiB (capacity 143,771 MiB)"


def test_a_character_without_a_glyph_stays_visible() -> None:
    shown = [text for text in texts(drawn_memory("a显b")) if "PID 1" in text]

    assert shown == [f"PID 1 · a{style.NO_GLYPH}b"]


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=80))
def test_any_name_draws_without_changing_the_picture(name: str) -> None:
    assert pixels(figures.png(drawn_memory(name))) == (1280, 275)


def test_directories_of_a_process_are_not_drawn() -> None:
    listed = process(0, 1, "/home/maria/secret-project/bin/python", 9000)
    figure = drawn(scene(Print("smi.txt", [gpu(0, memory_used_mib=9000)], [listed])))["memory.png"]

    assert "PID 1 · python" in texts(figure)
    assert not any("maria" in text for text in texts(figure))


def test_same_input_gives_same_bytes() -> None:
    first, second = ([figures.png(figure) for figure in drawn(extra_context()).values()] for _ in range(2))

    assert first == second
    assert all(b"Software" not in png for png in first)


def test_the_users_own_style_changes_nothing_and_stays() -> None:
    expected = figures.png(drawn(extra_context())["memory.png"])
    with mpl.rc_context({"text.usetex": True, "font.size": 30, "savefig.dpi": 20, "savefig.bbox": "tight"}):
        png = figures.png(drawn(extra_context())["memory.png"])

        assert mpl.rcParams["font.size"] == 30
    assert png == expected
