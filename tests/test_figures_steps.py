"""The picture of a training log: what it says, and that no value and no name of a log stops it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from smianalyze.figures import png
from smianalyze.figures.steps import MOST_LINES, steps
from smianalyze.frames import Frames
from smianalyze.masking import Masker

Row = dict[str, object]
MOST_PIXELS = 4000


def picture(rows: Sequence[Row]) -> Figure:
    usual = {"source": "train.log", "line": 1}
    return steps(Frames.from_rows({"steps": [{**usual, **row} for row in rows]}), masker=Masker())


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


def test_title_says_what_waits_for_data_with_the_number_of_the_finding() -> None:
    rows = [{"step": step, "step_time_s": 2.0, "data_time_s": 1.5, "loss": 1.0} for step in range(6)]

    assert picture(rows).get_suptitle() == "75 % of the time of a step waits for data"


def test_two_logs_have_a_range_and_their_names() -> None:
    rows = [
        {"source": f"{wait}.log", "step": step, "step_time_s": 2.0, "data_time_s": wait}
        for wait in (0.5, 1.5)
        for step in range(6)
    ]
    figure = picture(rows)

    assert figure.get_suptitle() == "25 to 75 % of the time of a step waits for data in 2 logs"
    assert {"0.5.log", "1.5.log"} <= set(words(figure))


def test_loss_is_told_where_no_times_are_known() -> None:
    rows = [{"step": step, "loss": loss} for step, loss in enumerate((2.5, 2.0, 1.25))]

    assert picture(rows).get_suptitle() == "Loss was 2.5 at first and 1.25 at last"


def test_counter_of_an_epoch_is_no_axis() -> None:
    rows = [{"epoch": epoch, "step": step, "loss": 1.0} for epoch in range(2) for step in range(3)]

    assert "record number" in words(picture(rows))
    assert "step" in words(picture(rows[:3]))


def test_each_log_has_some_of_its_ranks() -> None:
    rows = [
        {"source": source, "rank": rank, "step": step, "loss": 1.0 + rank}
        for source in ("a.log", "b.log")
        for rank in range(MOST_LINES)
        for step in range(3)
    ]
    shown = words(picture(rows))

    assert {"a.log rank 0", "b.log rank 0", "b.log rank 3"} <= set(shown)
    assert f"{MOST_LINES} of {2 * MOST_LINES} ranks shown" in " ".join(shown)


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf, 1.7e308, 1e-320, 0.0])
def test_any_loss_draws(loss: float) -> None:
    assert png(picture([{"step": step, "loss": loss if step % 2 else 1.0} for step in range(6)]))
    assert png(picture([{"step": 1, "loss": loss}]))


@pytest.mark.parametrize("step", [0, 10**15, 10**18 - 1])
def test_any_counter_draws(step: int) -> None:
    assert png(picture([{"step": step, "loss": 1.0}, {"step": step, "loss": 2.0}]))


@pytest.mark.parametrize("name", ["$x_{", "_hidden", "y" * 500, "显卡\n\x1b[2J", ""])
def test_any_name_draws_and_the_size_stays(name: str) -> None:
    rows = [{"source": source, "step": step, "loss": 1.0} for source in (name, "other") for step in range(3)]
    figure = picture(rows)

    assert png(figure)
    assert max(figure.get_size_inches() * figure.dpi) <= MOST_PIXELS


def test_no_record_is_said() -> None:
    assert picture([]).get_suptitle() == "No record of a training log was read"


def test_learning_rate_has_a_panel_and_memory_is_written_out() -> None:
    rows = [{"step": step, "loss": 1.0, "lr": 0.1, "gpu_mem_mib": 105_476.0} for step in range(3)]
    said = words(picture(rows))

    assert "learning rate" in said
    assert "105,476" in said
