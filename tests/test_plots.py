"""The pictures of a capture: one call each, as a page of their own or inside axes of the user's."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from fixture_pairs import FIXTURES
from matplotlib.figure import Figure
from matplotlib.text import Text

import smianalyze
from smianalyze import Capture

PLOTS = ("timeline", "memory", "utilization", "power", "steps", "comparison")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def two_prints() -> Capture:
    demo = FIXTURES / "demo"
    return smianalyze.load(demo / "smi_before.txt", demo / "smi_after.txt")


@pytest.fixture(scope="module")
def series() -> Capture:
    header = "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]"
    ticks = [
        f"2026/11/30 19:36:{second:02}.000, {index}, {second} %, {1000 * index + second} MiB, 100.00 W"
        for second in range(20)
        for index in (0, 1)
    ]
    return smianalyze.loads("\n".join([header, *ticks, ""]))


@pytest.fixture(scope="module")
def log() -> Capture:
    return smianalyze.load(FIXTURES / "log_pairs" / "imagenet.txt")


@pytest.fixture(scope="module")
def nothing() -> Capture:
    return smianalyze.loads("Nothing of ours.")


def title(figure: Figure) -> str:
    return figure.get_suptitle()


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


def axes_of_the_user() -> tuple[Figure, mpl.axes.Axes]:
    figure = Figure()
    return figure, figure.subplots()


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("captured", ["two_prints", "series", "log", "nothing"])
def test_each_call_is_a_page_that_a_notebook_shows(
    name: str, captured: str, request: pytest.FixtureRequest
) -> None:
    figure = getattr(request.getfixturevalue(captured).plot, name)()

    assert isinstance(figure, Figure)
    assert title(figure)
    assert figure._repr_png_().startswith(PNG)


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("captured", ["two_prints", "series", "log", "nothing"])
def test_each_call_draws_into_given_axes(name: str, captured: str, request: pytest.FixtureRequest) -> None:
    figure, axes = axes_of_the_user()

    assert getattr(request.getfixturevalue(captured).plot, name)(ax=axes) is figure
    figure.draw_without_rendering()


def test_two_prints_are_bars_and_a_series_is_a_course(two_prints: Capture, series: Capture) -> None:
    assert title(two_prints.plot.memory()) == "GPU 0 also holds a context of PID 813: 612 MiB"
    assert title(two_prints.plot.utilization()) == "Utilization was 0 to 27 % and is 80 to 99 %"
    assert title(series.plot.memory()) == "Memory used: 10 to 1,010 MiB on average, 1,019 MiB at most"
    assert "time as printed" in " ".join(words(series.plot.power()))


def test_bars_inside_axes_have_their_values(two_prints: Capture) -> None:
    _, axes = axes_of_the_user()
    two_prints.plot.comparison(ax=axes)

    assert [bar.get_width() for bar in axes.patches] == [14561, 31022, 11691, 27533]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["GPU 0", "GPU 1"]
    assert axes.get_xlabel() == "memory used, MiB"


def test_courses_inside_axes_have_their_values(series: Capture) -> None:
    _, axes = axes_of_the_user()
    series.plot.memory(ax=axes)
    drawn = {line.get_label(): line.get_ydata().max() for line in axes.lines}
    known = series.gpus.groupby("gpu_index")["memory_used_mib"].max()

    assert drawn == {f"GPU {index}": mib for index, mib in known.items()}


def test_axes_in_a_part_of_a_figure_give_the_whole_figure(series: Capture) -> None:
    figure = Figure()
    part, _ = figure.subfigures(1, 2)

    assert series.plot.power(ax=part.subplots()) is figure


def test_log_is_drawn_over_steps_with_what_waits_for_data(log: Capture) -> None:
    _, axes = axes_of_the_user()
    log.plot.steps(ax=axes)

    assert axes.get_ylabel() == "time of a step, s"
    assert axes.lines[0].get_ydata().tolist() == log.steps["step_time_s"].tolist()
    assert {"loss", "time of a step, s", "waiting for data, s"} <= set(words(log.plot.steps()))


def test_what_was_not_read_is_said(nothing: Capture) -> None:
    assert title(nothing.plot.steps()) == "No record of a training log was read"
    assert title(nothing.plot.comparison()) == "Memory in use is not known"


def test_style_of_the_user_stays_as_it_is(two_prints: Capture) -> None:
    before = dict(mpl.rcParams)
    two_prints.plot.comparison()

    assert dict(mpl.rcParams) == before
