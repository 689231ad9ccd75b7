"""Markdown as HTML: no link, no raw HTML, and only the pictures that were handed over."""

from __future__ import annotations

import pytest

from smianalyze.rendered import fragment, heading


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
