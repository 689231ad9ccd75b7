"""Markdown as HTML: no link, no raw HTML, and only the pictures that were handed over."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smianalyze import safe
from smianalyze.rendered import fragment, heading

HOSTILE = (
    st.text(alphabet=st.sampled_from("`|\\\\<>[]()!*_#@&'\"~\n\r\t -=.:/ahtps显\u202e\x1b\x00"), max_size=40)
    | st.text()
)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"),
        ("[a](https://e.com) <https://e.com>", "<p>[a](https://e.com) &lt;https://e.com&gt;</p>\n"),
        ("[a]\n\n[a]: https://e.com", "<p>[a]</p>\n<p>[a]: https://e.com</p>\n"),
        ("![some words](https://e.com/a.png)", "<p>some words</p>\n"),
        ("![a & b](other.png)", "<p>a &amp; b</p>\n"),
        (
            "![a & b](here.png)",
            '<p><span class="wide"><img src="data:image/png;base64,cG5n" alt="a &amp; b" width="800">'
            "</span></p>\n",
        ),
    ],
)
def test_markdown_becomes_html_that_asks_for_nothing(markdown: str, html: str) -> None:
    assert fragment(markdown, {"here.png": b"png"}) == html


def test_heading_is_its_words() -> None:
    assert heading("Before.\n\n# Of `a <b>` → *c*\n\n# Second") == "Of a <b> → c"
    assert heading("No heading.") == ""


@settings(max_examples=1000, deadline=None)
@given(HOSTILE)
def test_any_text_in_a_code_span_is_text_in_a_paragraph_and_in_a_cell(text: str) -> None:
    paragraph = fragment(f"a {safe.code(text)} b")
    cell = fragment(f"| a |\n| --- |\n| {safe.cell(text)} |")

    assert re.fullmatch("<p>a <code>[^<>]+</code> b</p>\n", paragraph)
    assert re.findall("<td>(.*?)</td>", cell, re.DOTALL) == re.findall("<code>[^<>]+</code>", cell)
    assert cell.count("<td>") == cell.count("<code>") == 1
