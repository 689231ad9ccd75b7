"""A line on the terminal says how far long work is, and is gone when the work is done."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from smianalyze import progress
from smianalyze.progress import Progress, Stage


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    yield Clock(monkeypatch)


def seen(written: str) -> str:
    """What a terminal shows after this text: a carriage return goes to the beginning of the line."""
    line = ""
    for part in written.split("\r"):
        line = part + line[len(part) :]
    return line.rstrip()


def test_rate_and_time_left_follow_from_what_is_done(clock: Clock) -> None:
    stage = Stage("reading", clock.now, total=200_000_000, done=50_000_000)

    assert stage.text(clock.now + 10) == "reading 25 %: 50 of 200 MB, 5.0 MB/s, 30 s left"


@pytest.mark.parametrize(
    ("left_s", "text"), [(59, "59 s left"), (60, "1 min left"), (3599, "60 min left"), (5400, "1.5 h left")]
)
def test_time_left_has_the_unit_that_fits(clock: Clock, left_s: int, text: str) -> None:
    assert Stage("reading", clock.now, total=left_s + 1, unit="files", done=1).text(clock.now + 1).endswith(text)


def test_no_end_is_known_of_a_pipe(clock: Clock) -> None:
    assert Stage("reading", clock.now, done=3_000_000).text(clock.now + 2) == "reading: 3 MB, 1.5 MB/s"


def test_pieces_have_no_rate(clock: Clock) -> None:
    assert Stage("pictures", clock.now, total=8, unit="pictures", done=4).text(clock.now + 2) == (
        "pictures 50 %: 4 of 8 pictures, 2 s left"
    )


def test_short_work_shows_nothing(clock: Clock) -> None:
    terminal = io.StringIO()
    line = Progress(terminal)
    line.stage("reading", 10)
    clock.now += 0.9
    line.advance(10)
    line.wipe()

    assert terminal.getvalue() == ""


def test_line_is_wiped(clock: Clock) -> None:
    terminal = io.StringIO()
    line = Progress(terminal)
    line.stage("reading", 2_000_000)
    clock.now += 2
    line.advance(1_000_000)
    assert seen(terminal.getvalue()) == "reading 50 %: 1 of 2 MB, 0.5 MB/s, 2 s left"
    clock.now += 1
    line.stage("pictures", 4, unit="pictures")
    assert seen(terminal.getvalue()) == "pictures 0 %: 0 of 4 pictures"
    line.wipe()

    assert seen(terminal.getvalue()) == ""


def test_each_counts_what_it_hands_out(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    with progress.shown():
        for _ in progress.each("findings", "abc", unit="questions"):
            clock.now += 1
        assert seen(terminal.getvalue()) == "findings 100 %: 3 of 3 questions, 0 s left"

    assert seen(terminal.getvalue()) == ""


@pytest.mark.parametrize(("terminal", "quiet"), [(True, True), (False, False)])
def test_pipes_and_quiet_commands_stay_silent(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(progress.sys, "stderr", stream)
    with progress.shown(quiet=quiet):
        progress.current().stage("reading")
        clock.now += 5
        progress.current().advance(1)

    assert stream.getvalue() == ""
