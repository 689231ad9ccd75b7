"""Whatever an input says, it cannot steer a terminal, a Markdown page, a spreadsheet or a figure."""

from __future__ import annotations

import json
import random
import unicodedata
import warnings
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from smianalyze import safe

quick = settings(max_examples=200, deadline=None, derandomize=True)
# Bell, escape, C1, zero width space and joiner, direction marks and overrides, separators, half a pair.
STEERING = "".join(map(chr, (0, 7, 8, 9, 10, 13, 27, 127, 0x85, 0x9B, 0xAD, 0x61C, 0x200B, 0x200D, 0x200E)))
STEERING += "".join(map(chr, (0x202A, 0x202E, 0x2028, 0x2029, 0x2066, 0x2069, 0xFEFF, 0xFE0F, 0x3164, 0xD800)))
SPIKES = (
    *("`", "``", "|", "\\", "\\|", "\\\\|", "<b>", "</code>", "<img src=x onerror=y>", "[a](b)", "![a](b)"),
    *(
        "https://e.com",
        "e.com",
        "@name",
        "#1",
        "&amp;",
        "&#124;",
        "**",
        "_",
        "~~",
        "---",
        "$",
        "$x$",
        "^",
        " ",
    ),
    *(
        "=1",
        "+",
        "-",
        "@",
        "'",
        "'=",
        "\x1b]0;title\x07",
        "\x1b[2J",
        "%",
        "{}",
        "python",
        "中",
        "é",
        *STEERING,
    ),
)
hostile = st.lists(st.sampled_from(SPIKES) | st.characters(), max_size=12).map("".join)


def many_hostile(number: int) -> list[str]:
    """The same texts on every run."""
    draw = random.Random(number)  # noqa: S311 - repeatable, no secret
    return ["".join(draw.choices(SPIKES, k=draw.randint(0, 12))) for _ in range(number)]


def steers(text: str) -> bool:
    """Whether a character is a control, a direction or zero-width mark, a line separator or half a pair."""
    return any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for letter in text)


class Page(HTMLParser):
    """The tags and the text of each code span of a rendered page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.spans: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "code":
            self.spans.append("")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "code":
            self.spans[-1] += data


def page(texts: list[str]) -> Page:
    """A paragraph and a table that show the texts, rendered with raw HTML allowed."""
    sentences = "\n\n".join(f"Process {safe.code(text)} stopped." for text in texts)
    rows = "\n".join(f"| 1 | {safe.cell(text)} | 2 |" for text in texts)
    markdown = f"{sentences}\n\n| a | b | c |\n|---|---|---|\n{rows}\n\nThe end.\n"
    return Page(MarkdownIt("js-default", {"html": True}).render(markdown))


def shown(text: str) -> str:
    """What a reader of the page must see: escapes for what steers, a blank for nothing."""
    return safe.line(text, limit=10_000) or " "


def shown_in_cell(text: str) -> str:
    return shown(text).replace("\\|", "\\\\x7c")


@quick
@given(hostile)
@example(STEERING)
def test_line_holds_nothing_that_steers_a_terminal(text: str) -> None:
    assert not steers(safe.line(text))


def test_ten_thousand_lines_hold_nothing_that_steers_a_terminal() -> None:
    assert [text for text in many_hostile(10_000) if steers(safe.line(text))] == []


@pytest.mark.parametrize("letter", STEERING, ids=lambda letter: f"{ord(letter):04x}")
def test_line_shows_what_it_replaces(letter: str) -> None:
    spelled = letter.encode("unicode_escape").decode()

    assert safe.line(f"a{letter}b") == f"a{spelled}b"


@pytest.mark.parametrize("text", ["", "/usr/bin/python3", "Größe 10 µs", "显存", "C:\\x\\y.exe", "a|b `c`"])
def test_line_keeps_ordinary_text(text: str) -> None:
    assert safe.line(text) == text


def test_line_keeps_what_stands_beside_a_replaced_character() -> None:
    assert safe.line("é\n中|") == "é\\n中|"


@pytest.mark.parametrize("point", [0x034F, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF])
def test_mark_without_width_is_shown(point: int) -> None:
    assert safe.line(chr(point)) == chr(point).encode("unicode_escape").decode()


@pytest.mark.parametrize("letter", ["\ufdfd", "\ufe10"])
def test_neighbours_of_the_variation_selectors_stay(letter: str) -> None:
    assert safe.line(letter) == letter


@quick
@given(hostile, st.integers(1, 30))
def test_line_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(safe.line(text, limit)) <= limit


def test_cut_line_ends_in_an_ellipsis() -> None:
    assert safe.line("abcdef", limit=4) == "abc…"
    assert safe.line("abcd", limit=4) == "abcd"
    assert len(safe.line("x" * 300)) == 200


@quick
@given(st.lists(hostile, min_size=1, max_size=4))
def test_markdown_structure_does_not_depend_on_the_text(texts: list[str]) -> None:
    assert page(texts).tags == page(["harmless"] * len(texts)).tags


def test_ten_thousand_texts_leave_one_page_as_it_is() -> None:
    texts = many_hostile(10_000)
    actual = page(texts)

    assert actual.tags == page(["harmless"] * len(texts)).tags
    assert actual.spans == [*map(shown, texts), *map(shown_in_cell, texts)]


@pytest.mark.parametrize(
    "text", ["", " ", "`", "``", " `", "` ", "a``b`c", " a ", "   ", "C:\\", "\\`", "a|b", "\\"]
)
def test_rendered_span_says_the_text(text: str) -> None:
    assert page([text]).spans == [shown(text)] * 2


def test_pipe_behind_a_backslash_is_spelled_in_a_cell() -> None:
    # ``\\|`` ends the cell in some renderers and is a pipe in others.
    assert safe.cell("a\\|b|c") == "`a\\\\x7cb\\|c`"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum(a)", "=cmd|' /C calc'!A0", "＝1"])  # noqa: RUF001
def test_formula_gets_an_apostrophe(text: str) -> None:
    assert safe.csv_text(text) == f"'{text}"


def test_no_cell_of_ten_thousand_starts_a_formula() -> None:
    starts = {safe.csv_text(text)[:1] for text in many_hostile(10_000)}

    assert starts.isdisjoint("=+-@\t\r\n\0")


@quick
@given(hostile)
@example("'=1")
@example("''=1")
@example("'x")
def test_apostrophe_is_undone(text: str) -> None:
    assert safe.csv_text_undone(safe.csv_text(text)) == safe.line(text, limit=10_000)


@pytest.mark.parametrize("text", ["python3", "a=b", "a-b", "'quoted'", "", "5"])
def test_harmless_cell_stays(text: str) -> None:
    assert safe.csv_text(text) == text
    assert safe.csv_text_undone(text) == text


def test_label_is_short_and_seen_in_a_legend() -> None:
    assert safe.label("x" * 100) == "x" * 59 + "…"
    assert safe.label("_hidden") == " _hidden"
    assert safe.label("a\nb") == "a\\nb"


def test_any_label_draws() -> None:
    dollars = ["$", "$$", "$x", "$\\frac{$", "$HOME $FOO", "a$b$c^", "_$_", "\\$", "${x}$"]
    with rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        for text in dollars + many_hostile(91):
            figure = Figure(figsize=(2, 1), dpi=50)
            figure.text(0.1, 0.5, safe.label(text))
            FigureCanvasAgg(figure).draw()


@quick
@given(st.text())
def test_json_says_the_same_and_shows_nothing_invisible(text: str) -> None:
    document = safe.json_text(json.dumps([text], ensure_ascii=False, indent=1))

    assert json.loads(document) == [text]
    assert all(sign.isprintable() or sign == "\n" for sign in document)


def test_direction_of_text_does_not_turn_in_json() -> None:
    assert safe.json_text('["a\u202eb\x7f\x9bé"]') == '["a\\u202eb\\u007f\\u009bé"]'
