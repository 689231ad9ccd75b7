"""The report as one HTML file: what it says, that no text of an input becomes markup, that it asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from hypothesis import example, given, settings
from hypothesis import strategies as st
from report_contents import content_full_of, content_of
from scenes import extra_context

from smianalyze.report import Chart
from smianalyze.report.to_html import html_text

PICTURE = b"\x89PNG, or so"
CHART = Chart("memory.png", 'GPU 0 also holds "more" & <b>bold</b>', PICTURE)


class Page(HTMLParser):
    """The tags of a page in order with the names of their attributes, all values, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[tuple[str, str | None]] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attributes)))
        self.values += attributes

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def value(self, name: str) -> list[str | None]:
        return [value for found, value in self.values if found == name]


def test_page_says_what_the_report_says() -> None:
    page = Page(html_text(content_of(extra_context(), charts=[CHART])))
    words = " ".join("".join(page.said).split())

    assert "GPU report: before_smi.txt → after_smi.txt" in words
    assert "14,561 → 31,022 MiB" in words
    assert "smianalyze report before_smi.txt after_smi.txt" in words


def test_pictures_are_inside_with_their_statement() -> None:
    page = Page(html_text(content_of(extra_context(), charts=[CHART])))

    assert page.value("src") == [f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"]
    assert page.value("alt") == [CHART.title]


def test_policy_comes_first_and_allows_our_style_alone() -> None:
    text = html_text(content_of(extra_context(), charts=[CHART]))
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = Page(text)

    assert [tag for tag, _ in page.tags[:4]] == ["html", "head", "meta", "meta"]
    assert page.value("content")[0] == (
        f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    )


def test_page_has_no_tag_that_asks_for_anything_or_runs() -> None:
    page = Page(html_text(content_full_of("python", [CHART])))
    names = {name for _, attributes in page.tags for name in attributes}

    assert {tag for tag, _ in page.tags} == {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "strong", "code"),
        *("div", "span", "img", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert names == {"lang", "charset", "http-equiv", "content", "name", "class", "src", "alt", "width"}


HARMLESS = Page(html_text(content_full_of("python", [CHART]))).tags


@settings(max_examples=30, deadline=None)
@given(
    st.text(
        alphabet=st.sampled_from("`|\\<>[]()!*_#@&'\"~\n\r\t -=.:/ahtps显\u202e\x1b\x00"),
        min_size=1,
        max_size=30,
    )
)
@example("<script>alert(1)</script>")
@example("</title></style></main><img src=x onerror=alert(1)>")
@example("![x](memory.png) [y](javascript:alert(1)) <https://e.com>")
@example("&lt;b&gt; &#60;b&#62; {style} {policy}")
def test_no_text_of_an_input_becomes_markup(text: str) -> None:
    assert Page(html_text(content_full_of(text, [CHART]))).tags == HARMLESS
