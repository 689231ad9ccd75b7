"""The report as one HTML file: the Markdown report rendered, its pictures inside, nothing asked of any server."""

from __future__ import annotations

import base64
import hashlib
import html

from smianalyze.language import Language
from smianalyze.rendered import fragment, heading
from smianalyze.report.content import ReportContent
from smianalyze.report.to_markdown import markdown

# Pictures are drawn on white: they keep it as a frame of their own where the page is dark.
STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --page: #fff; --shade: #f3f5f7
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --quiet: #9aa4af; --line: #3d444d; --page: #15181c; --shade: #20252b }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 56rem; margin: 0 auto; padding: 1rem 1rem 3rem; overflow-wrap: break-word }
h1 { font-size: 1.5rem; line-height: 1.25 }
h2 { font-size: 1.2rem; margin-top: 2.2rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.05rem }
p > strong:first-child { display: block; font-size: 1.1rem; line-height: 1.4; margin-bottom: .25rem }
code { font: .875em/1.4 ui-monospace, monospace; background: var(--shade); border-radius: .25rem; padding: 0 .3em }
.wide { display: block; overflow-x: auto; margin: 1rem 0 }
img { display: block; width: 100%; min-width: 42rem; height: auto; background: #fff; border-radius: .4rem }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--quiet); font-weight: 600 }
td { white-space: nowrap }
td:last-child, td code { white-space: pre-wrap; overflow-wrap: break-word }
td:last-child { min-width: 6rem }
@media print {
  :root { --ink: #000; --quiet: #444; --line: #bbb; --page: #fff; --shade: #f3f5f7 }
  main { max-width: none; padding: 0 }
  table { font-size: .72rem }
  .wide { overflow: visible }
  td { white-space: normal }
  img { min-width: 0 }
  th, td { padding: .2rem .35rem }
  tr, img, p { break-inside: avoid }
  h1, h2, h3 { break-after: avoid }
}
"""

# This style sheet, named by its hash, and pictures inside the page; no script, frame, form or request.
POLICY = (
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'"
)

TAGS: dict[Language, str] = {"en": "en", "zh": "zh-CN"}
"""What HTML calls the languages; by it a browser chooses among the shapes of Chinese letters."""

PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"""


def html_text(content: ReportContent) -> str:
    """The whole report; the same content gives the same text."""
    text = markdown(content)
    pictures = {chart.file_name: chart.png for chart in content.charts}
    return PAGE.format(
        language=TAGS[content.language],
        policy=POLICY,
        title=html.escape(heading(text)),
        style=STYLE,
        body=fragment(text, pictures),
    )
