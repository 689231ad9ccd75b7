from __future__ import annotations

import time
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES, captures, check_pair

import smianalyze
from smianalyze.formats import smi_xml
from smianalyze.repair import Line

DOCUMENT = "<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n{gpu}</nvidia_smi_log>\n"
GPU = """\
<gpu id="00000000:3B:00.0">
<product_name>{name}</product_name>
<fb_memory_usage><used>{used}</used></fb_memory_usage>
</gpu>
"""
REFUSED_WITHIN_S = 0.1
NESTED = 60_000 // len("<a>")  # in one line: a longer line is cut before it gets here
HOSTILE = {
    "entities": "<!DOCTYPE nvidia_smi_log [\n<!ENTITY a 'b'>\n]>\n"
    + DOCUMENT.format(gpu=GPU.format(name="&a;", used="")),
    "billion laughs": "<!DOCTYPE nvidia_smi_log [\n<!ENTITY a0 'ha'>\n"
    + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>\n" for n in range(1, 10))
    + "]>\n"
    + DOCUMENT.format(gpu=GPU.format(name="&a9;", used="")),
    "external entity": "<!DOCTYPE nvidia_smi_log [\n<!ENTITY a SYSTEM 'file:///etc/hostname'>\n]>\n"
    + DOCUMENT.format(gpu=GPU.format(name="&a;", used="")),
    "parameter entity": "<!DOCTYPE nvidia_smi_log [\n<!ENTITY % a SYSTEM 'file:///etc/hostname'>\n%a;\n]>\n"
    + DOCUMENT.format(gpu=GPU.format(name="", used="")),
    "deep": DOCUMENT.format(gpu="<gpu>\n" + "<a>\n" * 63 + "</a>\n" * 63 + "</gpu>\n"),
    "deep in one line": DOCUMENT.format(gpu="<gpu>" + "<a>" * NESTED),
    "very deep": DOCUMENT.format(gpu="<gpu>\n" + ("<a>" * 1000 + "\n") * 50),
    "undefined entity": DOCUMENT.format(gpu=GPU.format(name="&nothing;", used="")),
    "other root": "<?xml version='1.0'?>\n<all>\n"
    + DOCUMENT.format(gpu=GPU.format(name="", used=""))
    + "</all>\n",
    "no document": "<nvidia_smi_log" + "<" * 1000,
}


def seconds_to_read(text: str) -> float:
    lines = [Line(number, line, "") for number, line in enumerate(text.split("\n"), 1)]
    start = time.perf_counter()
    smi_xml.FORMAT.read(lines)
    return time.perf_counter() - start


@pytest.mark.parametrize("capture", captures("smi_xml"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_document_is_refused_at_once(text: str) -> None:
    capture = smianalyze.loads(text)

    assert len(capture.gpus) == 0
    assert capture.problems["format"].tolist() == ["smi_xml"]
    assert min(seconds_to_read(text) for _ in range(3)) < REFUSED_WITHIN_S  # a busy machine slows some, not all


def test_document_after_a_refused_one_is_read() -> None:
    capture = smianalyze.loads(
        HOSTILE["entities"] + DOCUMENT.format(gpu=GPU.format(name="Tesla T4", used="5 MiB"))
    )

    assert capture.gpus["memory_used_mib"].tolist() == [5]


@pytest.mark.parametrize("path", sorted((FIXTURES / "same_instant").glob("*.xml")), ids=lambda path: path.name)
def test_genuine_document_with_its_doctype_is_read_to_the_last_line(path: Path) -> None:
    (row,) = smianalyze.load(path).inputs.to_dict("records")

    assert (row["format"], row["used"]) == ("smi_xml", row["lines"])


def test_deepest_allowed_document_is_read() -> None:
    inside = 64 - 2  # below the root and the GPU
    gpu = GPU.format(name="Tesla T4", used="5 MiB").replace("</gpu>", "<a>" * inside + "</a>" * inside + "</gpu>")

    assert smianalyze.loads(DOCUMENT.format(gpu=gpu)).gpus["memory_used_mib"].tolist() == [5]


def test_long_element_is_a_problem_and_the_rest_is_read() -> None:
    gpu = GPU.format(name="\n".join(["x" * 1000] * 70), used="5 MiB")
    capture = smianalyze.loads(DOCUMENT.format(gpu=gpu))

    assert capture.gpus["name"].isna().all()
    assert capture.gpus["memory_used_mib"].tolist() == [5]
    assert len(capture.problems) == 1


def test_declared_encoding_does_not_matter_for_decoded_text() -> None:
    text = "<?xml version='1.0' encoding='utf-16'?>\n" + DOCUMENT.format(
        gpu=GPU.format(name="Größe", used="5 MiB")
    )

    assert smianalyze.loads(text).gpus["name"].tolist() == ["Größe"]


def test_cut_document_gives_its_whole_gpus() -> None:
    two = GPU.format(name="Tesla T4", used="5 MiB") + GPU.format(name="Tesla T4", used="12345 MiB").replace(
        "3B", "5E"
    )
    whole = DOCUMENT.format(gpu=two).replace(">1<", ">2<")
    capture = smianalyze.loads(whole[: whole.index("345 MiB")])

    assert capture.gpus["memory_used_mib"].tolist() == [5]
    assert capture.problems["line"].tolist() == [9]


def test_documents_on_one_line_are_told_apart() -> None:
    one = DOCUMENT.format(gpu=GPU.format(name="Tesla T4", used="5 MiB")).replace("\n", "")

    assert smianalyze.loads(one + one).gpus["snapshot"].tolist() == [0, 1]
