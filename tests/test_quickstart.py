"""The notebook of ``examples/`` runs from top to bottom on a real kernel, and shows what is stored in it."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"
PICTURE = "image/png"
OWN_PICTURES = 3

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Jupyter's own packages
]


def comparable(notebook: nbformat.NotebookNode) -> list[list[object]]:
    """The outputs of each code cell: of frames what they say, of pictures and of what shows itself only the kinds.

    Versions of matplotlib differ a little, and sentences of findings have tests of their own.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [[dict(output.get("data", output)) for output in cell.outputs] for cell in cells]
    return [
        [sorted(kinds) if {PICTURE, "text/markdown"} & kinds.keys() else kinds for kinds in outputs]
        for outputs in shown
    ]


@pytest.fixture(scope="module")
def executed() -> nbformat.NotebookNode:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # else the kernel warns of frozen modules
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=folder).execute()
    return notebook


def test_notebook_runs_and_shows_what_is_stored(
    executed: nbformat.NotebookNode, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--update-notebook"):
        for cell in executed.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(executed, NOTEBOOK)

    assert comparable(executed) == comparable(nbformat.read(NOTEBOOK, as_version=4))


def test_pictures_and_captures_show_themselves(executed: nbformat.NotebookNode) -> None:
    outputs = [output.get("data", {}) for cell in executed.cells for output in cell.get("outputs", [])]
    html = "".join(data.get("text/html", "") for data in outputs)

    assert sum(PICTURE in data for data in outputs) == OWN_PICTURES
    assert "<strong>2 inputs</strong>" in html
    assert "also opened a context on it (612 MiB)" in html
    assert "waits for data" in html
