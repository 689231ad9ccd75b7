"""Pictures over time: what they say and show, that gaps stay open, and that no line has a point a sample."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from scenes import gpu

from smianalyze import figures
from smianalyze.figures import style
from smianalyze.figures.bins import DRAWN_AS_IS, MOST_BINS, band, cells
from smianalyze.figures.clock import MOST_TICKS, duration
from smianalyze.figures.ends import spread
from smianalyze.figures.heatmap import MOST_CELLS
from smianalyze.figures.tracks import Track, tracks_of
from smianalyze.figures.usage import usages
from smianalyze.findings import Finding
from smianalyze.frames import Frames
from smianalyze.masking import Masker

Row = Mapping[str, object]
timeline = partial(figures.timeline, masker=Masker("default"))
NOON = datetime(2026, 11, 30, 12, 0, 0)
MAX_SIDE_PX = 4000
MAX_BYTES = 2_000_000
MOST_POINTS = 4000


def seconds(*places: float) -> list[datetime]:
    return [NOON + timedelta(seconds=place) for place in places]


def course(
    times: Sequence[datetime | None], *cards: Sequence[object], events: Sequence[Row] = (), **values: object
) -> Frames:
    """One print at each time, in which the cards have these utilizations and otherwise these values."""
    rows = [
        {"snapshot": number, "time": time, "source": "smi.txt"}
        | {**gpu(index), "utilization_gpu_pct": card[number]}
        | values
        for number, time in enumerate(times)
        for index, card in enumerate(cards)
    ]
    return Frames.from_rows({"gpus": rows, "events": events})


def wave(card: int, count: int, *, step_s: float = 1.0) -> list[int]:
    """Utilization of a card that works in turns, not those of its neighbours."""
    return [round(50 + 50 * math.sin(number * step_s / 7 + card)) for number in range(count)]


def waves(cards: int, count: int, *, step_s: float = 1.0, **values: object) -> Frames:
    times = seconds(*(number * step_s for number in range(count)))
    return course(times, *(wave(card, count, step_s=step_s) for card in range(cards)), **values)


def named_events(*events: tuple[float, str]) -> list[Row]:
    return [
        {"time": NOON + timedelta(seconds=at), "kind": kind, "source": "train.log", "line": 1}
        for at, kind in events
    ]


def with_gaps() -> Frames:
    """Two cards, of which one is unknown for a while; nothing was printed for a minute; and something happened."""
    times = seconds(*range(30), *range(90, 130))
    first = [None if 10 <= number < 15 else 60 for number in range(70)]
    events = named_events((5, "launch"), (20, "oom"), (20, "oom"), (21, "worker_failed"), (128, "nccl_timeout"))
    return course(times, first, wave(1, 70), events=events)


def without_values() -> Frames:
    unknown = dict.fromkeys(("memory_used_mib", "memory_total_mib", "power_draw_w", "temperature_gpu_c"))
    return course(seconds(*range(12)), [None] * 12, [None] * 12, **unknown)


SCENES = {
    "1 card": waves(1, 30),
    "2 cards": waves(2, 40),
    "8 cards": waves(8, 200),
    "16 cards": waves(16, 30),
    "64 cards for 3 days": waves(64, 73, step_s=3600),
    "gaps, unknown values and events": with_gaps(),
    "no time": course([None] * 1000, wave(0, 1000), wave(1, 1000)),
    "2 samples": waves(2, 2),
    "1 sample": waves(2, 1),
    "no sample": course([]),
    "nothing known": without_values(),
    "no utilization": course(seconds(*range(12)), [None] * 12, memory_used_mib=900, name="NVIDIA $x_y$ 显卡"),
    "all at once": course(seconds(*[0] * 12), wave(0, 12)),
    "over midnight": course(
        [datetime(2026, 12, 31, 23, 50) + timedelta(minutes=n) for n in range(30)], wave(0, 30)
    ),
    "over years": course([datetime(1970 + 2 * n, 1, 1) for n in range(30)], wave(0, 30)),
}


KINDS = {"timeline": timeline, "heatmap": figures.heatmap, "distribution": figures.distribution}
EVERY = pytest.mark.parametrize(("name", "kind"), list(itertools.product(SCENES, KINDS)))


@cache
def drawn(name: str, kind: str) -> Figure:
    return KINDS[kind](SCENES[name])


def pictures(frames: Frames) -> dict[str, str]:
    found = figures.pictures(frames, None, masker=Masker())
    return {picture.file_name: picture.title for picture in found}


def visible(figure: Figure) -> Iterator[Text]:
    found = figure.findobj(Text)
    return (text for text in found if isinstance(text, Text) and text.get_visible() and text.get_text().strip())


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in visible(figure)]


def lines_of(axes: Axes, card: int) -> list[Line2D]:
    """The curves of a card, without its piece in the margin and its dots."""
    return [
        line
        for line in axes.lines
        if to_hex(line.get_color()) == style.card_colour(card)
        and line.get_linestyle() != "None"
        and line.get_transform() == axes.transData
    ]


def runs(values: Sequence[float]) -> list[list[float]]:
    """The pieces between the gaps."""
    pieces = itertools.groupby(np.asarray(values, dtype=float), key=lambda value: not math.isnan(value))
    return [list(piece) for known, piece in pieces if known]


@EVERY
def test_picture_has_our_width_and_bounded_size(name: str, kind: str) -> None:
    png = figures.png(drawn(name, kind))
    width, height = struct.unpack(">II", png[16:24])

    assert width == style.WIDTH_IN * style.DPI
    assert height <= MAX_SIDE_PX
    assert len(png) <= MAX_BYTES


@EVERY
def test_texts_stay_inside_and_do_not_touch(name: str, kind: str) -> None:
    figure = drawn(name, kind)
    FigureCanvasAgg(figure).draw()
    page = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in visible(figure)]
    outside = [text for text, box in boxes if box.x0 < 0 or box.x1 > page.x1 or box.y0 < 0 or box.y1 > page.y1]
    touching = [(a, b) for (a, one), (b, other) in itertools.combinations(boxes, 2) if one.overlaps(other)]

    assert outside == []
    assert touching == []


@EVERY
def test_letters_are_at_least_8_points(name: str, kind: str) -> None:
    assert min(text.get_fontsize() for text in visible(drawn(name, kind))) >= 8


def test_pictures_of_a_series_say_what_was() -> None:
    times = seconds(*range(10), *range(10, 30, 2))
    found = pictures(course(times, [0] * 15 + [99] * 5, [99] * 20, memory_used_mib=500))

    assert found["timeline.png"] == "GPU 0 was idle 75 % of 28 s, GPU 1 never"
    assert found["distribution.png"] == "GPU 1 was busy 100 % of 28 s, GPU 0 25 %"


def test_a_heat_map_is_drawn_of_more_than_8_cards() -> None:
    assert "heatmap.png" in pictures(waves(9, 10))
    assert "heatmap.png" not in pictures(waves(8, 10))


def test_a_few_prints_are_no_series() -> None:
    assert {"timeline.png", "distribution.png"}.isdisjoint(pictures(waves(2, 9)))


def test_without_utilization_there_is_a_timeline_only() -> None:
    assert set(pictures(SCENES["no utilization"])) == {"memory.png", "load.png", "timeline.png"}


def test_a_series_without_a_known_value_has_no_picture() -> None:
    assert pictures(SCENES["nothing known"]) == {}


TITLES = [
    ("one card", course(seconds(*range(10)), [0] * 9 + [80], memory_used_mib=500), "GPU 0 was idle 90 % of 9 s"),
    ("one idle card", course(seconds(*range(10)), [0] * 10), "GPU 0 stayed idle for 9 s"),
    ("idle cards", course(seconds(*range(10)), [0] * 10, [5] * 10), "All 2 cards stayed idle for 9 s"),
    ("idle, but full", course(seconds(*range(10)), [0] * 10, memory_used_mib=900), "GPU 0 was idle 100 % of 9 s"),
    (
        "busy",
        course(seconds(*range(10)), [80] * 10, [90] * 10),
        "2 cards worked at 80 to 90 % on average over 9 s",
    ),
    (
        "unused",
        course(seconds(*range(10)), [0] * 10, [60] * 10),
        "GPU 1 worked at 60 % on average over 9 s; GPU 0 was not used",
    ),
    ("alike", course(seconds(*range(10)), [0] * 3 + [9] * 7, [0] * 3 + [50] * 7), "2 cards were idle 30 % of 9 s"),
    (
        "one of many",
        course(seconds(*range(10)), *[[0] + [70] * 9] * 4, [0] * 8 + [70] * 2),
        "GPU 4 was idle 80 % of 9 s, the 4 others 10 %",
    ),
    (
        "the one that worked",
        course(seconds(*range(10)), *[[0] * 8 + [70] * 2] * 4, [70] * 10),
        "GPU 4 was never idle in 9 s, the 4 others 80 %",
    ),
    ("no time", course([None] * 10, [0] * 4 + [70] * 6), "GPU 0 was idle 40 % of 10 samples"),
    (
        "a gap",
        course(seconds(*range(5), *range(95, 100)), [0] * 4 + [70] * 6),
        "GPU 0 was idle 40 % of 10 samples in 1 min 39 s",
    ),
    (
        "no utilization",
        course(seconds(*range(10)), [None] * 10, memory_used_mib=9000),
        "GPU 0 held up to 9,000 MiB over 9 s; utilization is not known",
    ),
    ("nothing", without_values(), "Utilization of 2 cards is not known over 11 s"),
    ("no card", course([]), "No card was read"),
]


@pytest.mark.parametrize(("frames", "title"), [pytest.param(*rest, id=name) for name, *rest in TITLES])
def test_title_of_the_timeline_says_who_was_idle(frames: Frames, title: str) -> None:
    assert timeline(frames).get_suptitle() == title


def test_title_of_the_heat_map_names_idle_cards() -> None:
    busy, idle = [70] * 10, [0] * 10

    titles = [
        figures.heatmap(course(seconds(*range(10)), *cards)).get_suptitle()
        for cards in ([busy, idle], [busy, busy], [idle, idle])
    ]

    assert titles == [
        "1 of 2 cards was idle most of 9 s: GPU 1",
        "None of 2 cards was idle most of 9 s",
        "All 2 cards were idle most of 9 s",
    ]


def test_gaps_and_unknown_values_are_never_bridged() -> None:
    utilization, memory, *_ = timeline(with_gaps()).axes
    (first,), (second,) = lines_of(utilization, 0), lines_of(utilization, 1)

    assert runs(first.get_ydata()) == [[60] * 10, [60] * 15, [60] * 40]
    assert [len(run) for run in runs(second.get_ydata())] == [30, 40]
    assert [len(run) for run in runs(lines_of(memory, 0)[0].get_ydata())] == [30, 40]


def test_a_sample_between_gaps_is_a_dot() -> None:
    frames = course(seconds(*range(30)), [None] * 15 + [40] + [None] * 14)
    dots = [line for line in timeline(frames).axes[0].lines if line.get_marker() == "o"]

    assert [list(line.get_xydata()[0]) for line in dots] == [[15, 40]]


def test_prints_of_one_second_are_spread_over_it() -> None:
    frames = course(seconds(0, 0, 0, 0, 0, 1, 1, 1, 1, 1), [50] * 10)
    (line,) = lines_of(timeline(frames).axes[0], 0)

    assert list(line.get_xdata()) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8])


def test_ticks_are_local_times_as_printed() -> None:
    *_, last = timeline(SCENES["2 cards"]).axes

    assert [label.get_text() for label in last.get_xticklabels()] == [
        "12:00:00",
        "12:00:10",
        "12:00:20",
        "12:00:30",
    ]
    assert last.get_xlabel() == "time as printed, 2026-11-30"


def test_a_new_day_shows_its_date() -> None:
    *_, last = drawn("over midnight", "timeline").axes

    assert [label.get_text() for label in last.get_xticklabels()] == [
        "23:50",
        "23:55",
        "01-01",
        "00:05",
        "00:10",
        "00:15",
    ]
    assert last.get_xlabel() == "time as printed, 2026-12-31 to 2027-01-01"


@pytest.mark.parametrize("name", SCENES)
def test_ticks_are_few(name: str) -> None:
    assert len(drawn(name, "heatmap").axes[-1].get_xticks()) <= MOST_TICKS + 1


def test_prints_without_a_time_are_numbered() -> None:
    *_, last = drawn("no time", "timeline").axes

    assert last.get_xlabel() == "sample number"


def test_prints_without_a_time_are_counted_where_most_have_one() -> None:
    frames = course([*seconds(*range(20)), None], [50] * 21)

    assert "1 card, NVIDIA H200; 20 samples; 1 sample without a time left out" in texts(timeline(frames))


def test_of_several_hosts_the_first_is_drawn_and_counted() -> None:
    rows = [
        {**gpu(0), "snapshot": number, "time": NOON + timedelta(seconds=number), "host": host, "source": host}
        for host, numbers in (("node2", range(12)), ("node1", range(12, 30)))
        for number in numbers
    ]
    frames = Frames.from_rows({"gpus": rows})

    assert "1 card, NVIDIA H200; 12 samples; first of 2 hosts" in texts(timeline(frames))


def test_events_are_marked_with_their_kinds() -> None:
    figure = timeline(with_gaps())
    marks = [
        [line.get_xdata()[0] for line in axes.lines if line.get_color() == style.SURPLUS] for axes in figure.axes
    ]

    assert marks == [[5, 20, 21, 128]] * 4
    assert [text.get_text() for text in figure.axes[0].texts if text.get_color() == style.SURPLUS] == [
        "oom (2), launch, wor…",
        "nccl timeout",
    ]


def test_events_outside_the_series_and_mere_facts_are_not_marked() -> None:
    events = named_events((-5, "oom"), (500, "oom"), (5, "rank_pid"))
    figure = timeline(course(seconds(*range(12)), [50] * 12, events=events))

    assert not any(line.get_color() == style.SURPLUS for axes in figure.axes for line in axes.lines)


def with_processes(*lives: tuple[int, int, int, int]) -> Frames:
    """A minute of two cards, with processes as card, PID, first and last second."""
    frames = waves(2, 61)
    rows = [
        {"snapshot": at, "time": NOON + timedelta(seconds=at), "gpu_index": card, "pid": pid}
        | {"process_name": "/home/me/train.py", "used_gpu_memory_mib": 100 + pid}
        for card, pid, first, last in lives
        for at in range(first, last + 1)
    ]
    return replace(frames, processes=Frames.from_rows({"processes": rows}).processes)


def test_processes_are_bars_from_their_first_to_their_last_print() -> None:
    figure = timeline(with_processes((0, 7, 10, 50), (1, 8, 0, 60)))
    (axes,) = (axes for axes in figure.axes if axes.patches and len(axes.containers) == 2)
    spans = [
        (bar.get_x(), bar.get_x() + bar.get_width(), to_hex(bar.get_facecolor())) for (bar,) in axes.containers
    ]

    assert spans == [(10, 50, style.card_colour(0).lower()), (0, 60, style.card_colour(1).lower())]
    assert "PID 7 train.py, 107 MiB" in texts(figure)
    assert "/home/me" not in " ".join(texts(figure))


def test_of_many_processes_those_that_held_most_are_drawn() -> None:
    figure = timeline(with_processes(*((0, pid, 0, 60) for pid in range(20))))
    drawn = [text for text in texts(figure) if text.startswith("PID")]

    assert [text.split()[1] for text in drawn] == [str(pid) for pid in range(12, 20)]
    assert "processes and the most memory each held (12 smaller ones left out)" in texts(figure)


def test_thousands_of_events_stay_few_lines() -> None:
    events = named_events(*((at / 100, "nan_loss") for at in range(3000)))
    figure = timeline(course(seconds(*range(31)), [50] * 31, events=events))

    assert sum(line.get_color() == style.SURPLUS for line in figure.axes[0].lines) <= 201


def test_a_limit_is_drawn_where_it_does_not_flatten_the_lines() -> None:
    near, far = (
        timeline(course(seconds(*range(12)), [50] * 12, memory_used_mib=mib)).axes[1] for mib in (90000, 900)
    )

    assert near.get_ylim()[1] > 143771
    assert far.get_ylim()[1] < 2000
    assert [axes.texts[0].get_text() for axes in (near, far)] == [
        "memory used, MiB (capacity 143,771 MiB, dashed)",
        "memory used, MiB (capacity 143,771 MiB)",
    ]


def test_the_time_in_which_the_job_ran_is_shaded() -> None:
    rows = [
        {**gpu(0), "memory_used_mib": 9000 * (10 <= n < 20), "snapshot": n, "time": NOON + timedelta(seconds=n)}
        for n in range(30)
    ]
    figure = timeline(Frames.from_rows({"gpus": rows}))

    assert [(patch.get_x(), patch.get_width()) for axes in figure.axes for patch in axes.patches] == [(10, 9)] * 4
    assert any("shaded: the job ran" in text for text in texts(figure))


def test_a_card_keeps_its_colour() -> None:
    timeline, distribution = (drawn("2 cards", kind) for kind in ("timeline", "distribution"))

    assert all(lines_of(axes, card) for axes in timeline.axes for card in (0, 1))
    assert {style.card_colour(0), style.card_colour(1)} <= {
        to_hex(patch.get_facecolor()) for patch in distribution.axes[-1].patches
    }


def test_cards_of_one_colour_differ_in_their_dashes() -> None:
    lines = lines_of(drawn("8 cards", "timeline").axes[0], 0)

    assert [line.get_linestyle() for line in lines] == ["-", "--"]


def test_of_many_cards_only_the_one_of_the_title_has_a_name() -> None:
    cards = [[70] * 12] * 9 + [[0] * 9 + [70] * 3]
    figure = timeline(course(seconds(*range(12)), *cards))

    assert figure.get_suptitle().startswith("GPU 9 was idle 75 %")
    assert [text for text in texts(figure) if text.startswith("GPU ") and len(text) < 7] == ["GPU 9"] * 4


def test_of_many_cards_those_of_few_that_a_finding_names_have_a_name_too() -> None:
    cards = [[70] * 12] * 9 + [[0] * 9 + [70] * 3]
    grows = Finding(id="memory-grows", severity="medium", title="T.", why="W.", next_step="N.", gpus=(4,))
    all_wait = replace(grows, gpus=tuple(range(10)))
    coarse = replace(grows, severity="info", gpus=(5,))
    figure = timeline(course(seconds(*range(12)), *cards), findings=[grows, all_wait, coarse])

    names = [text for text in texts(figure) if text.startswith("GPU ") and len(text) < 7]
    assert sorted(names) == ["GPU 4"] * 4 + ["GPU 9"] * 4


def test_names_at_the_ends_stand_in_the_order_of_their_lines() -> None:
    figure = timeline(course(seconds(*range(12)), [50] * 12, [51] * 12, [52] * 12))
    names = [text for text in figure.axes[0].texts if text.get_text().startswith("GPU")]

    assert [text.get_text() for text in sorted(names, key=lambda text: -text.xy[1])] == ["GPU 2", "GPU 1", "GPU 0"]


def drawn_points(figure: Figure) -> list[int]:
    lines = [len(line.get_xdata()) for axes in figure.axes for line in axes.lines]
    bands = [
        sum(len(path.vertices) for path in band.get_paths())
        for axes in figure.axes
        for band in axes.collections
        if isinstance(band, PolyCollection)
    ]
    return lines + bands


def test_no_line_has_more_than_4000_points() -> None:
    figure = timeline(waves(2, 6000))

    assert len(drawn_points(figure)) > 8
    assert max(drawn_points(figure)) <= MOST_POINTS


def test_a_row_of_the_heat_map_has_few_cells() -> None:
    (image,) = figures.heatmap(waves(2, 6000)).axes[-1].images

    assert image.get_array().shape == (2, MOST_CELLS)


def test_a_heat_map_leaves_open_what_is_not_known() -> None:
    (image,) = figures.heatmap(with_gaps()).axes[-1].images
    cells_drawn = np.ma.filled(image.get_array().astype(float), np.nan)

    assert np.flatnonzero(np.isnan(cells_drawn[1])).tolist() == list(range(30, 90))
    assert np.flatnonzero(np.isnan(cells_drawn[0])).tolist() == [*range(10, 15), *range(30, 90)]


def test_a_heat_map_shows_no_gap_where_seconds_are_skipped() -> None:
    (image,) = figures.heatmap(course(seconds(0, 1, 2, 4, 5, 7, 8, 9), [50] * 8)).axes[-1].images

    assert not np.isnan(np.ma.filled(image.get_array().astype(float), np.nan)).any()


def test_shares_of_the_distribution_make_up_all_samples() -> None:
    frames = course(seconds(*range(10)), [0, 5, 6, 49, 50, 89, 90, 100, None, None])
    axes = figures.distribution(frames).axes[-1]

    assert [round(patch.get_width()) for patch in axes.patches] == [20, 20, 20, 20, 20]
    assert usages(tracks_of(frames))[0].counts == (2, 2, 2, 2)
    assert "mean 49 %" in texts(axes.figure)


def test_a_card_without_a_known_utilization_is_said_to_be_unknown() -> None:
    axes = figures.distribution(course(seconds(*range(10)), [None] * 10, [50] * 10)).axes[-1]

    assert [text.get_text() for text in axes.texts if "nknown" in text.get_text()] == ["unknown"]


def track(values: Sequence[float], *, gap: float = 3.0) -> Track:
    return Track(np.arange(float(len(values))), np.array(values, dtype=float), gap)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.just(math.nan), st.floats(0, 100)), min_size=1, max_size=900))
def test_thinning_loses_no_peak(values: list[float]) -> None:
    thinned = band(track(values))
    known = [value for value in values if not math.isnan(value)]

    assert len(thinned.at) <= max(2 * MOST_BINS, DRAWN_AS_IS)
    if known:
        assert np.nanmax(thinned.high) == max(known)
        assert np.nanmin(thinned.low) == min(known)
        between = ~np.isnan(thinned.mean)
        assert (thinned.low - 1e-9 <= thinned.mean)[between].all()
        assert (thinned.mean <= thinned.high + 1e-9)[between].all()
    else:
        assert np.isnan(thinned.mean).all()


def test_few_samples_are_not_thinned() -> None:
    assert band(track([1, 2, 3])).mean.tolist() == [1, 2, 3]


def test_a_million_samples_become_bins() -> None:
    assert len(band(track(np.zeros(1_000_000))).at) == MOST_BINS


def test_a_pause_of_a_thinned_track_is_a_gap() -> None:
    at = np.concatenate([np.arange(5000.0), np.arange(9000.0, 14000.0)])
    thinned = band(Track(at, np.ones(at.size), gap=3.0))

    assert len(runs(thinned.mean)) == 2


def test_cells_hold_a_value_until_the_next_sample() -> None:
    found = cells(Track(np.array([0.0, 2.0, 8.0]), np.array([1.0, 2.0, 3.0]), gap=3.0), np.arange(-0.5, 9))

    assert runs(found) == [[1, 1, 2], [3]]


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.01, 0.2))
def test_names_are_spread_apart_in_their_order(wanted: list[float], least: float) -> None:
    places = spread(np.array(sorted(wanted)), least=least, room=2.0)

    assert (np.diff(places) >= least - 1e-9).all()
    assert all(0 <= place <= 2 + 1e-9 for place in places)


def test_names_with_room_stay_where_they_belong() -> None:
    assert spread(np.array([0.2, 0.5, 0.9]), least=0.1, room=1.0).tolist() == pytest.approx([0.2, 0.5, 0.9])


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (0.25, "0.2 s"),
        (44, "44 s"),
        (192, "3 min 12 s"),
        (3600, "1 h"),
        (3660.4, "1 h 1 min"),
        (86400, "1 day"),
        (3 * 86400 - 30, "2 days 23 h"),
    ],
)
def test_durations_in_words(span: float, words: str) -> None:
    assert duration(span) == words


def test_several_inputs_of_one_card_are_one_line() -> None:
    fine = [
        {
            **gpu(0),
            "utilization_gpu_pct": 60,
            "source": "gpu.csv",
            "snapshot": n,
            "time": NOON + timedelta(seconds=n / 5),
        }
        for n in range(100)
    ]
    coarse = [
        {
            **gpu(0),
            "utilization_gpu_pct": 10,
            "power_draw_w": None,
            "source": "smi.txt",
            "snapshot": 100 + n,
            "time": NOON + timedelta(seconds=n),
        }
        for n in range(20)
    ]
    figure = timeline(Frames.from_rows({"gpus": fine + coarse}))

    assert set(lines_of(figure.axes[0], 0)[0].get_ydata()) == {60}
    assert len(runs(lines_of(figure.axes[2], 0)[0].get_ydata())) == 1


@settings(max_examples=10, deadline=None)
@given(st.text(max_size=80))
def test_any_product_name_draws_without_changing_the_size(name: str) -> None:
    png = figures.png(figures.distribution(course(seconds(*range(3)), [50] * 3, name=name)))

    assert struct.unpack(">II", png[16:24]) == (1280, 272)


@pytest.mark.parametrize("kind", KINDS)
def test_same_input_gives_same_bytes(kind: str) -> None:
    first, second = (figures.png(KINDS[kind](with_gaps())) for _ in range(2))

    assert first == second
    assert b"Software" not in first


@pytest.mark.parametrize(("kind", "shown"), [("timeline", "64"), ("distribution", "128"), ("heatmap", "512")])
def test_more_cards_than_can_be_shown_are_counted(kind: str, shown: str) -> None:
    figure = KINDS[kind](course(seconds(0, 1, 2), *[[50, 60, 70]] * 520))

    assert any(text.startswith(f"520 cards ({shown} shown)") for text in texts(figure))
    assert figure.get_figheight() * style.DPI <= MAX_SIDE_PX
