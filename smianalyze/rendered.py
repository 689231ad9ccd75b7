"""Markdown of ours as HTML: what notebooks show, and the body of the one-file report.

There is no second template to keep safe: HTML in the Markdown is shown as text, links are off, and a picture is
one that the caller hands over, or else its words.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

NO_LINKS = ("link", "autolink", "reference")
"""Rules that are off: nothing that we write needs them, and a target must never come from an input."""

WIDTH_PX = 800
"""A picture has more pixels, for screens that show them; a style sheet may say another width."""


def fragment(markdown: str, pictures: Mapping[str, bytes] | None = None) -> str:
    """The Markdown as HTML without a page around it.

    Args:
        markdown: Text from an input stands in code spans of ``safe``.
        pictures: PNG by the file name that the Markdown calls it by; one that is not here is shown as its words.
    """
    return str(_parser().render(markdown, {"pictures": pictures or {}}))


class Shown:
    """What a notebook shows as a page of its own: its Markdown, and the same as HTML."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return fragment(self._repr_markdown_())


def heading(markdown: str) -> str:
    """The words of the first heading, without markup; empty where there is none."""
    tokens = _parser().parse(markdown)
    places = (place for place, token in enumerate(tokens) if token.type == "heading_open")
    inner = (tokens[place + 1].children or [] for place in places)
    return "".join(token.content for token in next(inner, []))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - takes 40 ms, and most runs make no HTML

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(NO_LINKS)
    for name, rule in (("image", _image), ("table_open", _table_open), ("table_close", _table_close)):
        parser.add_render_rule(name, rule)
    return parser


def _image(self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    """A picture inside the page, never one that is asked for elsewhere."""
    token = tokens[place]
    words = html.escape(self.renderInlineAsText(token.children, options, env))
    png = env["pictures"].get(token.attrs["src"])
    if png is None:
        return words
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<span class="wide"><img src="{source}" alt="{words}" width="{WIDTH_PX}"></span>'


def _table_open(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """A table that scrolls by itself where it is wider than the screen, like a picture."""
    return '<div class="wide">' + self.renderToken(tokens, place, options, env)


def _table_close(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    return self.renderToken(tokens, place, options, env) + "</div>\n"
