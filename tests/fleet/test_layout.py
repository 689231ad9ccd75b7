"""Which files make a capture, and of which host and run it is."""

from __future__ import annotations

import pytest

from smianalyze.errors import UnknownLayout
from smianalyze.fleet.layout import CaptureFiles, captures_of

NAMES = ["a/r1/smi.txt", "a/r1/train.log", "b/r1/smi.txt", "b/r2/deep/smi.txt", "notes.md"]


def test_without_a_layout_each_file_is_a_capture() -> None:
    captures, others = captures_of(NAMES)

    assert [capture.names for capture in captures] == [(name,) for name in NAMES]
    assert not others


def test_files_of_one_host_and_run_are_one_capture() -> None:
    captures, others = captures_of(NAMES, "{host}/{run}/*")

    assert captures == [
        CaptureFiles(("a/r1/smi.txt", "a/r1/train.log"), "a", "r1"),
        CaptureFiles(("b/r1/smi.txt",), "b", "r1"),
    ]
    assert others == ["b/r2/deep/smi.txt", "notes.md"]


@pytest.mark.parametrize(
    ("layout", "name", "host", "run"),
    [
        ("**/{host}_{run}.log", "x/y/node7_42.log", "node7", "42"),
        ("{host}/*.txt", "node7/smi.txt", "node7", None),
        ("runs/{run}/*", "runs/42/smi.txt", None, "42"),
        ("{host}.c?v", "node7.csv", "node7", None),
        ("{host}/[x]*", "node7/[x]1", "node7", None),
    ],
)
def test_fields_and_stars_are_parts_of_a_path(layout: str, name: str, host: str | None, run: str | None) -> None:
    captures, _ = captures_of([name], layout)

    assert captures == [CaptureFiles((name,), host, run)]


@pytest.mark.parametrize("layout", ["{user}/*", "{host}/{host}/*", "*.log", "{host"])
def test_other_layouts_are_refused(layout: str) -> None:
    with pytest.raises(UnknownLayout, match="layout"):
        captures_of(NAMES, layout)
